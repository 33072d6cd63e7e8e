"""Files of a run folder with any JSON in them: a damaged run is a failed run, and every other run stays as it is."""

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.faults.any_json import ANY, changes_of
from viz_core.jobs.request import REQUEST
from viz_core.jobs.run_folder import Run, read_metrics, read_runs
from viz_core.jobs.state import LOG, METRICS, STATUS
from viz_core.jobs.stop_requests import STOP
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Evaluation
from viz_core.records.figures import Metrics

DEEP = '{"a":' * 200_000 + "1" + "}" * 200_000
FIGURES = {"phase": "train", "evaluation": 1, "epoch": 1, "step": 3, "loss": 0.5, "accuracy": 0.6}
CONTENTS = {
    REQUEST: {
        **{"kind": "training", "command": ["-m", "x"], "name": "bad", "owner": "anna", "submitted": 1.5e9},
        **{"settings": {"task": "imdb"}, "limits": {"longest_minutes": 5}, "environment": {}, "experiment": "depth"},
    },
    STATUS: {
        **{"state": "finished", "step": 3, "total": 3, "best": FIGURES, "last": FIGURES, "device": "cpu"},
        **{"message": {"key": "jobs.killed", "values": {}}, "handle": {"executor": "local", "pid": 1}},
    },
    METRICS: FIGURES,
}


def make_run(root, name: str, **files: object):
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        REQUEST: {"kind": "training", "command": ["-m", "x"], "name": name},
        STATUS: {"state": "finished", "step": 3, "total": 3},
        **files,
    }
    for file, value in contents.items():
        (folder / file).write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return folder


@pytest.fixture
def root(tmp_path):
    make_run(tmp_path, "good")
    return tmp_path


def check_good_run(root) -> Run:
    """The other run, after checking the good one. Everything that a page reads of a run is read."""
    by_id = {run.id: run for run in read_runs(root)}
    assert (by_id["good"].status.state, by_id["good"].name) == ("finished", "good")
    for run in by_id.values():
        for language in LANGUAGES:
            assert run.status.message is None or Translator(language)(run.status.message)
        rows, _ = read_metrics(run)
        for values in (*rows, run.status.best, run.status.last):
            Evaluation.from_dict(values)
    return by_id["bad"]


@pytest.mark.parametrize("name", ["step", "total", "eta", "heartbeat", "started", "ended", "memory", "turn"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, 10**400, "1", [], 1e300], ids=str)
def test_a_number_that_is_none_is_a_failed_run(root, name, value):
    make_run(root, "bad", **{STATUS: {"state": "finished", name: value}})
    run = check_good_run(root)
    assert run.status.state == "failed" and run.status.message.values["reason"] == f"{name}?"


@pytest.mark.parametrize("file", CONTENTS)
@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_in_a_file_leaves_every_other_run(root, file, data):
    make_run(root, "bad", **{file: data.draw(changes_of(CONTENTS[file]))})
    check_good_run(root)


@pytest.mark.parametrize("file", [REQUEST, STATUS, METRICS, STOP, LOG])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(root, file):
    path = make_run(root, "bad", **{STATUS: {"state": "running", "heartbeat": 1}})
    (path / file).unlink(missing_ok=True)
    os.mkfifo(path / file)
    check_good_run(root)


@pytest.mark.parametrize("file", [REQUEST, STATUS])
def test_a_file_that_would_fill_the_memory_is_refused_with_its_size(root, file):
    make_run(root, "bad", **{file: {**CONTENTS[file], "unknown": "x" * 2**20}})
    run = check_good_run(root)
    assert run.status.state == "failed" and "1,048,576" in run.status.message.values["reason"]


def test_a_name_on_the_disk_is_shown_on_one_line(root):
    make_run(root, "bad", **{REQUEST: {**CONTENTS[REQUEST], "name": "a\n\u202e" + "x" * 300}})
    assert check_good_run(root).name == "a��" + "x" * 96 + "…"


def test_damaged_lines_of_the_metrics_are_skipped(root):
    lines = ['{"step": 1}', DEEP, '{"step": {"a": 1}, "phase": {}}', '{"step": 1e400}', '{"step": "\\udcff"}', "[3]"]
    make_run(root, "bad", **{METRICS: "\n".join([*lines, '{"step": 2}']) + "\n"})
    rows, _ = read_metrics(check_good_run(root))
    assert [Evaluation.from_dict(row).step for row in rows] == [1, None, None, 2]


@given(ANY | st.dictionaries(st.sampled_from(["validation", "test", "split", "data", "parameters", "f1"]), ANY))
def test_any_json_in_the_metrics_of_a_model_counts_as_unknown(value):
    metrics = Metrics(value if isinstance(value, dict) else {})
    assert metrics.training_data in ("full", "sample")
    for figures in (metrics.validation, metrics.test):
        if figures:
            assert figures.is_close(figures)
    for split in ("validation", "test"):
        for number in metrics.numbers(split).values():
            assert f"{number:.3f}" and number * 100 is not None
