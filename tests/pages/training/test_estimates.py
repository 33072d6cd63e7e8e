"""How long a training will take: timed in a process of its own (here: said at once), while nobody waits."""

from __future__ import annotations

import json
import threading
import time

import pytest
from streamlit.testing.v1 import AppTest

from pages.training import estimates, runs
from tests.pages.app import page_text
from tests.pages.fake_runs import make_run, at
from viz_core.__main__ import parser
from viz_core.jobs import runs as jobs
from viz_core.tasks import TASKS

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]


def settled(app: AppTest) -> None:
    """Waits for what is timed, and lets the page say it."""
    while not estimates._timed(app.session_state["train_timing"]).future.done():
        time.sleep(0.01)
    app.run()


def test_the_time_is_said_before_the_start_without_being_asked_for():
    app = at()
    settled(app)
    assert "about **75 s** from start to end, if nothing else runs" in page_text(app)


def test_a_time_that_cannot_be_measured_stops_nobody(monkeypatch):
    def fail(asked):
        raise ValueError("no JSON")

    monkeypatch.setattr("pages.training.estimates._seconds", fail)
    app = at()
    settled(app)
    assert "could not be measured" in page_text(app) and not app.button(key="start").disabled


def test_a_time_measured_beside_another_training_says_so_and_is_measured_again(monkeypatch):
    busy = make_run("running")
    app = at()
    settled(app)
    assert "at most about **75 s**: timed while another training runs" in page_text(app)
    monkeypatch.setattr("pages.training.estimates._seconds", lambda asked: 60.0)
    jobs.stop(busy.id)
    status = json.loads((busy.path / "status.json").read_text()) | {"state": "stopped"}
    (busy.path / "status.json").write_text(json.dumps(status))
    runs.fresh()
    settled(app.run())
    assert "about **60 s** from start to end" in page_text(app)


def test_who_waits_for_a_time_that_another_visitor_gave_up_gets_it(monkeypatch):
    """One is timed after the other; what nobody waits for any more is left out, but may be asked for again."""
    going_on = threading.Event()
    monkeypatch.setattr("pages.training.estimates._seconds", lambda asked: float(going_on.wait(30)) + 59)
    first, second = at(), at()
    for app, epochs in ((first, 3), (second, 4), (first, 4), (first, 5)):
        app.number_input(key="train_epochs").set_value(epochs).run()
    going_on.set()
    settled(second.run())
    assert "about **60 s**" in page_text(second) and not second.exception


def test_the_command_that_times_is_one_that_the_command_line_knows():
    """Whatever the form can ask for."""
    for task in TASKS:
        app = at(task=task)
        asked = app.session_state["train_timing"]
        args = parser().parse_args(asked[2:])
        assert args.estimate and args.json and args.task == task and args.seed == 0
