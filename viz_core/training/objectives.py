"""What is learned from a batch: the label of a text, or its masked tokens."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_core.models.encoder import Encoder
from viz_core.text.tokenizer import SPECIAL, UNK

MASKED = 0.15  # share of tokens to be guessed (Devlin et al. 2019, section 3.1)


def drop_words(ids: Tensor, share: float) -> Tensor:
    """ids with a random share of the content tokens replaced by [UNK]."""
    if share == 0:
        return ids
    hit = (torch.rand(ids.shape, device=ids.device) < share) & (ids >= len(SPECIAL))
    return ids.masked_fill(hit, UNK)


def classification_loss(encoder: Encoder, ids: Tensor, segments: Tensor, mask: Tensor, labels: Tensor,
                        word_dropout: float, label_smoothing: float) -> Tensor:
    """Mean cross-entropy of the labels `(B,)`."""
    scores = encoder(drop_words(ids, word_dropout), segments, mask).logits
    return F.cross_entropy(scores.float(), labels, label_smoothing=label_smoothing)


class MaskedTokens(nn.Module):
    """Masked-token pre-training with [UNK] as the mask and the token embedding as the output layer.

    The softmax runs over the tokens that occur in the batch, not over the whole vocabulary: with 30,000 words the output
    layer would otherwise cost several times the encoder.
    """

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.transform = nn.Sequential(
            nn.Linear(encoder.config.width, encoder.config.width), nn.GELU(), nn.LayerNorm(encoder.config.width))
        self.bias = nn.Embedding(encoder.config.vocabulary, 1)
        nn.init.zeros_(self.bias.weight)

    def loss(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """Mean cross-entropy of the masked tokens among the tokens of the batch."""
        content = ids >= len(SPECIAL)
        hit = (torch.rand(ids.shape, device=ids.device) < MASKED) & content
        hit[0, 1] |= not hit.any()  # at least one, so that the mean exists
        shown = ids.masked_fill(hit & (torch.rand(ids.shape, device=ids.device) < 0.9), UNK)  # 1 in 10 stays visible
        hidden, _ = self.encoder.encode(shown, segments, mask)
        candidates, numbers = torch.unique(ids, return_inverse=True)
        guesses = self.transform(hidden[hit]) @ self.encoder.embedding.token(candidates).T     # (masked, candidates)
        return F.cross_entropy((guesses + self.bias(candidates).T).float(), numbers[hit])
