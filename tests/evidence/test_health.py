"""Health on the sample: the saved result reads back as the record and contains no text of the corpus."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from viz_core.analysis.evaluation.health import compute_health
from viz_core.analysis.verdicts.model import skill
from viz_core.evidence import health
from viz_core.evidence.evidence_input import load_evidence_input
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.requests import has_data
from viz_core.evidence.results import read_result, result_file
from viz_core.language import Translator
from viz_core.records import Metrics

ENGLISH = Translator("en")


@pytest.mark.parametrize("task", ["imdb", "afqmc"])
def test_the_saved_result_reads_back_as_the_record(task, sample_models):
    folder = sample_models[task]
    steps = []
    compute_evidence(health.NAME, task, "tiny", lambda *step: steps.append(step))
    saved = health.read(read_result(folder, health.NAME))
    data = load_evidence_input(task, "tiny")
    computed = compute_health(
        data.checkpoint,
        data.examples,
        data.frame["text"].tolist(),
        data.frame["text_b"].tolist() if task == "afqmc" else None,
    )
    assert saved.figures.confusion == computed.figures.confusion and saved.predicted_shares == pytest.approx(
        computed.predicted_shares
    )
    assert [asdict(part) for part in saved.slices] == [
        pytest.approx(asdict(part), abs=1e-6) for part in computed.slices
    ]
    for name, values in vars(computed.calibration).items():
        np.testing.assert_allclose(getattr(saved.calibration, name), values, atol=1e-6)
    for name, values in computed.heads.statistics.items():
        np.testing.assert_allclose(saved.heads.statistics[name], values, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(saved.heads.redundancy, computed.heads.redundancy, rtol=1e-5, atol=1e-6)
    for name in ("n", "accuracy", "mcc", "f1", "ece"):
        assert getattr(saved.cross_fitted, name) == pytest.approx(getattr(computed.cross_fitted, name), abs=1e-6)
    assert ENGLISH(skill(saved).verdict) == ENGLISH(skill(computed).verdict) and steps[-1][0] == steps[-1][1]
    content = result_file(folder, health.NAME).read_text(encoding="utf-8")
    assert not any(
        text in content for column in ("text", "text_b") if column in data.frame for text in data.frame[column]
    )


@pytest.mark.parametrize("missing", ["figures", "calibration", "slices", "heads"])
def test_a_result_with_a_missing_part_is_none(missing, sample_models):
    result = compute_evidence(health.NAME, "imdb", "tiny", lambda done, total: None)
    assert health.read(json.loads(json.dumps(result))) and health.read(None) is None
    assert health.read({name: value for name, value in result.items() if name != missing}) is None
    result["heads"]["statistics"].pop("entropy_cls")
    assert health.read(result) is None, "saved by an older version"


def test_a_result_of_an_earlier_version_has_no_cross_fitted_figures(sample_models):
    result = compute_evidence(health.NAME, "imdb", "tiny", lambda done, total: None)
    assert health.read(result).cross_fitted.n == result["n"]
    result.pop("cross_fitted")
    assert health.read(result).cross_fitted is None


def test_weights_on_punctuation_are_read_where_there_are_any(sample_models):
    result = compute_evidence(health.NAME, "imdb", "tiny", lambda done, total: None)
    statistics = result["heads"]["statistics"]
    assert "punctuation" not in statistics, "the tiny tokenizer has none; nor have files of earlier versions"
    assert "punctuation" not in health.read(result).heads.statistics
    statistics["punctuation"] = statistics["sep"]
    np.testing.assert_array_equal(health.read(result).heads.statistics["punctuation"], statistics["sep"])


def test_the_sample_is_always_available_and_a_corpus_only_if_downloaded(tmp_path, monkeypatch):
    assert (
        has_data("imdb", Metrics({"data": "sample"}))
        and not has_data("imdb", Metrics({"data": "full"}))
        and not has_data("afqmc", Metrics({}))
    )
    (tmp_path / "data" / "aclImdb").mkdir(parents=True)
    monkeypatch.setenv("VIZ_DATA_DIR", str(tmp_path / "data"))
    assert has_data("imdb", Metrics({}))
