"""Head importance on the sample: the saved result reads back and contains no text of the corpus."""

import numpy as np
import pytest

from viz_core.analysis.heads.importance import ablate_heads, predict_masked, taylor_scores
from viz_core.evidence import importance
from viz_core.evidence.evidence_input import load_evidence_input
from viz_core.evidence.importance import sample_rows
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.results import read_result, result_file


@pytest.fixture
def folder(sample_models):
    return sample_models["afqmc"]


def test_the_saved_result_reads_back_as_computed(folder):
    steps = []
    compute_evidence(importance.NAME, "afqmc", "tiny", lambda *step: steps.append(step))
    saved, data = importance.read(read_result(folder, importance.NAME)), load_evidence_input("afqmc", "tiny")
    ablation = ablate_heads(data.checkpoint, data.examples)
    assert steps == [(step, steps[0][1]) for step in range(steps[0][1] + 1)]
    assert (saved.n, saved.rows, saved.data, saved.heads.n, saved.curve.n) == (len(data.frame),) * 2 + ("sample",) + (
        len(data.frame),
    ) * 2
    np.testing.assert_allclose(saved.heads.loss_change, ablation.loss, atol=1e-5)
    np.testing.assert_allclose(saved.heads.accuracy_interval, ablation.accuracy_interval, atol=1e-5)
    np.testing.assert_allclose(saved.heads.taylor, taylor_scores(data.checkpoint, data.examples), atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(saved.heads.taylor_per_layer, axis=1), 1, atol=1e-5)
    assert saved.curve.accuracy[0] == pytest.approx(ablation.whole.accuracy, abs=1e-5)
    layer, head = saved.heads.most_important
    assert ablation.loss[layer, head] == ablation.loss.max()
    assert (np.diff(saved.curve.masked) > 0).all() and isinstance(saved.curve.accuracy, np.ndarray)
    texts = [text for column in ("text", "text_b") for text in data.frame[column]]
    content = result_file(folder, importance.NAME).read_text(encoding="utf-8")
    assert not any(text in content for text in texts)


def test_saved_rows_are_those_with_the_strongest_effects(folder):
    compute_evidence(importance.NAME, "afqmc", "tiny", lambda *step: None)
    saved, data = importance.read(read_result(folder, importance.NAME)), load_evidence_input("afqmc", "tiny")
    masked = np.array([[False, True], [False, False]])
    whole, ablated = (predict_masked(data.checkpoint, data.examples, heads) for heads in (masked & False, masked))
    effects = ablated.log_probability - whole.log_probability
    first = saved.helped[0, 1][0]
    assert first.row == effects.argmin() and first.label == data.frame["label"][first.row]
    assert first.probability == pytest.approx(np.exp(whole.log_probability[first.row]), abs=1e-5)
    assert first.probability_without == pytest.approx(np.exp(ablated.log_probability[first.row]), abs=1e-5)
    assert (first.prediction, first.prediction_without) == (whole.predicted[first.row], ablated.predicted[first.row])
    assert saved.harmed[0, 1][0].row == effects.argmax()
    assert len(saved.helped[0, 1]) <= importance.EFFECT_ROWS and set(saved.helped) == set(np.ndindex(2, 2))


def test_a_sample_of_the_split_keeps_its_row_numbers(folder):
    whole, some = (load_evidence_input("afqmc", "tiny", rows) for rows in (None, 5))
    assert len(some.examples) == 5 and some.split_rows == len(whole.frame) > 5
    assert (some.frame["text"] == whole.frame["text"][some.row_numbers]).all()
    compute_evidence(importance.NAME, "afqmc", "tiny", lambda *step: None, rows=5)
    saved = importance.read(read_result(folder, importance.NAME))
    assert (saved.n, saved.curve.n, saved.rows) == (5, 5, len(whole.frame))
    assert {effect.row for effect in saved.helped[0, 0] + saved.harmed[0, 0]} <= set(some.row_numbers)


def test_a_large_split_is_sampled_reproducibly():
    lengths = np.full(100, 10)
    assert sample_rows(lengths, 1000).tolist() == list(range(100))
    sample = sample_rows(lengths, 500)
    assert len(sample) == 50 == len(set(sample)) and (np.diff(sample) > 0).all()
    assert sample_rows(lengths, 500).tolist() == sample.tolist() and len(sample_rows(lengths, 500, 20)) == 20
    assert len(sample_rows(lengths, 1)) == 1


def test_a_result_of_a_sample_names_its_size(folder, monkeypatch):
    data = load_evidence_input("afqmc", "tiny")
    monkeypatch.setattr(importance, "MAX_TOKENS", int(data.examples.lengths.mean() * 9.5))
    result = compute_evidence(importance.NAME, "afqmc", "tiny", lambda *step: None)
    assert (result["n"], result["rows"]) == (9, len(data.frame))


@pytest.mark.parametrize("damaged", [None, {}, {"n": 3}, {"data": "full", "n": 1, "rows": 1, "taylor": "x"}])
def test_an_incomplete_result_is_none(damaged):
    assert importance.read(damaged) is None
