"""The evidence on heads: stored without texts and read back, of classifiers and of translations."""

import json

import numpy as np
import pytest

from tests.tiny_translation import save_translation
from viz_core import checkpoints
from viz_core.analysis.heads.survey import survey_heads
from viz_core.evidence import heads
from viz_core.evidence.evidence_input import StopRequested, load_evidence_input
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.results import read_result
from viz_core.tasks import get_task


def no_progress(done: int, total: int) -> None:
    pass


@pytest.mark.parametrize("task", ["imdb", "afqmc"])
def test_the_stored_result_reads_back_as_the_record(sample_models, task):
    compute_evidence(heads.NAME, task, "tiny", no_progress)
    result = read_result(sample_models[task], heads.NAME)
    assert (result["split"], result["data"], result["n"], result["rows"]) == ("validation", "sample", 48, 48)
    (saved,) = heads.read(result)
    data = load_evidence_input(task, "tiny")
    order = [int(row) for row in np.random.default_rng(0).permutation(48)]
    (survey,) = survey_heads(data.checkpoint, [data.texts(row) for row in order], order)
    assert (saved.kind, saved.inputs, saved.tokens, saved.shape) == (survey.kind, 48, survey.tokens, survey.shape)
    assert saved.statistics.keys() == survey.statistics.keys()
    for name, statistic in survey.statistics.items():
        np.testing.assert_allclose(saved.statistics[name].mean, statistic.mean, atol=1e-3)
        assert saved.statistics[name].passages(1, 1, 9) == statistic.passages(1, 1, 9)
    np.testing.assert_allclose(saved.divergence, survey.divergence, atol=1e-3)
    for stored, pairs in zip(saved.pairs, survey.pairs, strict=True):
        assert [(pair.query, pair.key, pair.count) for pair in stored] == [
            (pair.query, pair.key, pair.count) for pair in pairs
        ]


def test_a_translation_is_read_on_the_sample_where_the_corpus_is_missing(checkpoints_dir):
    folder = save_translation(checkpoints_dir, data="full")
    result = compute_evidence(heads.NAME, "tatoeba", "tiny", no_progress)
    assert (result["data"], result["n"]) == ("sample", len(get_task("tatoeba").read("validation", "sample")))
    assert [survey.kind for survey in heads.read(read_result(folder, heads.NAME))] == ["self", "causal", "cross"]


def test_a_survey_of_an_earlier_version_has_no_positions(sample_models):
    compute_evidence(heads.NAME, "afqmc", "tiny", no_progress)
    result = read_result(sample_models["afqmc"], heads.NAME)
    (saved,) = heads.read(result)
    np.testing.assert_allclose(saved.positions.sum(-1)[..., 0], 1, atol=0.01)
    for survey in result["surveys"]:
        del survey["positions"], survey["uniform_positions"]
    (earlier,) = heads.read(result)
    assert not earlier.positions.size and earlier.inputs == saved.inputs


def test_no_text_is_stored(sample_models):
    compute_evidence(heads.NAME, "afqmc", "tiny", no_progress)
    stored = json.dumps(read_result(sample_models["afqmc"], heads.NAME), ensure_ascii=False)
    assert not [character for character in stored if "\u4e00" <= character <= "\u9fff"]


def test_a_sample_of_the_rows_keeps_their_numbers(sample_models):
    result = compute_evidence(heads.NAME, "imdb", "tiny", no_progress, rows=12)
    (saved,) = heads.read(result)
    assert (result["n"], result["rows"], saved.inputs) == (12, 48, 12)
    rows = {row for decile in range(10) for row, _ in saved.statistics["self"].passages(0, 0, decile)}
    assert len(rows) == 12 and rows <= set(range(48)) and max(rows) >= 12


def test_it_stops_when_asked_to_and_stores_nothing(sample_models):
    def stop(done: int, total: int) -> None:
        raise StopRequested

    with pytest.raises(StopRequested):
        compute_evidence(heads.NAME, "imdb", "tiny", stop)
    assert read_result(sample_models["imdb"], heads.NAME) is None


@pytest.mark.parametrize("missing", ["surveys", "pairs", "divergence", "statistics", "distances"])
def test_a_result_that_is_incomplete_is_none(sample_models, missing):
    result = json.loads(json.dumps(compute_evidence(heads.NAME, "imdb", "tiny", no_progress, rows=4)))
    assert heads.read(result) and heads.read(None) is None
    (result if missing in result else result["surveys"][0]).pop(missing)
    assert heads.read(result) is None


def test_a_model_without_attention_is_refused(checkpoints_dir):
    from tests.tiny import save_bag
    from viz_core.records import Failure

    folder = save_bag(checkpoints_dir, "bag", 0)
    (folder / "metrics.json").write_text('{"data": "sample"}', encoding="utf-8")
    with pytest.raises(Failure, match="checkpoints.no_attention"):
        compute_evidence(heads.NAME, "imdb", "bag", no_progress)
    assert checkpoints.find("imdb", "bag")
