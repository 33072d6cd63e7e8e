"""Made-up health records: of a model that has learned its task, and of a collapsed model."""

from dataclasses import replace

import numpy as np

from viz_core.analysis.evaluation.metrics import calibration
from viz_core.analysis.heads.profile import OF_PAIRS, STATISTICS
from viz_core.records import Figures, HeadProfile, Health, Slice


def slices(kind: str, *parts: tuple) -> tuple[Slice, ...]:
    return tuple(
        Slice(kind, begin, end, n, accuracy, accuracy - 0.03, accuracy + 0.03, baseline)
        for begin, end, n, accuracy, baseline in parts
    )


def heads(layers: int, count: int, pair: bool, **values: float) -> HeadProfile:
    """All heads with the same statistics, but a low redundancy."""
    defaults = dict.fromkeys(STATISTICS, 0.1) | {"entropy": 0.6, "entropy_cls": 0.6, "dependence": 0.3, "distance": 4.0}
    statistics = {
        name: np.full((layers, count), values.get(name, defaults[name]))
        for name in STATISTICS
        if pair or name not in OF_PAIRS
    }
    return HeadProfile(1000, statistics, 200, np.eye(layers * count) * 0.5 + 0.5)


def good_health(**changes) -> Health:
    """A calibrated review model with an accuracy of 90%."""
    confidence = np.array([0.9] * 80 + [0.7] * 20)
    labels = np.array([1] * 72 + [0] * 8 + [1] * 14 + [0] * 6)
    return replace(
        Health(
            ("negative", "positive"),
            False,
            Figures.from_dict(
                {
                    "n": 2500,
                    "accuracy": 0.9,
                    "auc": 0.95,
                    "mcc": 0.8,
                    "f1": [0.9, 0.9],
                    "confusion": [[1125, 125], [125, 1125]],
                    "majority_accuracy": 0.5,
                    "threshold": 0.5,
                    "ece": 0.02,
                    "ece_uncalibrated": 0.04,
                }
            ),
            (0.888, 0.911),
            (0.94, 0.96),
            (0.5, 0.5),
            (0.02, 0.98),
            calibration(np.stack([1 - confidence, confidence], axis=1), labels),
            slices("length", (26, 126, 497, 0.91, 0.48), (127, 512, 2003, 0.88, 0.51))
            + slices("negation", (0, 0, 244, 0.93, 0.3), (1, 2, 800, 0.9, 0.41), (6, None, 611, 0.86, 0.59)),
            heads(2, 4, pair=False),
        ),
        **changes,
    )


def collapsed_health(**changes) -> Health:
    """A pair model that always predicts “different” with 68%."""
    probabilities = np.tile([0.68, 0.32], (100, 1))
    return replace(
        Health(
            ("different", "same"),
            True,
            Figures.from_dict(
                {
                    "n": 3400,
                    "accuracy": 0.68,
                    "auc": 0.52,
                    "mcc": 0.0,
                    "f1": [0.81, 0.0],
                    "confusion": [[2312, 0], [1088, 0]],
                    "majority_accuracy": 0.68,
                    "threshold": 0.5,
                    "ece": 0.0,
                    "ece_uncalibrated": 0.03,
                }
            ),
            (0.664, 0.695),
            (0.503, 0.537),
            (1.0, 0.0),
            (0.319, 0.321),
            calibration(probabilities, np.array([0] * 68 + [1] * 32)),
            slices("length", (13, 24, 1700, 0.7, 0.7), (25, 64, 1700, 0.66, 0.66))
            + slices("overlap", (0.3, 0.4, 1900, 0.73, 0.73), (0.6, 1.0, 100, 0.6, 0.6)),
            heads(6, 8, pair=True, entropy=0.99, entropy_cls=0.99, dependence=0.0, other=0.44),
        ),
        **changes,
    )
