"""The health of a model, compared with its parts."""

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
    assert health.calibration.count.sum() == 12
    kinds = ("length", "negation" if task == "imdb" else "overlap")
    for kind in kinds:
        parts = [part for part in health.slices if part.kind == kind]
        assert sum(part.n for part in parts) == 12
        assert sum(part.accuracy * part.n for part in parts) == pytest.approx(correct)
        assert sum(part.baseline * part.n for part in parts) == pytest.approx(8)
    assert {part.kind for part in health.slices} == set(kinds) and health.heads.rows == 12
    assert steps[-1] == (24, 24) and [done for done, _ in steps] == sorted({done for done, _ in steps})
