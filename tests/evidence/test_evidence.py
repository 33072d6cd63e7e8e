"""Evidence as a job: its result, the weights for which it is valid, how it is requested, stopped and fails."""

import os
import shutil
from types import SimpleNamespace

import pytest
from safetensors.torch import load_file, save_file

from tests.jobs.programs import failure_of
from viz_core import checkpoints
from viz_core.datasets.sample import read_sample
from viz_core.evidence import faithfulness, heads, importance, job
from viz_core.evidence.evidence_input import StopRequested, load_evidence_input
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.kinds import evidence_kind
from viz_core.evidence.requests import STATE, can_go_on, latest_run, request_evidence, request_first_evidence
from viz_core.evidence.results import read_result, result_file, write_result
from viz_core.jobs import runs
from viz_core.jobs.main import carry_out
from viz_core.jobs.stop_requests import STOP
from viz_core.records import Metrics
from viz_core.tasks import Task, get_task


def test_a_result_is_only_valid_for_its_weights(checkpoints_dir):
    folder = checkpoints_dir / "imdb" / "tiny"
    assert read_result(folder, "length") is None
    write_result(folder, "length", {"mean": 6.5})
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


def test_the_input_is_the_validation_split_of_the_training_corpus(sample_models):
    data = load_evidence_input("imdb", "tiny")
    assert (data.source, len(data.frame), len(data.examples)) == ("sample", 48, 48)
    assert data.examples.labels.tolist() == data.frame["label"].tolist()


def test_without_the_corpus_there_is_no_input(checkpoints_dir):
    assert Metrics({}).training_data == "full"
    assert failure_of(lambda: load_evidence_input("imdb", "tiny")).key == "datasets.missing"


def test_a_job_saves_its_result_and_reports_progress(root, sample_models, monkeypatch):
    def lengths(data, progress):
        progress(40, 80)
        return {"mean": float(data.examples.lengths.mean())}

    monkeypatch.setitem(evidence_kind("imdb").compute, "length", lengths)
    requested = request_evidence("length", "imdb", "tiny", "anna")
    assert (
        request_evidence("length", "imdb", "tiny", "berta").id
        == requested.id
        == latest_run("length", "imdb", "tiny").id
    )
    carry_out(requested.path)
    run = runs.read(requested.id)
    status = run.status
    assert (status.state, status.step, status.total, run.name) == ("finished", 40, 80, "imdb/tiny: length")
    result = read_result(sample_models["imdb"], "length")
    assert (result["split"], result["data"], result["n"]) == ("validation", "sample", 48) and 1 < result["mean"] <= 16
    assert request_evidence("length", "imdb", "tiny", "anna").id != requested.id  # the first run is over


def test_a_survey_that_was_stopped_goes_on_where_its_owner_asks_for_it_again(root, sample_models, monkeypatch):
    monkeypatch.setattr(heads, "ROWS", 4)
    steps = []

    def stop(done, total):
        if done == 3:
            raise StopRequested

    requested = request_evidence(heads.NAME, "imdb", "tiny", "anna")
    with monkeypatch.context() as patched:
        patched.setattr(job, "report_progress", lambda reporter: stop)
        carry_out(requested.path)
    stopped = runs.read(requested.id)
    assert stopped.status.state == "stopped" and (stopped.path / STATE).exists()
    assert can_go_on(stopped, "anna") and not can_go_on(stopped, "berta")
    resumed = request_evidence(heads.NAME, "imdb", "tiny", "anna")
    assert (resumed.id, resumed.status.state) == (requested.id, "queued")
    monkeypatch.setattr(job, "report_progress", lambda reporter: lambda done, total: steps.append(done))
    carry_out(requested.path)
    assert steps == [3, 4] and runs.read(requested.id).status.state == "finished"
    assert not (requested.path / STATE).exists() and read_result(sample_models["imdb"], heads.NAME)["n"] == 4


def test_a_result_has_the_seconds_that_it_took_to_a_tenth(sample_models, monkeypatch):
    monkeypatch.setitem(evidence_kind("imdb").compute, "length", lambda data, progress: {})
    times = iter([10.0, 12.345])
    monkeypatch.setattr(job, "time", SimpleNamespace(monotonic=lambda: next(times)))
    assert compute_evidence("length", "imdb", "tiny", lambda done, total: None)["seconds"] == 2.3


def test_a_result_that_cannot_be_written_is_a_failure_with_its_folder(sample_models, monkeypatch):
    monkeypatch.setitem(evidence_kind("imdb").compute, "length", lambda data, progress: {})
    (sample_models["imdb"] / "evidence").write_text("a file where the folder should be", encoding="utf-8")
    message = failure_of(lambda: compute_evidence("length", "imdb", "tiny", lambda done, total: None))
    assert message.key == "evidence.not_saved"
    assert message.values == {"folder": str(sample_models["imdb"]), "reason": "File exists"}


def test_a_job_runs_on_the_cpu_before_its_number_of_steps_is_known(root, sample_models, monkeypatch):
    monkeypatch.setitem(evidence_kind("imdb").compute, "length", lambda data, progress: {})
    requested = request_evidence("length", "imdb", "tiny", "anna")
    carry_out(requested.path)
    status = runs.read(requested.id).status
    assert (status.state, status.device, status.total) == ("finished", "cpu", 0)


@pytest.mark.parametrize("first, left", [(0, 30.0), (40, 10.0)])
def test_the_time_left_is_that_of_the_remaining_steps_at_the_same_speed(monkeypatch, first, left):
    """20 of 80 steps after 10 seconds: 60 more take 30 seconds, and 20 more of a run that went on at 40 take 10."""
    times, updates = iter([100.0, 110.0]), []
    monkeypatch.setattr(job, "time", SimpleNamespace(monotonic=lambda: next(times)))
    reporter = SimpleNamespace(
        stop_requested=lambda: False, mark_running=lambda *device: None, update=lambda *step: updates.append(step)
    )
    progress = job.report_progress(reporter)
    progress(first, 80)
    progress(first + 20, 80)
    assert updates == [(first, None), (first + 20, left)]


def test_the_latest_run_is_one_of_evidence(root, sample_models):
    settings = {"pass": "length", "task": "imdb", "model": "tiny"}
    runs.submit(runs.Request("training", "imdb", ["-c", "pass"], "cpu", "anna", settings=settings))
    assert latest_run("length", "imdb", "tiny") is None
    requested = request_evidence("length", "imdb", "tiny", "anna")
    request_evidence("width", "imdb", "tiny", "anna")
    request_evidence("length", "afqmc", "tiny", "berta")
    assert latest_run("length", "imdb", "tiny").id == requested.id


def test_health_is_requested_for_its_owner_if_the_corpus_is_available(root, sample_models):
    request_first_evidence(sample_models["imdb"], "berta")
    requested = latest_run("health", "imdb", "tiny").request
    assert (requested.owner, requested.name) == ("berta", "imdb/tiny: health")
    (sample_models["afqmc"] / "metrics.json").write_text('{"data": "full"}', encoding="utf-8")
    request_first_evidence(sample_models["afqmc"], "berta")
    assert latest_run("health", "afqmc", "tiny") is None, "its corpus is missing"


def test_a_stopped_job_saves_nothing(root, sample_models, monkeypatch):
    def endless(data, progress):
        while True:
            progress(1, 80)

    monkeypatch.setitem(evidence_kind("imdb").compute, "endless", endless)
    requested = request_evidence("endless", "imdb", "tiny", "anna")
    (requested.path / STOP).touch()
    carry_out(requested.path)
    assert runs.read(requested.id).status.state == "stopped" and read_result(sample_models["imdb"], "endless") is None


def test_an_unknown_kind_of_evidence_fails_with_a_message(root, sample_models):
    requested = request_evidence("astrology", "imdb", "tiny", "anna")
    with pytest.raises(Exception, match="astrology"):
        carry_out(requested.path)
    run = runs.read(requested.id)
    assert (run.status.state, run.status.message.key) == ("failed", "evidence.unknown")


@pytest.fixture
def sparse_rows(monkeypatch):
    """Validation as it is where duplicates were left out: rows 0, 2, 3, 5, 6, … of the sample, with their numbers."""
    read = Task.read

    def read_sparse(self, split, data="full"):
        frame = read(self, split, data)
        return frame[frame.index % 3 != 1] if split == "validation" else frame

    monkeypatch.setattr(Task, "read", read_sparse)


def test_texts_are_those_of_the_position_and_numbers_those_of_the_split(sample_models, sparse_rows):
    task, data = get_task("afqmc"), load_evidence_input("afqmc", "tiny")
    whole = read_sample(task.sample, task.labels, "validation")
    assert data.row_numbers[:5].tolist() == [0, 2, 3, 5, 6]
    assert data.texts(3) == [whole["text"][5], whole["text_b"][5]]


def test_results_name_rows_by_their_numbers_in_the_split(sample_models, sparse_rows):
    data = load_evidence_input("afqmc", "tiny")
    inputs = faithfulness.compute(data, lambda done, total: None)["inputs"]
    assert inputs == data.row_numbers.tolist(), "the sample is smaller than what is drawn"
    result = importance.compute(data, lambda done, total: None)
    rows = {effect["row"] for layer in result["effects"] for head in layer for part in head.values() for effect in part}
    assert rows and rows <= set(data.row_numbers.tolist())
    assert max(rows) >= len(data.frame), "some number is no position"
    for effect in result["effects"][0][0]["helped"]:
        assert effect["label"] == data.frame["label"][effect["row"]]


def change_weights(folder, by: float = 1, keep_time: bool = False) -> None:
    """Other weights of the same size; also with the time of the old ones, as after `cp -p`."""
    file = folder / checkpoints.WEIGHTS
    status, weights = file.stat(), load_file(file)
    save_file({name: tensor + by for name, tensor in weights.items()}, file)
    if keep_time:
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_a_result_is_not_that_of_other_weights_with_the_time_and_size_of_the_old_ones(sample_models):
    folder = sample_models["imdb"]
    write_result(folder, "health", {"n": 1})
    assert read_result(folder, "health")["n"] == 1
    change_weights(folder, keep_time=True)
    assert read_result(folder, "health") is None


def test_a_result_has_the_hash_of_the_weights_that_were_loaded(sample_models, monkeypatch):
    """Not of those that were there a moment before, when the job began, nor of those there at the end."""
    folder, load = sample_models["imdb"], checkpoints.load_folder
    content = (folder / checkpoints.WEIGHTS).read_bytes()

    def load_others(*args):
        change_weights(folder)
        checkpoint = load(*args)
        (folder / checkpoints.WEIGHTS).write_bytes(content)
        return checkpoint

    monkeypatch.setattr(checkpoints, "load_folder", load_others)
    monkeypatch.setitem(evidence_kind("imdb").compute, "health", lambda data, progress: {"n": 1})
    message = failure_of(lambda: compute_evidence("health", "imdb", "tiny", lambda done, total: None))
    assert message.key == "evidence.other_model" and not result_file(folder, "health").exists()


@pytest.mark.parametrize("happens", ["replaced", "deleted"])
def test_evidence_is_not_stored_with_a_model_other_than_the_one_that_was_loaded(sample_models, monkeypatch, happens):
    folder = sample_models["imdb"]

    def compute(data, progress) -> dict:
        if happens == "deleted":
            shutil.rmtree(folder)
        else:
            change_weights(folder)
        return {"n": 1}

    monkeypatch.setitem(evidence_kind("imdb").compute, "health", compute)
    message = failure_of(lambda: compute_evidence("health", "imdb", "tiny", lambda done, total: None))
    assert message.key == "evidence.other_model"
    assert not result_file(folder, "health").exists()
