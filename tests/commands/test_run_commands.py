"""The command `runs`, and trainings that are stopped, fail or go on without their terminal."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.commands.command_line import PROJECT
from tests.commands.trainings import MINE, wait_for
from tests.words import english, says
from viz_core import checkpoints
from viz_core.jobs import runs


@pytest.mark.process
def test_detached_run_can_be_listed_shown_saved_and_deleted(json_output, error_sentences, checkpoints_dir, runs_dir):
    started = json_output("train", *MINE, "--detach")
    assert set(started) == {"run", "model", "data", "state"} and started["model"] == "mine"
    wait_for(started["run"], "finished")
    (listed,) = json_output("runs")
    assert listed == json_output("runs", "list")[0]
    assert {name: listed[name] for name in ("run", "name", "kind", "task", "state", "message")} == {
        "run": started["run"],
        "name": "mine",
        "kind": "train",
        "task": "imdb",
        "state": "finished",
        "message": None,
    }
    shown = json_output("runs", "show", started["run"])
    assert shown["settings"]["encoder"]["width"] == 16 and shown["last"]["epoch"] == 1
    assert listed["best"] == {name: shown["best"][name] for name in ("epoch", "accuracy", "auc", "mcc")}
    saved = json_output("runs", "keep", started["run"], "--name", "ours")
    assert (saved["task"], saved["model"]) == ("imdb", "ours")
    assert checkpoints.load("imdb", "ours").metrics.entries["validation"]["n"] == 48
    card = (checkpoints_dir / "imdb" / "ours" / checkpoints.CARD).read_text(encoding="utf-8")
    assert card.startswith("# imdb / ours\n")
    taken, _ = error_sentences("runs", "keep", started["run"], "--name", "ours")
    assert says(taken, "training.name_taken", name="ours")
    assert json_output("runs", "keep", started["run"], "--name", "ours", "--overwrite") == saved
    assert says(error_sentences("runs", "resume", started["run"])[0], "jobs.cannot_resume")
    assert json_output("runs", "delete", started["run"]) == {"deleted": started["run"]}
    assert {run["name"] for run in json_output("runs")} == {"imdb/ours: health"}


@pytest.mark.slow
@pytest.mark.process
def test_run_can_be_stopped_and_resumed(json_output, error_sentences, checkpoints_dir, runs_dir):
    id = json_output("train", *MINE, "--epochs", "5000", "--detach")["run"]
    wait_for(id, "running")
    deadline = time.monotonic() + 60
    while not runs.read(id).status.best:
        assert time.monotonic() < deadline and runs.read(id).is_live, runs.read(id)
        time.sleep(0.1)
    assert says(error_sentences("runs", "delete", id)[0], "jobs.still_running")
    assert json_output("runs", "stop", id)["state"] in ("stopping", "stopped")
    wait_for(id, "stopped")
    assert json_output("runs", "resume", id)["state"] in ("queued", "running")
    json_output("runs", "stop", id)
    assert wait_for(id, "stopped").status.attempt == 2


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to one process there")
def test_control_c_stops_the_run_and_says_how_to_resume_it(checkpoints_dir, runs_dir):
    command = [sys.executable, "-m", "viz_core", "train", *MINE, "--epochs", "5000", "--lang", "en"]
    process = subprocess.Popen(
        command,
        cwd=PROJECT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ),
        encoding="utf-8",
        # Tests started in the background ignore Ctrl-C, and their children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert json.loads(process.stderr.readline())["epoch"] == 1
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    (run,) = runs.list_runs()
    assert (process.returncode, out, run.status.state) == (1, "", "stopped")
    assert says(error, "cli.stopping") and f"runs resume {run.id}" in error.splitlines()[-1]
    assert "Traceback" not in error and not (checkpoints_dir / "imdb" / "mine").exists()


@pytest.mark.slow
@pytest.mark.process
def test_failure_of_the_run_is_printed(call, checkpoints_dir, runs_dir):
    code, out, error = call("train", *MINE, "--lr", "1e30")
    assert (code, out) == (1, "") and says(error, "training.diverged") and error.count("\n") == 1


@pytest.mark.parametrize(
    "arguments, key, values",
    [
        (("show",), "cli.run_needed", {"action": "show"}),
        (("keep", "none"), "jobs.unknown", {"run": "none"}),
        (("delete", "../x"), "jobs.unknown", {"run": "../x"}),
    ],
)
def test_unknown_run_is_named(error_sentences, runs_dir, arguments, key, values):
    assert error_sentences("runs", *arguments)[0] == english(key, **values)
