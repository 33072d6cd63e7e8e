"""What is learned from a batch: the label of a text, or its masked tokens."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_core.text.tokenizer import SPECIAL, UNK
from viz_core.training.batches import Batch
from viz_core.training.loop import Sums

MASKED = 0.15  # share of tokens to be guessed (Devlin et al. 2019, section 3.1)


def drop_words(ids: Tensor, share: float) -> Tensor:
    """ids with a random share of the content tokens replaced by [UNK]."""
    if share == 0:
        return ids
    hit = (torch.rand(ids.shape, device=ids.device) < share) & (ids >= len(SPECIAL))
    return ids.masked_fill(hit, UNK)


def balanced_weights(labels: np.ndarray, classes: int) -> Tensor:
    """`(C,)`: N / (C · N_c), so that all examples of a class together weigh as much as those of any other (King & Zeng
    2001, as in scikit-learn's `balanced`); 0 for a class that does not occur."""
    found = np.bincount(labels, minlength=classes)
    weights = np.divide(len(labels), classes * found, out=np.zeros(classes), where=found > 0)
    return torch.tensor(weights, dtype=torch.float32)


class Classification(nn.Module):
    """Cross-entropy of the labels, or of the targets where there are any. class_weights: `(C,)`, None where all examples
    count the same. r_drop: weight of the divergence between two passes, whose mean cross-entropy then counts (Liang et al.
    2021, section 2; there their sum counts, so that the weight is half of theirs)."""

    def __init__(
        self,
        model: nn.Module,
        word_dropout: float = 0.0,
        label_smoothing: float = 0.0,
        class_weights: Tensor | None = None,
        r_drop: float = 0.0,
    ) -> None:
        super().__init__()
        self.encoder = model  # under this name in the state that a run resumes from
        self.word_dropout, self.label_smoothing, self.r_drop = word_dropout, label_smoothing, r_drop
        self.register_buffer("class_weights", class_weights, persistent=False)

    def forward(self, batch: Batch) -> Sums:
        passes = [self._scores(batch)] if self.r_drop == 0 else [self._scores(batch), self._scores(batch)]
        losses = torch.stack([self._losses(scores, batch) for scores in passes]).mean(0)  # (B,)
        if self.r_drop:
            losses = losses + self.r_drop * divergence(*passes)
        weights = batch.counts if self.class_weights is None else batch.counts * self.class_weights[batch.labels]
        right = (passes[0].argmax(1) == batch.labels) * batch.counts
        return Sums((losses * batch.counts).sum(), weights.sum(), right.sum(), batch.counts.sum())

    def _scores(self, batch: Batch) -> Tensor:
        return self.encoder(
            drop_words(batch.ids, self.word_dropout), batch.segments, batch.mask
        ).logits.float()  # (B, C)

    def _losses(self, scores: Tensor, batch: Batch) -> Tensor:
        goal = batch.labels if batch.targets is None else batch.targets
        return F.cross_entropy(scores, goal, self.class_weights, reduction="none", label_smoothing=self.label_smoothing)


def divergence(one: Tensor, other: Tensor) -> Tensor:
    """`(B,)`: the mean of both Kullback-Leibler divergences between the distributions of two logits `(B, C)`."""
    p, q = one.log_softmax(-1), other.log_softmax(-1)
    return ((p.exp() - q.exp()) * (p - q)).sum(-1) / 2


class MaskedTokens(nn.Module):
    """Masked-token pre-training with [UNK] as the mask and the token embedding as the output layer.

    The softmax runs over the tokens that occur in the batch (in a process's part of it), not over the whole vocabulary:
    with 30,000 words the output layer would otherwise cost several times the encoder.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.encoder = model  # under this name in the state that a run resumes from
        self.transform = nn.Sequential(
            nn.Linear(model.config.width, model.config.width), nn.GELU(), nn.LayerNorm(model.config.width)
        )
        self.bias = nn.Embedding(model.config.vocabulary, 1)
        nn.init.zeros_(self.bias.weight)

    def forward(self, batch: Batch) -> Sums:
        ids = batch.ids
        content = ids >= len(SPECIAL)
        hit = (torch.rand(ids.shape, device=ids.device) < MASKED) & content
        hit[0, 1] |= not hit.any()  # at least one, so that the mean exists
        shown = ids.masked_fill(hit & (torch.rand(ids.shape, device=ids.device) < 0.9), UNK)  # 1 in 10 stays visible
        hidden = self.encoder.encode(shown, batch.segments, batch.mask)
        candidates, numbers = torch.unique(ids, return_inverse=True)
        guesses = self.transform(hidden[hit]) @ self.encoder.token_embedding(candidates).T  # (masked, candidates)
        guesses = (guesses + self.bias(candidates).T).float()
        counts = batch.counts[:, None].expand(ids.shape)[hit]  # (masked,)
        losses = F.cross_entropy(guesses, numbers[hit], reduction="none")
        right = (guesses.argmax(1) == numbers[hit]) * counts
        return Sums((losses * counts).sum(), counts.sum(), right.sum(), counts.sum())
