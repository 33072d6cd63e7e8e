"""The request of a run as a file."""

import json

import pytest

from tests.jobs.programs import failure_of
from viz_core.jobs.limits import Limits
from viz_core.jobs.main import find_job
from viz_core.jobs.request import JOBS, REQUEST, Request, belongs_to_run, read_request, write_request

COMPLETE = {
    "kind": "test",
    "name": "example",
    "command": ["-m", "x"],
    "device": "cpu",
    "settings": {"task": "imdb"},
    "owner": "anna",
    "submitted": 1.5e9,
    "experiment": "depth",
    "environment": {"VIZ_DATA_DIR": "/data"},
    "limits": {"longest_minutes": 5, "most_queued_per_owner": 3, "least_free_bytes": 0, "stop_seconds": 60},
    "working_folder": "/home/anna",
}


def write(folder, entries: object) -> None:
    (folder / REQUEST).write_text(json.dumps(entries), encoding="utf-8")


def read_entries(folder) -> dict:
    return json.loads((folder / REQUEST).read_text(encoding="utf-8"))


def test_file_holds_every_entry_and_no_other(tmp_path):
    write(tmp_path, COMPLETE)
    request = read_request(tmp_path)
    assert request == Request(
        "test",
        "example",
        ("-m", "x"),
        "cpu",
        "anna",
        1.5e9,
        {"task": "imdb"},
        "depth",
        Limits(5, 3, 0, 60),
        {"VIZ_DATA_DIR": "/data"},
        "/home/anna",
    )
    write_request(tmp_path, request)
    assert read_entries(tmp_path) == COMPLETE


def test_unknown_entries_survive(tmp_path):
    write(tmp_path, {**COMPLETE, "colour": "red", "unknown": [1]})
    write_request(tmp_path, read_request(tmp_path))
    assert read_entries(tmp_path) == {**COMPLETE, "colour": "red", "unknown": [1]}


def test_missing_experiment_is_not_written(tmp_path):
    write_request(tmp_path, Request("train", command=("x",)))
    assert "experiment" not in read_entries(tmp_path)


@pytest.mark.parametrize("value", [None, 3, "x", [1], True])
def test_entry_of_the_wrong_type_counts_as_missing(tmp_path, value):
    write(tmp_path, {"command": ["x"], "settings": value, "limits": value, "environment": value})
    assert read_request(tmp_path) == Request(command=("x",))
    write(tmp_path, {"command": ["x"], "environment": {"VIZ_A": "a", "VIZ_B": value}})
    assert set(read_request(tmp_path).environment) - {"VIZ_B"} == {"VIZ_A"}
    write(tmp_path, {"command": ["x"], "name": [value], "owner": {"a": value}, "kind": 3, "submitted": "today"})
    assert read_request(tmp_path) == Request(command=("x",))


@pytest.mark.parametrize("command", [None, [], "-m x", ["-m", 3], {}])
def test_request_without_a_command_is_damaged(tmp_path, command):
    write(tmp_path, {**COMPLETE, "command": command})
    assert failure_of(lambda: read_request(tmp_path)).values == {
        "run": tmp_path.name,
        "file": REQUEST,
        "reason": "command?",
    }


@pytest.mark.parametrize("kind", JOBS)
def test_whatever_the_command_a_kind_that_has_a_job_is_carried_out_by_it(tmp_path, kind):
    """Earlier versions named a module for each."""
    write(tmp_path, {"kind": kind, "command": ["-m", "viz_core.earlier.job"], "settings": {"task": "imdb"}})
    assert read_request(tmp_path).command == ("-m", "viz_core.jobs.main")
    assert callable(find_job(kind))


def test_a_run_takes_our_variables_and_the_choice_of_gpus_from_its_submitter_and_the_rest_from_the_worker():
    variables = ("VIZ_DATA_DIR", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "PATH", "CUDA_HOME")
    assert [belongs_to_run(name) for name in variables] == [True, True, True, False, False]
