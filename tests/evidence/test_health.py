"""A model examined on the sample: what is kept is what was found, and no text of the corpus."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

from viz_core.analysis.health import compute_health
from viz_core.analysis.verdicts import skill
from viz_core.evidence import health
from viz_core.evidence.evidence_input import load_evidence_input
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.requests import has_corpus
from viz_core.evidence.results import read_result, result_file
from viz_core.language import Translator
from viz_core.records import Metrics

ENGLISH = Translator("en")


@pytest.mark.parametrize("task", ["imdb", "afqmc"])
def test_what_is_kept_is_what_was_found(task, sample_models):
    folder = sample_models[task]
    told = []
    compute_evidence(health.NAME, task, "tiny", lambda *step: told.append(step))
    kept = health.read(read_result(folder, health.NAME))
    data = load_evidence_input(task, "tiny")
    found = compute_health(
        data.checkpoint,
        data.examples,
        data.frame["text"].tolist(),
        data.frame["text_b"].tolist() if task == "afqmc" else None,
    )
    assert kept.figures.confusion == found.figures.confusion and kept.predicted_shares == pytest.approx(
        found.predicted_shares
    )
    assert [asdict(one) for one in kept.slices] == [pytest.approx(asdict(one), abs=1e-6) for one in found.slices]
    for name, values in vars(found.calibration).items():
        np.testing.assert_allclose(getattr(kept.calibration, name), values, atol=1e-6)
    for name, values in found.heads.statistics.items():
        np.testing.assert_allclose(kept.heads.statistics[name], values, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(kept.heads.redundancy, found.heads.redundancy, rtol=1e-5, atol=1e-6)
    assert ENGLISH(skill(kept).verdict) == ENGLISH(skill(found).verdict) and told[-1][0] == told[-1][1]
    text = result_file(folder, health.NAME).read_text(encoding="utf-8")
    assert not any(
        one in text for column in ("text", "text_b") if column in data.frame for one in data.frame[column]
    )


@pytest.mark.parametrize("lost", ["figures", "calibration", "slices", "heads"])
def test_a_part_that_is_lost_is_as_if_nothing_was_kept(lost, sample_models):
    found = compute_evidence(health.NAME, "imdb", "tiny", lambda done, total: None)
    assert health.read(json.loads(json.dumps(found))) and health.read(None) is None
    assert health.read({name: one for name, one in found.items() if name != lost}) is None
    found["heads"]["statistics"].pop("entropy_cls")
    assert health.read(found) is None, "kept before that was measured"


def test_it_is_possible_where_the_corpus_is_at_hand(tmp_path, monkeypatch):
    assert (
        has_corpus("imdb", Metrics({"data": "sample"}))
        and not has_corpus("imdb", Metrics({"data": "full"}))
        and not has_corpus("afqmc", Metrics({}))
    )
    (tmp_path / "data" / "aclImdb").mkdir(parents=True)
    monkeypatch.setenv("VIZ_DATA_DIR", str(tmp_path / "data"))
    assert has_corpus("imdb", Metrics({}))
