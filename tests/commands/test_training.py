"""Training and measuring from the command line, and what it does with runs."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from tests.commands.calling import PROJECT, module
from tests.tiny import save_checkpoint
from viz_core import __main__, checkpoints
from viz_core.commands.training import ENCODER_OPTIONS, RECIPE_OPTIONS, given
from viz_core.jobs import processes, runs
from viz_core.jobs.state import read_status
from viz_core.jobs.wake import WORKER_LOCK
from viz_core.training.settings import TrainingSettings

TINY = (
    "--layers",
    "1",
    "--width",
    "16",
    "--heads",
    "2",
    "--feedforward",
    "16",
    "--epochs",
    "1",
    "--pretrain-epochs",
    "0",
    "--data",
    "sample",
    "--device",
    "cpu",
)
MINE = ("--task", "imdb", "--name", "mine", *TINY)
FIGURES = {
    "n",
    "accuracy",
    "auc",
    "mcc",
    "f1",
    "confusion",
    "majority_accuracy",
    "threshold",
    "ece",
    "ece_uncalibrated",
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder of checkpoints with one that was trained on the sample, by the command line."""
    root = tmp_path_factory.mktemp("trained")
    folder = tmp_path_factory.mktemp("runs")
    run = module(
        "train", *MINE, "--json", VIZ_CHECKPOINTS_DIR=str(root), VIZ_RUNS_DIR=str(folder), VIZ_RUNS_FREE_MB="1"
    )
    end_processes(folder)
    assert run.returncode == 0, run.stderr
    return root, run


@pytest.fixture
def runs_dir(tmp_path, monkeypatch):
    """Where the runs of a test are kept; none of its processes outlives it."""
    folder = tmp_path / "runs"  # as `own_folders` says
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    yield folder
    end_processes(folder)


def end_processes(folder) -> None:
    """The worker first: it would write down how the others ended."""
    with suppress(OSError, ValueError):
        pid = int((folder / WORKER_LOCK).read_text())
        processes.end(pid, processes.identity(pid))
    for path in folder.glob("[!.]*"):
        status = read_status(path)
        processes.end(status.pid or 0, status.process)


def wait_for(id: str, *states: str) -> runs.Run:
    deadline = time.monotonic() + 60
    while (run := runs.read(id)).status.state not in states:
        assert time.monotonic() < deadline and not run.over, run
        time.sleep(0.1)
    return run


def test_estimate_answers_without_training(runs_dir, checkpoints_dir, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["viz_core", "train", *MINE, "--estimate", "--json"])
    assert __main__.main() == 0
    found = json.loads(capsys.readouterr().out)
    assert found["parameters"] > 1000 and found["memory_bytes"] > 16 * found["parameters"] and found["seconds"] > 1
    assert runs.listing() == [] and not (checkpoints_dir / "imdb/mine").exists()


@pytest.mark.process
def test_train_writes_a_model_and_tells_each_epoch(trained):
    root, run = trained
    found = json.loads(run.stdout)
    assert (found["model"], found["data"], found["n"]) == ("mine", "sample", 48)
    assert run.stdout.count("\n") == 1
    epoch = json.loads(run.stderr)
    assert (epoch["phase"], epoch["epoch"]) == ("train", 1)
    checkpoint = checkpoints.load("imdb", "mine", root)
    assert (checkpoint.settings.model.layers, checkpoint.settings.model.width) == (1, 16)
    assert checkpoint.metrics.entries["validation"]["accuracy"] == found["accuracy"]
    assert checkpoint.metrics.entries["command"].startswith(
        "python -m viz_core train --task imdb --preset small --data sample --layers 1"
    )
    assert (root / "imdb" / "mine" / checkpoints.CARD).read_text(encoding="utf-8").startswith("# imdb / mine\n")


@pytest.mark.parametrize(
    "options, english",
    [
        (
            ("--width", "30", "--heads", "4"),
            "The training cannot start with these settings: width 30 is not divisible by 4 heads.",
        ),
        (
            ("--epochs", "0"),
            "The training cannot start with these settings: epochs (0) and batch (64) must be at least 1.",
        ),
        (("--dropout", "1"), "The training cannot start with these settings: dropout is 1.0"),
        (("--preset", "huge"), "There is no preset named huge. There are: small, wide, course."),
        (("--device", "abacus"), "The device “abacus” cannot be used: "),
        (("--name", "../mine"), "“../mine” cannot be the name of a model"),
        (("--name", "tiny"), "There is already a model named “tiny” for the task imdb."),
        (("--data", "full"), "The corpus imdb is not at hand"),
    ],
)
def test_training_that_cannot_start_says_why(sentences, checkpoints_dir, runs_dir, options, english):
    said, _ = sentences("train", "--task", "imdb", "--data", "sample", *options)
    assert said.startswith(english)
    assert sorted(file.name for file in (checkpoints_dir / "imdb").iterdir()) == ["tiny"], "nothing was written"
    assert not runs_dir.exists(), "nor is there a run of it"


def test_the_command_that_a_run_records_is_one_that_makes_the_same():
    encoder = dict(layers=3, attention_dropout=0.1, norm="post", pooling="mean", overlap=True)
    recipe = dict(
        lr=0.002,
        optimiser="adam",
        swap=False,
        teacher="none",
        pieces=False,
        class_weights=True,
        share=0.5,
        evaluations=4,
        best="mcc",
    )
    command = TrainingSettings("imdb", encoder=encoder, recipe=recipe).command
    args = __main__.parser().parse_args(shlex.split(command)[3:])
    assert (args.task, args.preset, args.data) == ("imdb", "small", "full")
    assert given(args, ENCODER_OPTIONS) == encoder and given(args, RECIPE_OPTIONS) == recipe


@pytest.mark.process
@pytest.mark.parametrize("split", ["validation", "test"])
def test_evaluate_on_the_sample(answer, trained, monkeypatch, split):
    root, run = trained
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(root))
    found = answer("evaluate", "--task", "imdb", "--model", "mine", "--split", split)
    assert set(found) == {"task", "model", "data", "split", *FIGURES}
    assert (found["data"], found["split"], found["n"]) == ("sample", split, 48)
    if split == "validation":
        assert found["accuracy"] == json.loads(run.stdout)["accuracy"], "as said when it was trained"


@pytest.mark.process
def test_recorded_figures_of_the_test_stand_in_metrics_and_card(answer, trained, monkeypatch, tmp_path):
    shutil.copytree(trained[0], tmp_path / "copy")
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "copy"))
    folder = tmp_path / "copy" / "imdb" / "mine"
    before = json.loads((folder / checkpoints.METRICS).read_text(encoding="utf-8"))
    assert "test" not in (folder / checkpoints.CARD).read_text(encoding="utf-8").split("## Figures")[1].split("##")[0]
    found = answer("evaluate", "--task", "imdb", "--model", "mine", "--split", "test", "--record")
    after = json.loads((folder / checkpoints.METRICS).read_text(encoding="utf-8"))
    assert {name: after[name] for name in FIGURES} == {name: found[name] for name in FIGURES}
    assert after["split"] == "test" and {name: after[name] for name in before} == before, "what was there stays"
    card = (folder / checkpoints.CARD).read_text(encoding="utf-8")
    assert "| | validation | test |" in card and f"| {found['accuracy']:.4f} |\n" in card
    assert after["command"] in card


@pytest.mark.process
def test_only_the_test_of_its_own_corpus_is_recorded(sentences, trained, monkeypatch, tmp_path):
    shutil.copytree(trained[0], tmp_path / "copy")
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "copy"))
    evaluate = ("evaluate", "--task", "imdb", "--model", "mine", "--record")
    metrics = tmp_path / "copy" / "imdb" / "mine" / checkpoints.METRICS
    before = metrics.read_bytes()
    assert "--split test" in sentences(*evaluate)[0]
    assert "--data sample" in sentences(*evaluate, "--split", "test", "--data", "full")[1]
    assert metrics.read_bytes() == before


@pytest.mark.process
def test_a_training_without_a_name_takes_the_next_that_is_free(call, checkpoints_dir, runs_dir):
    for name in ("small", "small-2"):
        save_checkpoint(checkpoints_dir, "imdb", name)
    before = (checkpoints_dir / "imdb/small/config.json").read_bytes()
    code, out, error = call("train", "--task", "imdb", *TINY, "--json")
    assert code == 0, error
    assert (
        json.loads(out)["model"] == "small-3"
        and checkpoints.load("imdb", "small-3").metrics.entries["data"] == "sample"
    )
    assert (checkpoints_dir / "imdb/small/config.json").read_bytes() == before
    card = (checkpoints_dir / "imdb/small-3" / checkpoints.CARD).read_text(encoding="utf-8")
    assert card.startswith("# imdb / small-3\n") and "--name small-3`" in card


@pytest.mark.process
def test_a_model_is_replaced_only_when_asked_for(call, checkpoints_dir, runs_dir):
    code, out, error = call("train", *MINE, "--name", "tiny", "--overwrite", "--json")
    assert code == 0, error
    assert checkpoints.load("imdb", "tiny").metrics.entries["data"] == "sample"
    examination, run = runs.listing()  # what was kept is examined at once
    assert run.status.state == "finished" and json.loads(out)["run"] == run.id
    assert examination.name == "imdb/tiny: health"


@pytest.mark.process
def test_a_detached_run_is_listed_shown_kept_and_deleted(answer, sentences, checkpoints_dir, runs_dir):
    started = answer("train", *MINE, "--detach")
    assert set(started) == {"run", "model", "data", "state"} and started["model"] == "mine"
    wait_for(started["run"], "finished")
    (listed,) = answer("runs")
    assert listed == answer("runs", "list")[0]
    assert {name: listed[name] for name in ("run", "name", "kind", "task", "state", "message")} == {
        "run": started["run"],
        "name": "mine",
        "kind": "train",
        "task": "imdb",
        "state": "finished",
        "message": None,
    }
    shown = answer("runs", "show", started["run"])
    assert shown["settings"]["encoder"]["width"] == 16 and shown["last"]["epoch"] == 1
    assert listed["best"] == {name: shown["best"][name] for name in ("epoch", "accuracy", "auc", "mcc")}
    kept = answer("runs", "keep", started["run"], "--name", "ours")
    assert (kept["task"], kept["model"]) == ("imdb", "ours")
    assert checkpoints.load("imdb", "ours").metrics.entries["validation"]["n"] == 48
    card = (checkpoints_dir / "imdb" / "ours" / checkpoints.CARD).read_text(encoding="utf-8")
    assert card.startswith("# imdb / ours\n")
    taken, _ = sentences("runs", "keep", started["run"], "--name", "ours")
    assert taken.startswith("There is already a model named “ours”")
    assert answer("runs", "keep", started["run"], "--name", "ours", "--overwrite") == kept
    assert "only a run that has failed or was stopped" in sentences("runs", "resume", started["run"])[0]
    assert answer("runs", "delete", started["run"]) == {"deleted": started["run"]}
    assert {one["name"] for one in answer("runs")} == {"imdb/ours: health"}  # what was kept is examined


@pytest.mark.process
def test_a_run_is_stopped_and_resumed(answer, sentences, checkpoints_dir, runs_dir):
    id = answer("train", *MINE, "--epochs", "5000", "--detach")["run"]
    wait_for(id, "running")
    deadline = time.monotonic() + 60
    while not runs.read(id).status.best:
        assert time.monotonic() < deadline and runs.read(id).live, runs.read(id)
        time.sleep(0.1)
    assert "is still running" in sentences("runs", "delete", id)[0]
    assert answer("runs", "stop", id)["state"] in ("stopping", "stopped")
    wait_for(id, "stopped")
    assert answer("runs", "resume", id)["state"] in ("queued", "running")
    answer("runs", "stop", id)
    assert wait_for(id, "stopped").status.attempt == 2


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to one process there")
def test_control_c_stops_the_run_and_says_how_to_go_on(checkpoints_dir, runs_dir):
    command = [sys.executable, "-m", "viz_core", "train", *MINE, "--epochs", "5000", "--lang", "en"]
    process = subprocess.Popen(
        command,
        cwd=PROJECT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ),
        encoding="utf-8",
        # A test run that was put in the background hands down that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert json.loads(process.stderr.readline())["epoch"] == 1
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    (run,) = runs.listing()
    assert (process.returncode, out, run.status.state) == (1, "", "stopped")
    assert "Stopping; its best checkpoint so far stays." in error and f"runs resume {run.id}" in error.splitlines()[-1]
    assert "Traceback" not in error and not (checkpoints_dir / "imdb" / "mine").exists()


@pytest.mark.process
def test_what_goes_wrong_in_the_run_is_said(call, checkpoints_dir, runs_dir):
    code, out, error = call("train", *MINE, "--lr", "1e30")
    assert (code, out) == (1, "") and error.startswith("The training went astray") and error.count("\n") == 1


@pytest.mark.parametrize(
    "arguments, english",
    [
        (("show",), "Which run? Name its id: python -m viz_core runs show ID."),
        (("keep", "none"), "There is no run “none”"),
        (("delete", "../x"), "There is no run “../x”"),
    ],
)
def test_a_run_that_is_not_there(sentences, runs_dir, arguments, english):
    assert sentences("runs", *arguments)[0].startswith(english)
