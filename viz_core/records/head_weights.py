"""Attention weights of all heads: in an array, or computed when a layer or a head is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod

import numpy as np


@dataclass(frozen=True, eq=False)
class DeferredWeights:
    """Attention weights `(L, H, Q, K)` that are computed, head by head, when they are asked for.

    The weights of 30 × 9 heads of 1,024 tokens take 1.1 GB, the queries and keys they come from 94 MB. It
    is indexed like the array that it stands for, by a layer or by a layer and a head, and is iterated by
    layers.

    Attributes:
        shape: `(L, H, Q, K)`.
        nbytes: Memory of what the weights are computed from.
        compute: Maps a layer and a head to its weights, `(Q, K)` float32.
    """

    shape: tuple[int, int, int, int]
    nbytes: int
    compute: Callable[[int, int], np.ndarray]

    @property
    def size(self) -> int:
        """Number of weights."""
        return prod(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[np.ndarray]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, place: int | tuple[int, int]) -> np.ndarray:
        layers, heads = map(range, self.shape[:2])
        if isinstance(place, tuple):
            return self.compute(layers[place[0]], heads[place[1]])
        return np.stack([self.compute(layers[place], head) for head in heads])

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        return np.stack(list(self)).astype(dtype or np.float32, copy=False)


HeadWeights = np.ndarray | DeferredWeights


def map_heads(
    weights: HeadWeights, change: Callable[[np.ndarray, tuple[int, int]], np.ndarray], nbytes: int = 0
) -> HeadWeights:
    """Weights of the same shape, changed: at once in an array, else when they are asked for.

    Args:
        weights: `(L, H, Q, K)`.
        change: Maps the weights `(Q, K)` of a head, with its layer and number, to others.
        nbytes: Memory that the change holds.
    """
    if isinstance(weights, np.ndarray):
        changed = [change(weights[head], head) for head in np.ndindex(weights.shape[:2])]
        return np.array(changed, np.float32).reshape(weights.shape)
    return replace(weights, nbytes=weights.nbytes + nbytes, compute=lambda *head: change(weights.compute(*head), head))


def measure_layers(weights: HeadWeights, measure: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Measure each head, `(L, H, …)`, a layer at a time.

    Args:
        weights: `(L, H, Q, K)`.
        measure: Maps the weights of a layer, `(H, Q, K)`, to one value of each head, `(H, …)`.
    """
    return np.stack([measure(layer) for layer in weights]) if len(weights) else np.zeros(weights.shape[:2])
