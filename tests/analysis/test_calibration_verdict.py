"""What is said of a model's calibration: every sentence with its values, and when it is said."""

from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.fake_health import good_health
from viz_core.analysis.evaluation.metrics import calibration, expected_calibration_error
from viz_core.analysis.verdicts.model import calibration_remark
from viz_core.language import has_sentence
from viz_core.records import Figures, Health

AUCS = {True: (0.95, (0.94, 0.96)), False: (0.52, (0.48, 0.56))}


def health_of(skilled: bool, *bins: tuple[float, int, int]) -> Health:
    """A health with bins of (confidence, inputs, correct predictions)."""
    confidence = np.concatenate([np.full(count, value) for value, count, _ in bins])
    labels = np.concatenate([[1] * correct + [0] * (count - correct) for _, count, correct in bins])
    probabilities = np.stack([1 - confidence, confidence], axis=1)
    auc, interval = AUCS[skilled]
    health = good_health(
        auc_interval=interval,
        calibration=calibration(probabilities, labels),
        cross_fitted=Figures(n=len(labels), ece=expected_calibration_error(probabilities, labels)),
    )
    return replace(health, figures=replace(health.figures, auc=auc))


@pytest.mark.parametrize(
    ("sentence", "health", "ece", "confidence", "accuracy"),
    [
        ("good", health_of(True, (0.9, 500, 450), (0.7, 500, 360)), 0.01, 0.8, 0.81),
        ("good", health_of(True, (0.97, 1000, 970)), 0.0, 0.97, 0.97),  # one bin alone is no collapsed model
        ("one", health_of(False, (0.68, 1000, 680)), 0.0, 0.68, 0.68),
        ("chance", health_of(False, (0.7, 500, 350), (0.6, 500, 290)), 0.01, 0.65, 0.64),
        ("over", health_of(False, (0.52, 1000, 350)), 0.17, 0.52, 0.35),  # random weights, all in one bin
        ("over", health_of(True, (0.9, 500, 400), (0.7, 500, 300)), 0.1, 0.8, 0.7),
        ("under", health_of(True, (0.7, 1000, 900)), 0.2, 0.7, 0.9),
        ("mixed", health_of(True, (0.9, 500, 400), (0.7, 500, 400)), 0.1, 0.8, 0.8),
    ],
)
def test_every_sentence_and_its_values(sentence, health, ece, confidence, accuracy):
    remark = calibration_remark(health)
    assert remark.key == f"health.calibration_{sentence}" and has_sentence(remark)
    values = {"ece": ece, "points": 100 * ece, "confidence": confidence, "accuracy": accuracy, "n": 1000}
    assert remark.values == pytest.approx(values, abs=1e-9)


def test_nothing_is_said_without_a_measurement_or_with_too_few_inputs():
    good = health_of(True, (0.9, 500, 450), (0.7, 500, 360))
    assert calibration_remark(replace(good, cross_fitted=None)) is None, "in a file of an earlier version"
    assert calibration_remark(replace(good, auc_interval=(0.4, 1.0))) is None, "too few inputs to tell anything"
