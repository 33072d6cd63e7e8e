"""The estimated time of a training, measured in a separate process (here replaced by a constant)."""

from __future__ import annotations

import json
import threading
import time

import pytest
from streamlit.testing.v1 import AppTest

from pages.training import estimates, runs
from tests.pages.app import page_text
from tests.pages.fake_runs import make_run, open_training
from viz_core.__main__ import build_parser
from viz_core.jobs import runs as jobs
from viz_core.tasks import TASKS

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]


def wait_for_timing(app: AppTest) -> None:
    """Waits for the timing and reruns the page."""
    while not estimates._timing(app.session_state["train_timing"]).future.done():
        time.sleep(0.01)
    app.run()


def test_the_time_is_shown_before_the_start():
    app = open_training()
    wait_for_timing(app)
    assert "about **75 s** from start to end, on an idle machine" in page_text(app)


def test_a_failed_timing_does_not_prevent_the_start(monkeypatch):
    def fail(arguments):
        raise ValueError("no JSON")

    monkeypatch.setattr("pages.training.estimates._seconds", fail)
    app = open_training()
    wait_for_timing(app)
    assert "could not be measured" in page_text(app) and not app.button(key="start").disabled


def test_a_time_measured_beside_another_training_is_an_upper_bound_and_measured_again(monkeypatch):
    busy = make_run("running")
    app = open_training()
    wait_for_timing(app)
    assert "at most about **75 s**: timed while another training was running" in page_text(app)
    monkeypatch.setattr("pages.training.estimates._seconds", lambda arguments: 60.0)
    jobs.stop(busy.id)
    status = json.loads((busy.path / "status.json").read_text()) | {"state": "stopped"}
    (busy.path / "status.json").write_text(json.dumps(status))
    runs.clear_cache()
    wait_for_timing(app.run())
    assert "about **60 s** from start to end" in page_text(app)


def test_a_timing_that_one_visitor_cancels_is_repeated_for_another(monkeypatch):
    """Timings run one after the other; a cancelled one is skipped, but may be requested again."""
    finish = threading.Event()
    monkeypatch.setattr("pages.training.estimates._seconds", lambda arguments: float(finish.wait(30)) + 59)
    first, second = open_training(), open_training()
    for app, epochs in ((first, 3), (second, 4), (first, 4), (first, 5)):
        app.number_input(key="train_epochs").set_value(epochs).run()
    finish.set()
    wait_for_timing(second.run())
    assert "about **60 s**" in page_text(second) and not second.exception


def test_the_timing_command_is_accepted_by_the_command_line():
    """For the form of every task."""
    for task in TASKS:
        app = open_training(task=task)
        arguments = app.session_state["train_timing"]
        args = build_parser().parse_args(arguments[2:])
        assert args.estimate and args.json and args.task == task and args.seed == 0
