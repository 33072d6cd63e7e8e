"""Whatever JSON stands in a file of a run folder, the training page draws."""

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


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_the_training_page_draws_whatever_json_is_in_a_run(data):
    with tempfile.TemporaryDirectory() as root, pytest.MonkeyPatch.context() as patched:
        patched.setenv("VIZ_RUNS_DIR", root)
        run, other = make_run(data.draw(st.sampled_from(["running", "failed", "queued", "finished"])), 2), make_run()
        (run.path / "metrics.jsonl").write_text(json.dumps(metrics_row(1)) + "\n", "utf-8")
        rewrite(run, data.draw(st.sampled_from(FILES)), data)
        app = open_page("training", runs=data.draw(st.sampled_from([run.id, other.id, f"{run.id},{other.id}"])))
        assert not app.exception and not any(says(error.value, "pages.failed") for error in app.error)
