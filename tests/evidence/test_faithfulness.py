"""Faithfulness over the sample corpus with an untrained model: the saved result and its records."""

import json

import numpy as np
import pytest

from viz_core.analysis.attribution.methods import METHODS
from viz_core.evidence import faithfulness
from viz_core.evidence.evidence_input import load_evidence_input
from viz_core.evidence.faithfulness import compute, read
from viz_core.evidence.results import read_result, six_digits, write_result


@pytest.fixture(params=["imdb", "afqmc"])
def folder(request, sample_models, monkeypatch):
    """The folder of a tiny model; five inputs are enough."""
    monkeypatch.setattr(faithfulness, "INPUTS", 5)
    return sample_models[request.param]


def test_the_saved_result_is_reproducible_and_reads_back_as_records(folder):
    data, steps = load_evidence_input(folder.parent.name, "tiny"), []
    result = six_digits(compute(data, lambda done, total: steps.append((done, total))))
    assert steps == [(done, 5) for done in range(6)] and result == six_digits(compute(data, lambda done, total: None))
    assert (
        result["n"] == 5
        and len(set(result["inputs"])) == 5
        and max(result["inputs"]) < result["rows"] == len(data.frame)
    )
    assert result["seed"] == 0
    write_result(folder, "faithfulness", {"data": data.source, **result})
    evidence = read(read_result(folder, "faithfulness"))
    assert [measure.measure for measure in evidence.measures] == [
        "comprehensiveness",
        "sufficiency",
    ] and evidence.data == "sample"
    for measure in evidence.measures:
        assert measure.methods == METHODS and measure.count == 5
        assert (measure.low <= measure.values).all() and (measure.values <= measure.high).all()
        assert measure.control[1] <= measure.control[0] <= measure.control[2]
    assert evidence.agreement.tau.shape == (5, 5) and np.diag(evidence.agreement.tau) == pytest.approx(1)
    assert evidence.agreement.count == 5 and 0 <= evidence.unfinished <= 1


def test_no_text_of_the_corpus_is_saved(folder):
    data = load_evidence_input(folder.parent.name, "tiny")
    saved = json.dumps(six_digits(compute(data, lambda done, total: None)), ensure_ascii=False)
    assert not any(text[:12] in saved for text in data.checkpoint.task.texts(data.frame))


@pytest.mark.parametrize("result", [None, {}, {"methods": []}, {"methods": ["rollout"], "measures": {}}])
def test_an_incomplete_result_is_none(result):
    assert read(result) is None
