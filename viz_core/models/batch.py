"""Pad lists of token ids, and compute logits in batches of similar length, with little padding."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from viz_core.models.protocol import Hook, Network

PAD = 0  # id of the padding token; masked, so that its value never matters
_MULTIPLE = 16  # tokens


def padded_length(longest: int, device: torch.device, max_tokens: int) -> int:
    """Return the length T to pad a batch to, whose longest row has `longest` tokens.

    On a GPU this is a multiple of 16, as far as the model has positions: attention kernels want
    aligned rows, and the libraries choose a kernel anew for each shape.
    """
    if device.type == "cpu":
        return longest
    return max(longest, min(-(-longest // _MULTIPLE) * _MULTIPLE, max_tokens))


def pad(
    ids: Sequence[np.ndarray], segments: Sequence[np.ndarray], device: torch.device | str = "cpu", length: int = 0
) -> tuple[Tensor, Tensor, Tensor]:
    """Pad rows of ids and segments to a common length.

    Args:
        ids: Token ids of each row.
        segments: Segments of each row.
        device: Of the result.
        length: T, by default the length of the longest row.

    Returns:
        Ids and segments `(B, T)` int64, and the mask `(B, T)` bool.
    """
    lengths = np.array([len(row) for row in ids])
    length = length or lengths.max()
    padded = np.full((2, len(ids), length), PAD, np.int64)
    for number, (row, row_segments) in enumerate(zip(ids, segments, strict=True)):
        padded[0, number, : len(row)] = row
        padded[1, number, : len(row)] = row_segments
    mask = np.arange(length) < lengths[:, None]
    both = torch.from_numpy(padded).to(device)
    return both[0], both[1], torch.from_numpy(mask).to(device)


def length_batches(lengths: np.ndarray, batch: int, seed: int | None = None) -> Iterator[np.ndarray]:
    """Yield the row numbers of each batch, with rows of similar length together.

    Without a seed, rows are sorted by length, for evaluation. With a seed, they are shuffled, sorted
    within pools of 50 batches, and the batches shuffled again: an epoch stays random, and padding
    small.
    """
    if seed is None:
        order = np.argsort(lengths, kind="stable")
        yield from (order[i : i + batch] for i in range(0, len(order), batch))
        return
    random = np.random.default_rng(seed)
    order = random.permutation(len(lengths))
    pools = [order[i : i + 50 * batch] for i in range(0, len(order), 50 * batch)]
    batches = []
    for pool in pools:
        ranked = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [ranked[i : i + batch] for i in range(0, len(ranked), batch)]
    yield from (batches[i] for i in random.permutation(len(batches)))


def batched_logits(
    model: Network,
    ids: Sequence[np.ndarray],
    segments: Sequence[np.ndarray],
    batch: int = 64,
    hook: Hook | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> np.ndarray:
    """Compute the logits of a `protocol.Model` without dropout, restoring the model's mode afterwards.

    Args:
        model: The model.
        ids: Token ids of each row.
        segments: Segments of each row.
        batch: Rows per forward pass.
        hook: Passed to the model.
        progress: Called after every batch with the number of rows done and the total; an exception
            that it raises ends the computation.

    Returns:
        `(N, C)`, in the order of the rows.
    """
    device, lengths = next(model.parameters()).device, np.array([len(row) for row in ids], int)
    logits = np.zeros((len(ids), model.config.classes), np.float32)
    was_training, done = model.training, 0
    model.eval()
    try:
        with torch.inference_mode():
            for rows in length_batches(lengths, batch):
                length = padded_length(int(lengths[rows].max()), device, model.config.max_tokens)
                inputs = pad([ids[row] for row in rows], [segments[row] for row in rows], device, length)
                logits[rows] = model(*inputs, hook=hook).logits.float().cpu().numpy()
                done += len(rows)
                progress(done, len(ids))
    finally:
        model.train(was_training)
    return logits
