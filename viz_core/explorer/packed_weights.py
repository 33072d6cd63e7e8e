"""Weights as bytes: exact ones in fixed point, and thumbnails.

Shapes: L layers, H heads, Q queries, K keys.
"""

from collections.abc import Sequence
from math import ceil

import numpy as np

from viz_core.records import HeadWeights, map_heads

STEPS = 65_535  # a weight of 1
COARSE_STEPS = 4_095  # the same in a document with many weights: half the bytes, and an error of 0.0002 at most
SIDE = 64  # cells per side of a thumbnail, at most
Head = tuple[int, int]  # layer and head, from 0


def fixed_point(weights: np.ndarray, most: int = STEPS) -> np.ndarray:
    """Round weights `(Q, K)` to steps of 1/`most`, uint16.

    Rounds cumulative sums rather than weights: every weight, and every sum over a range of
    neighbouring keys, is less than a step from the exact value, and a row that sums to 1 sums to
    exactly `most` steps.
    """
    sums = np.cumsum(weights, axis=-1, dtype=np.float64)
    sums *= most
    np.rint(sums, out=sums)
    return np.diff(sums, axis=-1, prepend=0).clip(0, most).astype(np.uint16)


def planes(weights: np.ndarray, most: int = STEPS) -> bytes:
    """Weights `(Q, K)` in fixed point: all high bytes, then all low bytes, which compress better separately."""
    steps = fixed_point(weights, most)
    return (steps >> 8).astype(np.uint8).tobytes() + steps.astype(np.uint8).tobytes()


def pack_heads(attention: HeadWeights, heads: Sequence[Head]) -> bytes:
    """Exact weights of one head of `(L, H, Q, K)`, or of the mean over several, packed by `planes`.

    Raises:
        ValueError: If there are no heads, or if the model does not have one of them.
    """
    layers, count = attention.shape[:2]
    if not heads or not all(0 <= layer < layers and 0 <= head < count for layer, head in heads):
        raise ValueError(f"heads {list(heads)[:8]} are not among {layers} layers with {count} heads: count them from 0")
    return planes(attention[heads[0]] if len(heads) == 1 else _mean(attention, heads))


def pack_norms(attention: HeadWeights, norms: np.ndarray) -> bytes:
    """Pack what the browser needs to weigh attention by the norms of the values.

    As float32, little-endian: the norms, and the largest weighted value of each head `(L, H)`; then
    the thumbnails from `pool`, if their cells are blocks of tokens. If they are single tokens, the
    browser computes the thumbnails.

    Args:
        attention: `(L, H, Q, K)`.
        norms: `(L, H, K)`.
    """
    thumbnails, peaks = pool(map_heads(attention, lambda weights, head: weights * norms[head]))
    numbers = [values.astype("<f4").tobytes() for values in (norms, peaks)]
    return b"".join([*numbers, b"" if thumbnails.shape == attention.shape else thumbnails.tobytes()])


def pack_weighted_heads(attention: HeadWeights, norms: np.ndarray, heads: Sequence[Head]) -> bytes:
    """Like `pack_heads`, for weights times norms: a step is 1/65535 of the largest of all norms.

    Raises:
        ValueError: As `pack_heads`.
    """
    shares = norms / (norms.max() or 1)
    return pack_heads(map_heads(attention, lambda weights, head: weights * shares[head]), heads)


def pool(attention: HeadWeights) -> tuple[np.ndarray, np.ndarray]:
    """Thumbnails `(L, H, rows, columns)` uint8 of attention, and the largest weight of each head `(L, H)`.

    A cell is the square root of the largest weight in its block relative to the head's largest
    weight; up to 64 tokens a block is a single token. Means on a linear scale would make single
    strong cells disappear.

    Args:
        attention: `(L, H, Q, K)`.
    """
    (rows, query_block), (columns, key_block) = (_blocks(count) for count in attention.shape[2:])
    layers, heads, queries, keys = attention.shape
    largest = np.zeros((layers, heads, rows, columns), np.float32)
    padded = np.zeros((heads, rows * query_block, columns * key_block), np.float32)
    for number, layer in enumerate(attention):
        padded[:, :queries, :keys] = layer
        blocks = padded.reshape(heads, rows, query_block, columns * key_block).max(2)
        largest[number] = blocks.reshape(heads, rows, columns, key_block).max(3)
    peaks = largest.max((2, 3))
    shares = np.sqrt(largest / np.where(peaks > 0, peaks, 1)[..., None, None])
    return np.rint(shares * 255).astype(np.uint8), peaks


def _blocks(tokens: int) -> tuple[int, int]:
    """Cells along a side of a thumbnail with this many tokens, and tokens per cell."""
    block = ceil(tokens / SIDE)
    return ceil(tokens / block), block


def _mean(attention: HeadWeights, heads: Sequence[Head]) -> np.ndarray:
    total = np.zeros(attention.shape[2:], np.float64)
    for head in heads:  # not all at once: a copy of 144 heads of 512 tokens would take 150 MB
        total += attention[head]
    return total / len(heads)
