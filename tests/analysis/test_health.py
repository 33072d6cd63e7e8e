"""The health of a model from its examples: every part is that of the model."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from tests.tiny import QUESTIONS, REVIEWS, save_checkpoint
from viz_core import checkpoints
from viz_core.analysis.evaluation import metrics
from viz_core.analysis.health import compute_health
from viz_core.records import Examples
from viz_core.statistics.intervals import auc_interval, wilson


@pytest.mark.parametrize("task", ["imdb", "afqmc"])
def test_health_of_a_tiny_model(task, tmp_path):
    save_checkpoint(tmp_path, task)
    checkpoint = checkpoints.load(task, "tiny", tmp_path)
    texts = (REVIEWS * 4) if task == "imdb" else (QUESTIONS * 4)
    texts_b = None if task == "imdb" else QUESTIONS[::-1] * 4
    labels, told = np.array([0, 1, 1] * 4), []
    ids, segments = checkpoint.text_encoder.ids(texts, texts_b)
    examples = Examples(ids, segments, labels)
    found = compute_health(checkpoint, examples, texts, texts_b, lambda *step: told.append(step))

    settings, scores = checkpoint.settings, checkpoint.logits(examples)
    positive = softmax(scores / settings.temperature, axis=1)[:, 1]
    right = int(((positive >= settings.threshold) == labels).sum())
    assert found.figures == metrics(scores, labels, settings.temperature, settings.threshold)
    assert (found.labels, found.pair, found.accuracy_interval) == (
        checkpoint.task.labels,
        task == "afqmc",
        wilson(right, 12),
    )
    assert found.auc_interval == auc_interval(found.figures.auc, 8, 4)
    assert found.predicted_shares == pytest.approx(
        ((positive < settings.threshold).mean(), (positive >= settings.threshold).mean())
    )
    assert found.spread == pytest.approx(np.quantile(positive, (0.05, 0.95)), abs=1e-5)
    assert found.calibration.count.sum() == 12
    kinds = ("length", "negation" if task == "imdb" else "overlap")
    for kind in kinds:
        parts = [one for one in found.slices if one.kind == kind]
        assert sum(one.n for one in parts) == 12
        assert sum(one.accuracy * one.n for one in parts) == pytest.approx(right)
        assert sum(one.baseline * one.n for one in parts) == pytest.approx(8)
    assert {one.kind for one in found.slices} == set(kinds) and found.heads.rows == 12
    assert told[-1] == (24, 24) and [done for done, _ in told] == sorted({done for done, _ in told})
