"""What is learned from in the benchmarks: the real corpora, or, where they are not at hand, rows of like lengths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from viz_core.records import Examples, Failure
from viz_core.tasks import Task
from viz_core.text.tokenizer import SPECIAL
from viz_core.training.prepare import prepare


class Lengths(NamedTuple):
    """Tokens of a row are log-normal: mean and standard deviation of their logarithm; at least so many, and cut at the
    task's maximum. vocabulary, rows: of the train split. Chosen to be like the corpora under our tokenizers."""

    mean: float
    deviation: float
    least: int
    vocabulary: int
    rows: int


LENGTHS = {"imdb": Lengths(5.25, 0.65, 12, 29_115, 22_500), "afqmc": Lengths(3.34, 0.30, 13, 1_708, 30_885)}


class Corpus(NamedTuple):
    """real: whether these are its texts."""

    examples: Examples
    vocabulary: int
    real: bool


def corpus(task: Task) -> Corpus:
    """The train split as the training reads it, or made-up rows in its place."""
    try:
        prepared = prepare(task, "full")
    except Failure as failure:
        if failure.message.key != "training.no_data":
            raise
        return Corpus(made_up(task), LENGTHS[task.name].vocabulary, real=False)
    return Corpus(prepared.train, prepared.text.vocabulary, real=True)


def made_up(task: Task) -> Examples:
    """Lengths as in LENGTHS; the token of rank r comes up in proportion to 1/r, as in a text (Zipf); chance labels."""
    mean, deviation, least, vocabulary, rows = LENGTHS[task.name]
    random = np.random.default_rng(0)
    lengths = np.exp(random.normal(mean, deviation, rows)).round().clip(least, task.max_tokens).astype(int)
    shares = 1 / np.arange(1, vocabulary - len(SPECIAL) + 1)
    drawn = random.choice(len(shares), lengths.sum(), p=shares / shares.sum()) + len(SPECIAL)
    ids = np.split(drawn.astype(np.int32), np.cumsum(lengths)[:-1])
    segments = [(task.pair * 2 * np.arange(length) // length).astype(np.int8) for length in lengths]
    return Examples(ids, segments, random.integers(len(task.labels), size=rows))
