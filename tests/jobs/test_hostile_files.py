"""Files of a run folder with any JSON in them: a damaged run is a failed run, and every other run stays as it is."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from viz_core.jobs.request import REQUEST
from viz_core.jobs.run_folder import Run, read_metrics, read_runs
from viz_core.jobs.state import METRICS, STATUS
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Evaluation
from viz_core.records.figures import Metrics

DEEP = '{"a":' * 200_000 + "1" + "}" * 200_000
NUMBERS = st.sampled_from([0, -1, 1e308, float("nan"), float("inf"), 10**400, True])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | NUMBERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
MESSAGES = st.fixed_dictionaries({"key": st.sampled_from(["jobs.worker", "x.y", 5]), "values": JSON})


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


@pytest.mark.parametrize("file", [REQUEST, STATUS])
@pytest.mark.parametrize("content", [DEEP, "[", "[1]", "null", '{"a": "\\udcff"}'], ids=lambda text: text[:12])
def test_a_file_that_is_no_object_is_a_failed_run(root, file, content):
    make_run(root, "bad", **{file: content})
    run = check_good_run(root)
    assert (run.status.state, run.status.message.key) == ("failed", "jobs.unreadable")


@pytest.mark.parametrize("name", ["step", "total", "eta", "heartbeat", "started", "ended", "memory", "turn"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, 10**400, "1", [], 1e300], ids=str)
def test_a_number_that_is_none_is_a_failed_run(root, name, value):
    make_run(root, "bad", **{STATUS: {"state": "finished", name: value}})
    run = check_good_run(root)
    assert run.status.state == "failed" and run.status.message.values["reason"] == f"{name}?"


@given(st.dictionaries(st.sampled_from(["state", "best", "last", "message", "device", "handle", "x"]), JSON | MESSAGES))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_in_a_status_leaves_every_other_run(root, values):
    make_run(root, "bad", **{STATUS: {"state": "finished", **values}})
    check_good_run(root)


@given(st.dictionaries(st.sampled_from(["kind", "name", "owner", "submitted", "settings", "limits", "command"]), JSON))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_in_a_request_leaves_every_other_run(root, values):
    make_run(root, "bad", **{REQUEST: {"command": ["-m", "x"], **values}})
    check_good_run(root)


@given(st.lists(JSON, max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_in_the_metrics_is_read_or_skipped(root, rows):
    make_run(root, "bad", **{METRICS: "".join(json.dumps(row) + "\n" for row in rows)})
    check_good_run(root)


def test_damaged_lines_of_the_metrics_are_skipped(root):
    lines = ['{"step": 1}', DEEP, '{"step": {"a": 1}, "phase": {}}', '{"step": 1e400}', '{"step": "\\udcff"}', "[3]"]
    make_run(root, "bad", **{METRICS: "\n".join([*lines, '{"step": 2}']) + "\n"})
    rows, _ = read_metrics(check_good_run(root))
    assert [Evaluation.from_dict(row).step for row in rows] == [1, None, None, 2]


@given(JSON | st.dictionaries(st.sampled_from(["validation", "test", "split", "data", "parameters", "f1"]), JSON))
def test_any_json_in_the_metrics_of_a_model_counts_as_unknown(value):
    metrics = Metrics(value if isinstance(value, dict) else {})
    assert metrics.training_data in ("full", "sample")
    for figures in (metrics.validation, metrics.test):
        if figures:
            assert figures.is_close(figures)
    for split in ("validation", "test"):
        for number in metrics.numbers(split).values():
            assert f"{number:.3f}" and number * 100 is not None
