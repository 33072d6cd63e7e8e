"""The batches of an epoch: which rows, in which order, and each process's part of them as tensors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from viz_core.models.batch import bucketed, pad
from viz_core.records import Examples


class Batch(NamedTuple):
    """ids, segments `(B, T)` int64, mask `(B, T)` bool, labels `(B,)` int64, and how much each row counts, `(B,)`: 1, or 0
    for a row that only keeps a process busy. targets: `(B, C)`, learned instead of the labels where there are any."""

    ids: Tensor
    segments: Tensor
    mask: Tensor
    labels: Tensor
    counts: Tensor
    targets: Tensor | None = None


def steps(rows: int, batch: int) -> int:
    """How many batches an epoch has."""
    return -(-rows // batch)


def epoch_rows(examples: Examples, batch: int, seed: int, epoch: int) -> list[np.ndarray]:
    """The rows of each batch: rows of like length together, another order in every epoch, the same for the same seed."""
    return list(bucketed(examples.lengths, batch, seed=seed + epoch))


def part_of(rows: np.ndarray, process: int, processes: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows that fall to a process, and how much each counts; where none is left for it, one that counts nothing."""
    mine = rows[process::processes]
    return (mine, np.ones(len(mine), np.float32)) if len(mine) else (rows[:1], np.zeros(1, np.float32))


def parts(
    examples: Examples, batches: Iterable[np.ndarray], device: torch.device, process: int, processes: int
) -> Iterator[Batch]:
    """A process's part of each batch, padded to its own longest row."""
    for rows in batches:
        mine, counts = part_of(rows, process, processes)
        part = examples.at(mine)
        inputs = pad(part.ids, part.segments, device)
        targets = None if part.targets is None else torch.from_numpy(part.targets).to(device)
        yield Batch(*inputs, torch.from_numpy(part.labels).to(device), torch.from_numpy(counts).to(device), targets)
