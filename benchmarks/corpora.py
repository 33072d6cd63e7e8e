"""Training data of the benchmarks: the real corpora, or synthetic rows of similar lengths if unavailable."""

from typing import NamedTuple

import numpy as np

from viz_core.records import Examples, Failure
from viz_core.tasks import Task
from viz_core.text.building import SPECIAL
from viz_core.training.prepare import prepare


class Lengths(NamedTuple):
    """The number of tokens per row, log-normal, fitted to the train splits under our tokenizers.

    mean, deviation: of the logarithm. least: shortest row; the longest is the task's maximum. vocabulary, rows: of the
    train split.
    """

    mean: float
    deviation: float
    least: int
    vocabulary: int
    rows: int


LENGTHS = {"imdb": Lengths(5.25, 0.65, 12, 29_115, 22_500), "afqmc": Lengths(3.34, 0.30, 13, 1_708, 30_885)}


class Corpus(NamedTuple):
    """real: False for synthetic rows."""

    examples: Examples
    vocabulary: int
    real: bool


def corpus(task: Task) -> Corpus:
    """The train split as the training reads it, or synthetic rows."""
    try:
        prepared = prepare(task, "full")
    except Failure as failure:
        if failure.message.key != "training.no_data":
            raise
        return Corpus(synthetic_examples(task), LENGTHS[task.name].vocabulary, real=False)
    return Corpus(prepared.train, prepared.text.vocabulary, real=True)


def synthetic_examples(task: Task) -> Examples:
    """Rows with lengths as in LENGTHS, tokens distributed by Zipf's law (frequency 1/rank) and random labels."""
    mean, deviation, least, vocabulary, rows = LENGTHS[task.name]
    random = np.random.default_rng(0)
    lengths = np.exp(random.normal(mean, deviation, rows)).round().clip(least, task.max_tokens).astype(int)
    shares = 1 / np.arange(1, vocabulary - len(SPECIAL) + 1)
    tokens = random.choice(len(shares), lengths.sum(), p=shares / shares.sum()) + len(SPECIAL)
    ids = np.split(tokens.astype(np.int32), np.cumsum(lengths)[:-1])
    segments = [(task.pair * 2 * np.arange(length) // length).astype(np.int8) for length in lengths]
    return Examples(ids, segments, random.integers(len(task.labels), size=rows))
