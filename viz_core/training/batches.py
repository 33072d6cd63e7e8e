"""The batches of an epoch: their rows, their order, and each process's share as tensors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from viz_core.models.batch import PAD, length_batches, padded_length
from viz_core.records import Examples


class Batch:
    """A process's share of a batch.

    It is neither a tuple nor a dataclass: in mixed precision Lightning Fabric would cast the float
    tensors of those to bf16, where a target of 0.9987 is 1 and a count above 256 is rounded.

    Attributes:
        ids: `(B, T)` int64, token ids.
        segments: `(B, T)` int64.
        mask: `(B, T)` bool.
        labels: `(B,)` int64.
        counts: `(B,)` float32: 1, or 0 for a row that only keeps a process busy.
        targets: `(B, C)` float32 probabilities to learn instead of the labels, or None.
        candidates: `(K,)` int64, the ids that occur in the batch, in ascending order; only for
            masked-token pre-training.
    """

    def __init__(
        self,
        ids: Tensor,
        segments: Tensor,
        mask: Tensor,
        labels: Tensor,
        counts: Tensor,
        targets: Tensor | None = None,
        candidates: Tensor | None = None,
    ) -> None:
        self.ids, self.segments, self.mask = ids, segments, mask
        self.labels, self.counts, self.targets, self.candidates = labels, counts, targets, candidates

    def clone(self) -> Batch:
        """Copy the batch, tensors included."""
        copy = Batch(**vars(self))
        for name, tensor in vars(self).items():
            setattr(copy, name, None if tensor is None else tensor.clone())
        return copy

    def copy_(self, other: Batch) -> None:
        """Copy tensors of the same shapes into this batch, in place."""
        for name, tensor in vars(self).items():
            if tensor is not None:
                tensor.copy_(getattr(other, name))


class DeviceExamples:
    """Examples on a device, from which batches are gathered.

    A step copies nothing to the device and waits for nothing.
    """

    def __init__(self, examples: Examples, device: torch.device, max_tokens: int) -> None:
        self.examples, self.device, self.max_tokens = examples, device, max_tokens
        self._host_lengths = examples.lengths
        longest = int(self._host_lengths.max(initial=0))
        room = padded_length(longest, device, max_tokens)  # also behind the last row, gathered with its padding
        self._ids = _upload(_concatenate(examples.ids, room, np.int32), device)
        self._segments = _upload(_concatenate(examples.segments, room, np.int8), device)
        self._lengths = _upload(self._host_lengths.astype(np.int64), device)
        self._starts = _upload(np.cumsum(self._host_lengths) - self._host_lengths, device)
        self._labels = _upload(examples.labels.astype(np.int64), device)
        self._targets = None if examples.targets is None else _upload(examples.targets, device)
        self._positions = torch.arange(room, device=device)

    def batches(
        self, batches: list[np.ndarray], process: int, processes: int, candidates: bool = False
    ) -> Iterator[Batch]:
        """This process's share of each batch, padded to its own longest row.

        Args:
            batches: The rows of each batch.
            candidates: Whether batches list the ids that occur in them.
        """
        shares = [process_rows(rows, process, processes) for rows in batches]
        rows = _upload(np.concatenate([np.empty(0, np.int64), *(rows for rows, _ in shares)]), self.device)
        counts = _upload(np.concatenate([np.empty(0, np.float32), *(counts for _, counts in shares)]), self.device)
        start = 0
        for host_rows, _ in shares:
            end = start + len(host_rows)
            T = padded_length(int(self._host_lengths[host_rows].max()), self.device, self.max_tokens)
            batch = self._gather(rows[start:end], counts[start:end], T)
            if candidates:
                batch.candidates = self._candidates(host_rows, T)
            yield batch
            start = end

    def _gather(self, rows: Tensor, counts: Tensor, T: int) -> Batch:
        positions = self._positions[:T]
        mask = positions < self._lengths[rows][:, None]  # (B, T)
        indices = self._starts[rows][:, None] + positions  # (B, T) in the concatenated rows
        ids = self._ids[indices].long().masked_fill_(~mask, PAD)
        segments = self._segments[indices].long().masked_fill_(~mask, 0)
        targets = None if self._targets is None else self._targets[rows]
        return Batch(ids, segments, mask, self._labels[rows], counts, targets)

    def _candidates(self, rows: np.ndarray, T: int) -> Tensor:
        ids = np.unique(np.concatenate([self.examples.ids[row] for row in rows]))
        if self._host_lengths[rows].min() < T and ids[0] != PAD:
            ids = np.concatenate([[PAD], ids])
        return _upload(ids.astype(np.int64), self.device)


def steps(rows: int, batch: int) -> int:
    """Number of batches in an epoch."""
    return -(-rows // batch)


def epoch_rows(examples: Examples, batch: int, seed: int, epoch: int) -> list[np.ndarray]:
    """The rows of each batch, with rows of similar length together.

    The order depends on seed and epoch alone.
    """
    return list(length_batches(examples.lengths, batch, seed=seed + epoch))


def process_rows(rows: np.ndarray, process: int, processes: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of a process and the weight of each; a process without rows gets one row of weight 0."""
    own = rows[process::processes]
    return (own, np.ones(len(own), np.float32)) if len(own) else (rows[:1], np.zeros(1, np.float32))


def _concatenate(rows: list[np.ndarray], padding: int, dtype: type) -> np.ndarray:
    return np.concatenate([*rows, np.zeros(padding, dtype)], dtype=dtype)


def _upload(array: np.ndarray, device: torch.device) -> Tensor:
    """A tensor on the device; copied to a GPU from pinned memory, so that nothing waits for the copy."""
    tensor = torch.from_numpy(array)
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)
