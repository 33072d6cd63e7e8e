"""Estimate the time of translating the validation split at every evaluation of a training."""

import time
from collections.abc import Sequence
from math import ceil

import numpy as np

from viz_core.analysis.translation.translating import translate
from viz_core.models.decoding import Hypothesis, greedy
from viz_core.models.protocol import Generator
from viz_core.records import Examples

_TOKENS, _BATCH = 8, 64  # tokens that are timed; sentences decoded at once, as in an evaluation


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


def _time(model: Generator, sources: Sequence[np.ndarray]) -> float:
    start = time.perf_counter()
    translate(model, sources, _decode_few, batch=len(sources))
    return time.perf_counter() - start


def _decode_few(advance, state, count, vocabulary, limit) -> list[Hypothesis]:
    return greedy(advance, state, count, vocabulary, min(limit, _TOKENS))
