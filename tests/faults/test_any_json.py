"""Whatever JSON stands in a file of a run folder, every other run is listed, and the training page draws."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.faults.any_json import changes_of
from tests.pages.app import open_page
from tests.pages.fake_runs import make_run, metrics_row
from tests.words import says
from viz_core.jobs import runs
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Evaluation

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("runs_dir")]
FILES = ("status.json", "request.json", "metrics.jsonl")


@pytest.fixture
def runs_dir(tmp_path, monkeypatch, checkpoints_dir):
    """A runs folder without a worker."""
    monkeypatch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    monkeypatch.setattr("pages.training.estimates._measure", _no_measurement)
    return tmp_path / "runs"


def _no_measurement(arguments):
    from pages.training.estimates import Measurement

    return Measurement(75.0)


def rewrite(run: runs.Run, file: str, data: st.DataObject) -> None:
    """Puts any JSON into a place of a file; of the metrics, of a line."""
    path = Path(run.path) / file
    line = path.read_text("utf-8").splitlines()[0] if file == "metrics.jsonl" else path.read_text("utf-8")
    path.write_text(json.dumps(data.draw(changes_of(json.loads(line)))) + "\n", "utf-8")


def check_listing(other: runs.Run) -> None:
    listed = {run.id: run for run in runs.list_runs()}
    assert listed[other.id].status.state == "finished"
    for run in listed.values():
        Evaluation.from_dict(run.status.best)
        for row in runs.read_metrics(run)[0]:
            Evaluation.from_dict(row)
        if run.status.message:
            assert all(Translator(language)(run.status.message) for language in LANGUAGES)


def check_any_json(data: st.DataObject, draws_page: bool) -> None:
    with tempfile.TemporaryDirectory() as root, pytest.MonkeyPatch.context() as patched:
        patched.setenv("VIZ_RUNS_DIR", root)
        evaluations = 2 if draws_page else 0  # checkpoints and snapshots take most of the time
        state = data.draw(st.sampled_from(["running", "failed", "queued", "finished"]))
        run, other = make_run(state, evaluations), make_run(evaluations=evaluations)
        (run.path / "metrics.jsonl").write_text(json.dumps(metrics_row(1)) + "\n", "utf-8")
        rewrite(run, data.draw(st.sampled_from(FILES)), data)
        check_listing(other)
        if draws_page:
            app = open_page("training", runs=data.draw(st.sampled_from([run.id, other.id, f"{run.id},{other.id}"])))
            assert not app.exception and not any(says(error.value, "pages.failed") for error in app.error)


_CHECKS = dict(deadline=None, suppress_health_check=list(HealthCheck))


@settings(max_examples=15, **_CHECKS)
@given(st.data())
def test_any_json_in_a_run_leaves_the_others_listed(data):
    check_any_json(data, draws_page=False)


@pytest.mark.slow
@settings(max_examples=300, **_CHECKS)
@given(st.data())
def test_much_json_in_a_run_leaves_the_others_listed(data):
    check_any_json(data, draws_page=False)


@pytest.mark.slow
@settings(max_examples=60, **_CHECKS)
@given(st.data())
def test_the_training_page_draws_whatever_json_is_in_a_run(data):
    check_any_json(data, draws_page=True)
