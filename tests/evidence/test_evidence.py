"""A pass as a job: what it keeps, for which weights that counts, how it is asked for, stopped and fails."""

from __future__ import annotations

import pytest

from tests.jobs.programs import failure_of
from viz_core.evidence import job
from viz_core.evidence.evidence_input import load_evidence_input
from viz_core.evidence.requests import latest_run, request_evidence
from viz_core.evidence.results import read_result, result_file, write_result
from viz_core.jobs import runs
from viz_core.jobs.state import STOP
from viz_core.records import Metrics


def test_a_result_counts_for_its_weights_and_no_others(checkpoints_dir):
    folder = checkpoints_dir / "imdb" / "tiny"
    assert read_result(folder, "length") is None
    write_result(folder, "length", {"mean": 7.5})
    assert read_result(folder, "length")["mean"] == 7.5
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes() + b" ")
    assert read_result(folder, "length") is None


@pytest.mark.parametrize("damaged", ["", "[1]", '{"mean": 7.5}', "{"])
def test_a_damaged_result_is_none(checkpoints_dir, damaged):
    folder = checkpoints_dir / "imdb" / "tiny"
    write_result(folder, "length", {})
    result_file(folder, "length").write_text(damaged, encoding="utf-8")
    assert read_result(folder, "length") is None


def test_a_subject_is_the_validation_split_of_what_the_model_was_trained_on(sample_models):
    data = load_evidence_input("imdb", "tiny")
    assert (data.source, len(data.frame), len(data.examples)) == ("sample", 48, 48)
    assert data.examples.labels.tolist() == data.frame["label"].tolist()


def test_without_the_corpus_a_subject_is_refused(checkpoints_dir):
    assert Metrics({}).training_data == "full"
    assert failure_of(lambda: load_evidence_input("imdb", "tiny")).key == "datasets.missing"


def test_a_pass_keeps_what_it_found_and_says_how_far_it_is(root, sample_models, monkeypatch):
    def lengths(data, progress):
        progress(40, 80)
        return {"mean": float(data.examples.lengths.mean())}

    monkeypatch.setitem(job.KINDS, "length", lengths)
    asked = request_evidence("length", "imdb", "tiny", "anna")
    assert request_evidence("length", "imdb", "tiny", "berta").id == asked.id == latest_run("length", "imdb", "tiny").id
    job.main(asked.path)
    run = runs.read(asked.id)
    now = run.status
    assert (now.state, now.step, now.total, run.name) == ("finished", 40, 80, "imdb/tiny: length")
    found = read_result(sample_models["imdb"], "length")
    assert (found["split"], found["data"], found["n"]) == ("validation", "sample", 48) and 1 < found["mean"] <= 16
    assert request_evidence("length", "imdb", "tiny", "anna").id != asked.id  # it is over: somebody wants it anew


def test_a_pass_that_is_asked_to_stop_keeps_nothing(root, sample_models, monkeypatch):
    def endless(data, progress):
        while True:
            progress(1, 80)

    monkeypatch.setitem(job.KINDS, "endless", endless)
    asked = request_evidence("endless", "imdb", "tiny", "anna")
    (asked.path / STOP).touch()
    job.main(asked.path)
    assert runs.read(asked.id).status.state == "stopped" and read_result(sample_models["imdb"], "endless") is None


def test_an_unknown_pass_fails_in_words(root, sample_models):
    asked = request_evidence("astrology", "imdb", "tiny", "anna")
    with pytest.raises(Exception, match="astrology"):
        job.main(asked.path)
    run = runs.read(asked.id)
    assert (run.status.state, run.status.message.key) == ("failed", "evidence.unknown")
