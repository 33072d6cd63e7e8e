"""What is learned from a batch: the label of a text, or its masked tokens."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_core.models.protocol import Network
from viz_core.recipes import Recipe
from viz_core.text.building import SPECIAL, UNK
from viz_core.training.batches import Batch
from viz_core.training.loop import BatchSums

MASKED = 0.15  # share of tokens to predict (Devlin et al. 2019, section 3.1)


def drop_words(ids: Tensor, share: float) -> Tensor:
    """Ids `(B, T)` with a random share of the content tokens replaced by [UNK]."""
    if share == 0:
        return ids
    dropped = (torch.rand(ids.shape, device=ids.device) < share) & (ids >= len(SPECIAL))
    return ids.masked_fill(dropped, UNK)


def balanced_weights(labels: np.ndarray, classes: int) -> Tensor:
    """`(C,)`: class weights N / (C · N_c), with which all classes have the same total weight.

    King & Zeng 2001; scikit-learn's `balanced`. The weight is 0 for a class that does not occur.
    """
    counts = np.bincount(labels, minlength=classes)
    weights = np.divide(len(labels), classes * counts, out=np.zeros(classes), where=counts > 0)
    return torch.tensor(weights, dtype=torch.float32)


class Classification(nn.Module):
    """Cross-entropy with the labels, or with the targets if there are any.

    Attributes:
        class_weights: `(C,)`, None for equal weights.
        r_drop: Weight of the divergence between two passes with different dropout, added to their
            mean cross-entropy (Liang et al. 2021, section 2; they add the sum, so that this weight
            is half of theirs). Both passes run as a single batch of twice the size.
    """

    class_weights: Tensor | None

    def __init__(
        self,
        model: Network,
        word_dropout: float = 0.0,
        label_smoothing: float = 0.0,
        class_weights: Tensor | None = None,
        r_drop: float = 0.0,
    ) -> None:
        super().__init__()
        self.encoder = model  # the name is part of the state that a run resumes from
        self.word_dropout, self.label_smoothing, self.r_drop = word_dropout, label_smoothing, r_drop
        self.register_buffer("class_weights", class_weights, persistent=False)

    @property
    def can_be_graphed(self) -> bool:
        """Whether the forward pass never waits for the device (`training/gradients.py`), the usual case."""
        return getattr(self.encoder, "can_be_graphed", True)

    def forward(self, batch: Batch) -> BatchSums:
        """The sums of a batch."""
        passes = self._logits(batch, 2 if self.r_drop else 1)  # (P, B, C)
        losses = torch.stack([self._losses(logits, batch) for logits in passes]).mean(0)  # (B,)
        if self.r_drop:
            losses = losses + self.r_drop * divergence(*passes)
        weights = batch.counts if self.class_weights is None else batch.counts * self.class_weights[batch.labels]
        correct = (passes[0].argmax(1) == batch.labels) * batch.counts
        return BatchSums((losses * batch.counts).sum(), weights.sum(), correct.sum(), batch.counts.sum())

    def _logits(self, batch: Batch, passes: int) -> Tensor:
        """Logits `(P, B, C)` in 32 bits, for P passes."""
        ids, segments, mask = (tensor.repeat(passes, 1) for tensor in (batch.ids, batch.segments, batch.mask))
        logits = self.encoder(drop_words(ids, self.word_dropout), segments, mask).logits.float()
        return logits.view(passes, len(batch.ids), -1)

    def _losses(self, logits: Tensor, batch: Batch) -> Tensor:
        targets = batch.labels if batch.targets is None else batch.targets
        return F.cross_entropy(
            logits, targets, self.class_weights, reduction="none", label_smoothing=self.label_smoothing
        )


def classification(model: Network, recipe: Recipe, labels: np.ndarray) -> Classification:
    """Build the objective of a recipe.

    Args:
        model: The model to train.
        recipe: The settings.
        labels: The labels of the train set, for the class weights.
    """
    weights = balanced_weights(labels, model.config.classes) if recipe.class_weights else None
    return Classification(model, recipe.word_dropout, recipe.label_smoothing, weights, recipe.r_drop)


def divergence(first: Tensor, second: Tensor) -> Tensor:
    """`(B,)`: the mean of both Kullback-Leibler divergences between the distributions of two logits."""
    p, q = first.log_softmax(-1), second.log_softmax(-1)
    return ((p.exp() - q.exp()) * (p - q)).sum(-1) / 2


class MaskedTokens(nn.Module):
    """Masked-token pre-training with [UNK] as the mask and the token embedding as the output layer.

    The softmax runs over the tokens that occur in the batch (in a process's share of it), not over
    the whole vocabulary: with 30,000 words the output layer would otherwise cost several times as
    much as the encoder.
    """

    encoder: Network

    def __init__(self, model: Network) -> None:
        super().__init__()
        self.encoder = model  # the name is part of the state that a run resumes from
        self.transform = nn.Sequential(
            nn.Linear(model.config.width, model.config.width), nn.GELU(), nn.LayerNorm(model.config.width)
        )
        self.bias = nn.Embedding(model.config.vocabulary, 1)
        nn.init.zeros_(self.bias.weight)

    def forward(self, batch: Batch) -> BatchSums:
        """The sums of a batch, which must list its candidates."""
        ids, candidates = batch.ids, batch.candidates
        if candidates is None:
            raise ValueError("the batch lists no candidates: make it with candidates=True")
        masked = (torch.rand(ids.shape, device=ids.device) < MASKED) & (ids >= len(SPECIAL))
        masked[0, 1] |= ~masked.any()  # at least one, so that the mean exists
        replaced = masked & (torch.rand(ids.shape, device=ids.device) < 0.9)  # 1 in 10 stays visible
        inputs = ids.masked_fill(replaced, UNK)
        positions = masked.flatten().nonzero().squeeze(1)  # (M,); on a GPU the only wait in a step
        hidden = self.encoder.encode(inputs, batch.segments, batch.mask).flatten(0, 1)[positions]  # (M, D)
        logits = self.transform(hidden) @ self.encoder.token_embedding(candidates).T  # (M, K)
        logits = (logits + self.bias(candidates).T).float()
        index = torch.zeros(self.bias.num_embeddings, dtype=torch.int64, device=ids.device)  # of each candidate
        index[candidates] = torch.arange(len(candidates), device=ids.device)
        targets = index[ids.flatten()[positions]]  # (M,)
        counts = batch.counts[positions // ids.shape[1]]  # (M,)
        losses = F.cross_entropy(logits, targets, reduction="none")
        correct = (logits.argmax(1) == targets) * counts
        return BatchSums((losses * counts).sum(), counts.sum(), correct.sum(), counts.sum())
