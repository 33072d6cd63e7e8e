"""The health of a model, compared with its parts."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.special import softmax

from tests.tiny import QUESTIONS, REVIEWS, save_checkpoint
from viz_core import checkpoints
from viz_core.analysis.evaluation.health import _auc_interval, compute_health
from viz_core.analysis.evaluation.metrics import calibration, cross_fit, cross_fitted_figures, metrics
from viz_core.records import Examples, Failure, Message
from viz_core.statistics.intervals import auc_interval, wilson


@pytest.mark.parametrize("task", ["imdb", "afqmc"])
def test_health_of_a_tiny_model(task, tmp_path):
    save_checkpoint(tmp_path, task)
    checkpoint = checkpoints.load(task, "tiny", tmp_path)
    texts = (REVIEWS * 4) if task == "imdb" else (QUESTIONS * 4)
    texts_b = None if task == "imdb" else QUESTIONS[::-1] * 4
    labels, steps = np.array([0, 1, 1] * 4), []
    ids, segments = checkpoint.text_encoder.ids(texts, texts_b)
    examples = Examples(ids, segments, labels)
    health = compute_health(checkpoint, examples, texts, texts_b, lambda *step: steps.append(step))

    settings, scores = checkpoint.settings, checkpoint.logits(examples)
    positive = softmax(scores / settings.temperature, axis=1)[:, 1]
    correct = int(((positive >= settings.threshold) == labels).sum())
    assert health.figures == metrics(scores, labels, settings.temperature, settings.threshold)
    assert (health.labels, health.pair, health.accuracy_interval) == (
        checkpoint.task.labels,
        task == "afqmc",
        wilson(correct, 12),
    )
    assert health.auc_interval == auc_interval(health.figures.auc, 8, 4)
    assert health.predicted_shares == pytest.approx(
        ((positive < settings.threshold).mean(), (positive >= settings.threshold).mean())
    )
    assert health.spread == pytest.approx(np.quantile(positive, (0.05, 0.95)), abs=1e-5)
    assert health.calibration.count.sum() == health.cross_fitted.n == 12
    kinds = ("length", "negation" if task == "imdb" else "overlap")
    for kind in kinds:
        parts = [part for part in health.slices if part.kind == kind]
        assert sum(part.n for part in parts) == 12
        assert sum(part.accuracy * part.n for part in parts) == pytest.approx(correct)
        assert sum(part.baseline * part.n for part in parts) == pytest.approx(8)
    assert {part.kind for part in health.slices} == set(kinds) and health.heads.rows == 12
    assert steps[-1] == (24, 24) and [done for done, _ in steps] == sorted({done for done, _ in steps})


def reviews(checkpoint, labels: list[int]) -> tuple[Examples, list[str]]:
    texts = REVIEWS * (len(labels) // len(REVIEWS))
    ids, segments = checkpoint.text_encoder.ids(texts)
    return Examples(ids, segments, np.array(labels)), texts


def test_a_fitted_temperature_is_judged_on_inputs_that_did_not_fit_it(tmp_path):
    save_checkpoint(tmp_path, "imdb")
    checkpoint = checkpoints.load("imdb", "tiny", tmp_path)
    fitted = replace(checkpoint, settings=replace(checkpoint.settings, temperature=0.5, threshold=0.3))
    examples, texts = reviews(checkpoint, [0, 1, 1] * 4)
    health = compute_health(fitted, examples, texts)
    probabilities, predicted = cross_fit(fitted.logits(examples), examples.labels, 0.5, 0.3)
    assert health.cross_fitted == cross_fitted_figures(probabilities, predicted, examples.labels)
    curve = calibration(probabilities, examples.labels)
    for name, values in vars(curve).items():
        np.testing.assert_array_equal(getattr(health.calibration, name), values)


def test_weights_that_are_no_numbers_are_a_failure_with_a_sentence(tmp_path):
    save_checkpoint(tmp_path, "imdb")
    checkpoint = checkpoints.load("imdb", "tiny", tmp_path)
    with torch.no_grad():
        next(checkpoint.model.parameters()).fill_(torch.nan)
    examples, texts = reviews(checkpoint, [0, 1, 1] * 4)
    with pytest.raises(Failure) as error:
        compute_health(checkpoint, examples, texts)
    assert error.value.message == Message("analysis.not_finite", {"invalid": 12, "n": 12})


def test_labels_of_one_class_are_a_failure_with_a_sentence(tmp_path):
    save_checkpoint(tmp_path, "imdb")
    checkpoint = checkpoints.load("imdb", "tiny", tmp_path)
    examples, texts = reviews(checkpoint, [0] * 12)
    with pytest.raises(Failure) as error:
        compute_health(checkpoint, examples, texts)
    assert error.value.message == Message("analysis.one_class", {"n": 12, "label": 0})


def test_the_interval_of_three_classes_is_the_mean_of_the_one_vs_rest_intervals():
    """Perfect one-vs-rest areas on 2, 2 and 4 inputs: the width is not 0, as resampling would have it."""
    labels = np.array([0, 0, 1, 1, 2, 2, 2, 2])
    low, high = _auc_interval(np.eye(3)[labels], labels, 1.0)
    assert (low, high) == pytest.approx(((2 * auc_interval(1.0, 2, 6)[0] + auc_interval(1.0, 4, 4)[0]) / 3, 1.0))
