"""A made-up survey of heads, all like a uniform one until a test changes a mean."""

import numpy as np

from viz_core.records import DISTANCE_BINS, POSITIONS, CorpusStatistic, HeadSurvey, TokenPair

UNIFORM = {"entropy": 1.0, "dependence": 0.0, "distance": 8.0, "previous": 0.05, "self": 0.05, "same": 0.05}
SHUFFLED = ("same",)


def survey(layers: int = 2, heads: int = 2, kind="self", inputs: int = 500, **means: np.ndarray) -> HeadSurvey:
    """means: `(L, H)` by statistic, in place of those of a uniform head; 95% intervals reach 0.01 to both sides."""
    shape = layers, heads

    def statistic(name: str) -> CorpusStatistic:
        mean = np.asarray(means.get(name, np.full(shape, 0.8 if name == "entropy" else UNIFORM[name])), float)
        rows = np.arange(20).reshape(10, 2) + np.zeros((*shape, 1, 1), int)
        shuffled = np.full(shape, 0.1) if name in SHUFFLED else np.zeros(0)
        interval = np.stack([mean - 0.01, mean + 0.01], -1)
        return CorpusStatistic(inputs, mean, interval, UNIFORM[name], shuffled, rows, rows % 3 + 1)

    count = layers * heads
    divergence = np.abs(np.arange(count)[:, None] - np.arange(count)) / count
    distances = np.full((*shape, len(DISTANCE_BINS)), 1 / len(DISTANCE_BINS))
    pairs = ((TokenPair(5, 6, 40, 10.0), TokenPair(6, 5, 12, 4.0)),) + ((),) * (count - 1)
    statistics = {name: statistic(name) for name in UNIFORM}
    positions = np.full((*shape, POSITIONS + 1, POSITIONS + 1), 1 / (POSITIONS + 1))
    uniform = distances[0, 0].copy(), positions[0, 0].copy()
    return HeadSurvey(
        *(kind, inputs, 9 * inputs, statistics, divergence, 50, pairs), distances, uniform[0], positions, uniform[1]
    )
