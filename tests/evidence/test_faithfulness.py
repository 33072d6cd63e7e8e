"""Over the sample corpus with an untrained model: what it keeps, and that it comes back as records."""

from __future__ import annotations

import json

import numpy as np
import pytest

from viz_core.analysis.attribution import METHODS
from viz_core.evidence import faithfulness
from viz_core.evidence.evidence_input import load_evidence_input
from viz_core.evidence.faithfulness import compute, read
from viz_core.evidence.results import read_result, write_result


@pytest.fixture(params=["imdb", "afqmc"])
def folder(request, sample_models, monkeypatch):
    """The folder of a tiny model; five inputs are enough."""
    monkeypatch.setattr(faithfulness, "INPUTS", 5)
    return sample_models[request.param]


def test_what_it_keeps_comes_back_and_is_the_same_again(folder):
    data, told = load_evidence_input(folder.parent.name, "tiny"), []
    found = compute(data, lambda done, total: told.append((done, total)))
    assert told == [(done, 5) for done in range(6)] and found == compute(data, lambda done, total: None)
    assert (
        found["n"] == 5
        and len(set(found["inputs"])) == 5
        and max(found["inputs"]) < found["rows"] == len(data.frame)
    )
    write_result(folder, "faithfulness", {"data": data.source, **found})
    kept = read(read_result(folder, "faithfulness"))
    assert [one.measure for one in kept.measures] == ["comprehensiveness", "sufficiency"] and kept.data == "sample"
    for one in kept.measures:
        assert one.methods == METHODS and one.count == 5
        assert (one.low <= one.values).all() and (one.values <= one.high).all()
        assert one.control[1] <= one.control[0] <= one.control[2]
    assert kept.agreement.tau.shape == (5, 5) and np.diag(kept.agreement.tau) == pytest.approx(1)
    assert kept.agreement.count == 5 and 0 <= kept.unfinished <= 1


def test_no_text_of_the_corpus_is_kept(folder):
    data = load_evidence_input(folder.parent.name, "tiny")
    kept = json.dumps(compute(data, lambda done, total: None), ensure_ascii=False)
    assert not any(text[:12] in kept for text in data.checkpoint.task.texts(data.frame))


@pytest.mark.parametrize("found", [None, {}, {"methods": []}, {"methods": ["rollout"], "measures": {}}])
def test_what_lacks_something_is_none(found):
    assert read(found) is None
