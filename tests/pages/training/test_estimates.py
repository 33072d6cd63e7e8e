"""The estimated time of a training and the free memory, measured in a separate process (here replaced)."""

import json
import subprocess
import sys
import threading
import time

import pytest
from streamlit.testing.v1 import AppTest

from pages.training import estimates, runs
from pages.training.estimates import Measurement
from pages.training.estimates import _measure as measure  # before the fixture replaces it
from tests.pages.app import page_text
from tests.pages.fake_runs import make_run, open_training
from tests.words import english, says
from viz_core.commands.parser import build_parser
from viz_core.jobs import runs as jobs
from viz_core.jobs.files import to_plain
from viz_core.jobs.processes import _NICENESS
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Failure
from viz_core.tasks import CLASSIFICATION, all_tasks
from viz_core.training import door
from viz_core.training.door import TrainingSettings

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]


def wait_for_timing(app: AppTest) -> None:
    """Waits for the timing and reruns the page."""
    while not estimates._timing(app.session_state["train_timing"]).future.done():
        time.sleep(0.01)
    app.run()


def seconds(count: int) -> str:
    return english("pages.training_seconds", seconds=count)


def test_the_time_is_shown_before_the_start():
    app = open_training()
    wait_for_timing(app)
    assert says(page_text(app), "pages.training_time", time=seconds(75))


def test_a_failed_timing_does_not_prevent_the_start(monkeypatch):
    def fail(arguments):
        raise ValueError("no JSON")

    monkeypatch.setattr(estimates, "_measure", fail)
    app = open_training()
    wait_for_timing(app)
    assert says(page_text(app), "pages.training_time_unknown") and not app.button(key="start").disabled


def test_free_memory_replaces_the_total_once_it_is_measured(monkeypatch):
    finish = threading.Event()

    def wait(arguments):
        finish.wait(30)
        return Measurement(75.0, 2 * 10**9)

    monkeypatch.setattr(estimates, "_measure", wait)
    app = open_training()
    total = door.requirements(TrainingSettings("imdb", data="sample"), "cpu").memory_available
    assert says(page_text(app), "pages.training_estimate", available=f"{total / 1e9:.0f}")
    assert says(page_text(app), "pages.training_measuring")
    finish.set()
    wait_for_timing(app)
    assert says(page_text(app), "pages.training_estimate_free", available="2")
    assert not says(page_text(app), "pages.training_measuring")


NUMBERS = {"parameters": 10**6, "needed": 8.0, "available": 3.0}
IN_USE = Failure("training.device_in_use", device="cuda:0", total=80.0, **NUMBERS)
TOO_LARGE = Failure("training.too_large", device="cuda", **NUMBERS)
BAD = Failure("training.bad_device", device="cuda:0", reason="CUDA error: unspecified launch failure")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("failure", "possible"), [(IN_USE, True), (TOO_LARGE, False), (BAD, False)])
def test_a_failure_of_the_measuring_process_is_shown_in_the_visitors_language(monkeypatch, failure, possible, language):
    """As the command line prints it; a run on a device that others use waits, so it can be started."""

    def fail(command):
        return subprocess.CompletedProcess(command, 1, "", "a warning\n" + failure_json(failure))

    monkeypatch.setattr(estimates, "_measure", measure)
    monkeypatch.setattr(estimates, "_run", fail)
    app, say = open_training(lang=language), Translator(language)
    wait_for_timing(app)
    (box,) = app.warning if possible else app.error
    assert box.value.replace("\\", "") == say(failure.message)
    assert not app.error or not app.warning
    assert [app.button(key=key).disabled for key in ("start", "depths")] == [not possible] * 2
    assert say("pages.training_time_unknown") not in page_text(app)


def failure_json(failure: Failure) -> str:
    """What `--json` prints on stderr where a command fails."""
    return json.dumps({"error": str(failure), "message": to_plain(failure.message)}) + "\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no nice values")
def test_steps_are_timed_with_the_priority_of_a_training():
    """The process waits until its priority is that of a run."""
    wait = f"import os, time\nwhile os.nice(0) < {_NICENESS}: time.sleep(0.01)\nprint(os.nice(0))"
    process = estimates._run([sys.executable, "-c", wait])
    assert (process.returncode, process.stderr) == (0, "") and int(process.stdout) >= _NICENESS


def test_a_failed_measurement_is_repeated_after_a_while(monkeypatch):
    """But not at once: each opens the device."""

    def fail(arguments):
        raise IN_USE

    monkeypatch.setattr(estimates, "_measure", fail)
    app = open_training()
    wait_for_timing(app)
    monkeypatch.setattr(estimates, "_measure", lambda arguments: Measurement(60.0))
    assert says(page_text(app.run()), "training.device_in_use", **IN_USE.message.values)
    monkeypatch.setattr(estimates, "RETRY_SECONDS", 0)
    app.run()
    wait_for_timing(app)
    assert says(page_text(app), "pages.training_time", time=seconds(60)) and not app.warning


def test_a_time_measured_on_a_busy_machine_says_so(monkeypatch):
    monkeypatch.setattr(door, "machine_is_busy", lambda: True)
    app = open_training()
    wait_for_timing(app)
    assert says(page_text(app), "pages.training_time_busy", time=seconds(75))


def test_a_time_measured_on_an_idle_machine_that_is_busy_now_says_that_it_takes_longer(monkeypatch):
    app = open_training()
    wait_for_timing(app)
    assert says(page_text(app), "pages.training_time", time=seconds(75))
    monkeypatch.setattr(door, "machine_is_busy", lambda: True)
    assert says(page_text(app.run()), "pages.training_time_longer", time=seconds(75))


def test_a_time_measured_beside_another_training_says_so_and_is_measured_again(monkeypatch):
    busy = make_run("running")
    app = open_training()
    wait_for_timing(app)
    assert says(page_text(app), "pages.training_time_busy", time=seconds(75))
    monkeypatch.setattr(estimates, "_measure", lambda arguments: Measurement(60.0))
    jobs.stop(busy.id)
    status = json.loads((busy.path / "status.json").read_text()) | {"state": "stopped"}
    (busy.path / "status.json").write_text(json.dumps(status))
    runs.clear_cache()
    wait_for_timing(app.run())
    assert says(page_text(app), "pages.training_time", time=seconds(60))


def test_a_timing_that_one_visitor_cancels_is_repeated_for_another(monkeypatch):
    """Timings run one after the other; a cancelled one is skipped, but may be requested again."""
    finish = threading.Event()
    monkeypatch.setattr(estimates, "_measure", lambda arguments: Measurement(float(finish.wait(30)) + 59))
    first, second = open_training(), open_training()
    for app, epochs in ((first, 3), (second, 4), (first, 4), (first, 5)):
        app.number_input(key="train_epochs").set_value(epochs).run()
    finish.set()
    wait_for_timing(second.run())
    assert says(page_text(second), "pages.training_time", time=seconds(60)) and not second.exception


def test_the_timing_command_is_accepted_by_the_command_line():
    """For the form of every task."""
    for task in all_tasks(CLASSIFICATION):
        app = open_training(task=task)
        arguments = app.session_state["train_timing"]
        args = build_parser().parse_args(arguments[2:])
        assert args.estimate and args.json and args.task == task and args.seed == 0
