"""Importance of all heads, on the sample: what is kept is what was found, and no text of the corpus."""

from __future__ import annotations

import numpy as np
import pytest

from viz_core.analysis.importance import ablate_heads, predict_masked, taylor_scores
from viz_core.evidence import importance
from viz_core.evidence.evidence_input import load_evidence_input
from viz_core.evidence.importance import sample_rows
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.results import read_result, result_file


@pytest.fixture
def folder(sample_models):
    return sample_models["afqmc"]


def test_what_is_kept_is_what_was_found(folder):
    told = []
    compute_evidence(importance.NAME, "afqmc", "tiny", lambda *step: told.append(step))
    kept, data = importance.read(read_result(folder, importance.NAME)), load_evidence_input("afqmc", "tiny")
    found = ablate_heads(data.checkpoint, data.examples)
    assert told == [(step, told[0][1]) for step in range(told[0][1] + 1)]
    assert (kept.n, kept.rows, kept.data, kept.heads.n, kept.curve.n) == (len(data.frame),) * 2 + ("sample",) + (
        len(data.frame),
    ) * 2
    np.testing.assert_allclose(kept.heads.loss_change, found.loss, atol=1e-5)
    np.testing.assert_allclose(kept.heads.accuracy_interval, found.accuracy_interval, atol=1e-5)
    np.testing.assert_allclose(kept.heads.taylor, taylor_scores(data.checkpoint, data.examples), atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(kept.heads.taylor_per_layer, axis=1), 1, atol=1e-5)
    assert kept.curve.accuracy[0] == pytest.approx(found.whole.accuracy, abs=1e-5)
    layer, head = kept.heads.most_important
    assert found.loss[layer, head] == found.loss.max()
    texts = [text for column in ("text", "text_b") for text in data.frame[column]]
    written = result_file(folder, importance.NAME).read_text(encoding="utf-8")
    assert not any(text in written for text in texts)


def test_rows_are_those_on_which_a_head_matters_most(folder):
    compute_evidence(importance.NAME, "afqmc", "tiny", lambda *step: None)
    kept, data = importance.read(read_result(folder, importance.NAME)), load_evidence_input("afqmc", "tiny")
    masked = np.array([[False, True], [False, False]])
    whole, other = (predict_masked(data.checkpoint, data.examples, one) for one in (masked & False, masked))
    effects = other.log_probability - whole.log_probability
    first = kept.helped[0, 1][0]
    assert first.row == effects.argmin() and first.label == data.frame["label"][first.row]
    assert first.probability == pytest.approx(np.exp(whole.log_probability[first.row]), abs=1e-5)
    assert first.probability_without == pytest.approx(np.exp(other.log_probability[first.row]), abs=1e-5)
    assert (first.prediction, first.prediction_without) == (whole.predicted[first.row], other.predicted[first.row])
    assert kept.harmed[0, 1][0].row == effects.argmax()
    assert len(kept.helped[0, 1]) <= importance.EFFECT_ROWS and set(kept.helped) == set(np.ndindex(2, 2))


def test_a_long_split_is_sampled_always_alike():
    lengths = np.full(100, 10)
    assert sample_rows(lengths, 1000).tolist() == list(range(100))
    some = sample_rows(lengths, 500)
    assert len(some) == 50 == len(set(some)) and (np.diff(some) > 0).all()
    assert sample_rows(lengths, 500).tolist() == some.tolist() and len(sample_rows(lengths, 500, 20)) == 20
    assert len(sample_rows(lengths, 1)) == 1


@pytest.mark.parametrize("damaged", [None, {}, {"n": 3}, {"data": "full", "n": 1, "rows": 1, "taylor": "x"}])
def test_what_lacks_something_is_none(damaged):
    assert importance.read(damaged) is None
