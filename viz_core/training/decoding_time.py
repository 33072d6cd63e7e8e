"""Estimate the time of what a model writes at every evaluation of a training."""

import time
from collections.abc import Sequence
from math import ceil

import numpy as np
import torch

from viz_core.analysis.decoding import special_ids
from viz_core.analysis.translation.translating import translate
from viz_core.models.decoding import Hypothesis, greedy
from viz_core.models.protocol import Generator, Network
from viz_core.records import Examples

_TOKENS, _BATCH = 8, 64  # tokens that are timed; sentences decoded at once, as in an evaluation
CONTINUED = 40  # tokens that a language model writes after a pinned input
_PINNED = 2  # inputs, as the form has at first


def decoding_seconds(model: Generator, validation: Examples) -> float:
    """Estimate the seconds that greedy translation of these rows takes, from a few timed tokens.

    Each batch counts as long as the longest target. In the first epochs a model does not end its
    sentences yet; later its translations are about as long as the references.
    """
    targets = np.array([int((segments == 1).sum()) for segments in validation.segments])
    order = np.argsort(validation.lengths, kind="stable")
    start = max(0, (len(order) - _BATCH) // 2)  # sentences of median length
    sources = [validation.ids[row][validation.segments[row] == 0] for row in order[start : start + _BATCH]]
    seconds = min(_time(model, sources) for _ in range(2))  # the first one loads kernels
    return seconds / _TOKENS * int(targets.max()) * ceil(len(order) / _BATCH)


def continuing_seconds(model: Network, validation: Examples) -> float:
    """Estimate the seconds that continuing the pinned inputs takes, from a few timed tokens."""
    nothing = torch.zeros((1, 0), dtype=torch.long, device=next(model.parameters()).device)

    def time_once() -> float:
        start = time.perf_counter()
        with torch.inference_mode():
            _decode_few(model.advance, model.start(nothing, nothing.bool()), 1, special_ids(model), _TOKENS)
        return time.perf_counter() - start

    return min(time_once() for _ in range(2)) / _TOKENS * CONTINUED * _PINNED


def _time(model: Generator, sources: Sequence[np.ndarray]) -> float:
    start = time.perf_counter()
    translate(model, sources, _decode_few, batch=len(sources))
    return time.perf_counter() - start


def _decode_few(advance, state, count, vocabulary, limit) -> list[Hypothesis]:
    return greedy(advance, state, count, vocabulary, min(limit, _TOKENS))
