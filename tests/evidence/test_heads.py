"""The evidence on heads: stored without texts and read back, of classifiers and of translations."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.tiny_translation import save_translation
from viz_core import checkpoints
from viz_core.analysis.heads.survey import survey_heads
from viz_core.evidence import heads, survey_state
from viz_core.evidence.evidence_input import StopRequested, load_evidence_input
from viz_core.evidence.job import compute_evidence, measure
from viz_core.evidence.kinds import evidence_kind
from viz_core.evidence.requests import STATE
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


class TestResuming:
    @pytest.fixture(params=["imdb", pytest.param("afqmc", marks=pytest.mark.slow), "tatoeba"])
    def survey(self, request, sample_models, checkpoints_dir, tmp_path, monkeypatch):
        monkeypatch.setattr(heads, "ROWS", 12)
        task, file = request.param, tmp_path / STATE
        folder = sample_models[task] if task in sample_models else save_translation(checkpoints_dir)

        def survey(progress=no_progress) -> str:
            result = measure(heads.NAME, folder, task, progress, state=file)
            return json.dumps(result | {"seconds": 0})

        survey.file = file
        return survey

    def test_a_survey_that_was_stopped_goes_on_to_the_same_result(self, survey):
        whole = survey()
        assert not survey.file.exists(), "neither stopped nor due"
        reached = 0
        for stop in (0, 1, 7, 8, 12):
            assert (seen := stopped_at(survey, stop)) == [*range(reached, stop + 1)]
            reached = seen[-1]
        assert survey() == whole

    def test_a_survey_that_was_killed_goes_on_from_what_it_wrote_last(self, survey, monkeypatch):
        monkeypatch.setattr(survey_state, "EVERY", -1)
        whole, kept = survey(), {}

        def copy(done: int, total: int) -> None:
            kept[done] = survey.file.read_bytes() if survey.file.exists() else None

        survey.file.unlink()
        survey(copy)
        survey.file.write_bytes(kept[8])
        assert stopped_at(survey, 8) == [7, 8] and survey() == whole

    def test_a_state_that_is_damaged_or_of_another_survey_is_ignored(self, survey, monkeypatch):
        whole = survey()
        stopped_at(survey, 5)
        content, random = survey.file.read_bytes(), np.random.default_rng(0)
        flipped = [content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :] for at in random.choice(len(content), 3)]
        for damaged in (b"", b"x", content[: len(content) // 2], *flipped):
            survey.file.write_bytes(damaged)
            assert survey() == whole
        survey.file.write_bytes(content)
        monkeypatch.setattr(survey_state, "VERSION", 0)
        assert stopped_at(survey, 0) == [0]

    def test_of_the_rows_of_a_person_nothing_is_kept(self, sample_models, tmp_path):
        checkpoint = checkpoints.load_folder(sample_models["imdb"], "imdb")
        own = replace(
            checkpoint, task=replace(checkpoint.task, make_rows=lambda split: get_task("imdb").read(split, "sample"))
        )
        for each, keeps in ((checkpoint, True), (own, False)):
            compute = evidence_kind("imdb").prepare(heads.NAME, each, None, tmp_path / STATE)
            with pytest.raises(StopRequested):
                compute(stop_at(3))
            assert (tmp_path / STATE).exists() == keeps
            (tmp_path / STATE).unlink(missing_ok=True)

    def test_no_text_is_kept(self, sample_models, tmp_path):
        with pytest.raises(StopRequested):
            measure(heads.NAME, sample_models["afqmc"], "afqmc", stop_at(9), state=tmp_path / STATE)
        with np.load(tmp_path / STATE) as content:
            assert {content[name].dtype.kind for name in content.files} <= set("biuf")


def stop_at(stop: int, seen: list[int] | None = None):
    def progress(done: int, total: int) -> None:
        (seen if seen is not None else []).append(done)
        if done == stop:
            raise StopRequested

    return progress


def stopped_at(survey, stop: int) -> list[int]:
    """Stops a survey after so many inputs; what its progress was called with."""
    seen: list[int] = []
    with pytest.raises(StopRequested):
        survey(stop_at(stop, seen))
    return seen


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
