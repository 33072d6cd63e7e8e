"""A training that is interrupted goes on to the very same curve and the very same weights."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from tests.training.tiny import ENCODER, RECIPE, RecordingCallback, lines, train_tiny
from viz_core import checkpoints
from viz_core.records import Failure
from viz_core.training import trainer
from viz_core.training.folders import latest_checkpoint
from viz_core.training.state import TENSORS, VALUES

pytestmark = pytest.mark.process

RECIPES = {"imdb": dict(epochs=4, evaluations=2), "afqmc": dict(epochs=2, pretrain_epochs=2, swap=True)}


class Killed(BaseException):
    """Stands for a power cut: nothing in the program catches it."""


def final(work: Path) -> dict:
    """Weights, moments and random state at the end."""
    return load_file(latest_checkpoint(work) / TENSORS)


def assert_same(one: Path, other: Path) -> None:
    """The same last state, the same checkpoints, the same figures in them."""
    ends = final(one), final(other)
    assert ends[0].keys() == ends[1].keys() and all(ends[0][name].equal(ends[1][name]) for name in ends[0])
    folders = [sorted(path.name for path in (work / "checkpoints").iterdir()) for work in (one, other)]
    assert folders[0] == folders[1]
    for name in folders[0]:
        kept = [
            json.loads((work / "checkpoints" / name / checkpoints.METRICS).read_text("utf-8")) for work in (one, other)
        ]
        assert kept[0]["validation"] == kept[1]["validation"]


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """What each task's training comes to when nobody interrupts it: its folder and all figures."""
    torch.set_num_threads(1)  # as in every test; with more the sums would come in another order
    found = {}
    for task, recipe in RECIPES.items():
        work, callback = tmp_path_factory.mktemp(task), RecordingCallback()
        train_tiny(work, callback, task, **recipe)
        found[task] = work, callback.figures
    return found


@pytest.mark.parametrize(
    "task, at",
    [
        ("imdb", 12),
        ("afqmc", 14),
        *(
            pytest.param(*state, marks=pytest.mark.slow)
            for state in (("imdb", 0), ("imdb", 7), ("imdb", 23), ("afqmc", 3))
        ),
    ],
)
@pytest.mark.parametrize("save_seconds", [60.0, 0.0], ids=["saved at evaluations", "saved in every step"])
def test_killed_in_a_step_it_resumes_to_the_same_curve(tmp_path, straight, monkeypatch, task, at, save_seconds):
    monkeypatch.setattr(trainer, "SAVE_SECONDS", save_seconds)
    work, expected = straight[task]

    def killed(step):
        if step == at:
            raise Killed

    before, after = RecordingCallback(killed), RecordingCallback()
    with pytest.raises(Killed):
        train_tiny(tmp_path, before, task, **RECIPES[task])
    train_tiny(tmp_path, after, task, **RECIPES[task])
    behind = [figures for figures in before.figures if figures["evaluation"] < after.figures[0]["evaluation"]]
    assert behind + after.figures == expected
    assert_same(work, tmp_path)
    if save_seconds == 0:
        assert after.start[1] == at, "only the step that was interrupted comes again"


def test_killed_while_it_reports_it_says_the_same_again(tmp_path, straight):
    work, expected = straight["imdb"]
    before = RecordingCallback()
    before.on_snapshot = lambda evaluation, model: (_ for _ in ()).throw(Killed()) if evaluation == 3 else None
    with pytest.raises(Killed):
        train_tiny(tmp_path, before, **RECIPES["imdb"])
    after = RecordingCallback()
    train_tiny(tmp_path, after, **RECIPES["imdb"])
    assert before.figures[:2] + after.figures == expected and before.figures[2] == after.figures[0]
    assert_same(work, tmp_path)


@pytest.mark.parametrize("at", [5, 11, 23])
def test_stopped_it_goes_on_as_if_nothing_had_been(tmp_path, straight, at):
    work, expected = straight["imdb"]
    before, after = RecordingCallback(lambda step: step == at), RecordingCallback()
    stopped, done = train_tiny(tmp_path, before, **RECIPES["imdb"])
    assert not done and (stopped.best is not None) == bool(before.figures)
    _, done = train_tiny(tmp_path, after, **RECIPES["imdb"])
    assert done and before.figures + after.figures == expected and after.start[1] == at + 1
    assert_same(work, tmp_path)


def test_a_finished_training_that_is_resumed_does_nothing_more(tmp_path):
    train_tiny(tmp_path)
    again = RecordingCallback()
    _, done = train_tiny(tmp_path, again)
    assert done and (again.figures, again.snapshots) == ([], [])


def test_only_the_best_and_the_last_checkpoint_stay_and_only_the_last_can_be_resumed(tmp_path):
    """A rate so small that the first evaluation stays the best."""
    done, _ = train_tiny(tmp_path, epochs=4, lr=1e-12, best="accuracy")
    kept = {path.name: {file.name for file in path.iterdir()} for path in (tmp_path / "checkpoints").iterdir()}
    assert set(kept) == {"6", "24"} and done.best.name == "6"
    assert kept["24"] - kept["6"] == {TENSORS, VALUES}
    assert checkpoints.read_info(tmp_path / "checkpoints" / "6").metrics.entries["validation"]["n"] == 48


def test_a_full_disk_loses_nothing_that_was_saved(tmp_path, straight, monkeypatch):
    save = trainer.save_state
    calls = []

    def full(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        save(*arguments)

    monkeypatch.setattr(trainer, "save_state", full)
    work, expected = straight["imdb"]
    before, after = RecordingCallback(), RecordingCallback()
    with pytest.raises(Failure) as failure:
        train_tiny(tmp_path, before, **RECIPES["imdb"])
    assert failure.value.message.key == "training.not_saved"
    assert failure.value.message.values["reason"] == "No space left on device"
    assert not list((tmp_path / "checkpoints").glob(".*")), "nothing half written stays"
    train_tiny(tmp_path, after, **RECIPES["imdb"])
    assert before.figures[:2] + after.figures == expected
    assert_same(work, tmp_path)


@pytest.mark.parametrize("file, content", [(VALUES, "{"), (VALUES, "{}"), (TENSORS, "?")])
def test_a_damaged_state_is_named(tmp_path, file, content):
    train_tiny(tmp_path, RecordingCallback(lambda step: step == 2))
    (latest_checkpoint(tmp_path) / file).write_text(content)
    with pytest.raises(Failure) as failure:
        train_tiny(tmp_path)
    assert failure.value.message.key == "training.damaged_state"
    assert failure.value.message.values["folder"] == str(latest_checkpoint(tmp_path))


def test_other_data_than_it_began_with_is_refused(tmp_path):
    train_tiny(tmp_path, RecordingCallback(lambda step: step == 2))
    with pytest.raises(Failure) as failure:
        train_tiny(tmp_path, share=0.5)
    assert failure.value.message.key == "training.other_data"


SUICIDAL = """
import os, signal, sys
from pathlib import Path
from viz_core.jobs.reporter import Reporter
from viz_core.training.run import main
append = Reporter.append_metrics
def last_words(reporter, figures):
    append(reporter, figures)
    if figures["evaluation"] == 3:
        os.kill(os.getpid(), signal.SIGKILL)
Reporter.append_metrics = last_words
main(Path(sys.argv[1]))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no such signal")
def test_a_process_that_is_killed_for_good_resumes_to_the_same_curve(tmp_path, straight):
    """SIGKILL at the worst moment, between a line of figures and the state that goes with it; then the same command again."""
    work, expected = straight["imdb"]
    run = tmp_path / "run"
    run.mkdir()
    settings = dict(
        task="imdb",
        data="sample",
        name="tiny",
        encoder={**ENCODER, "activation": "gelu", "stem": "none"},
        recipe={**vars(RECIPE), **RECIPES["imdb"]},
    )
    request = dict(command=["-m", "viz_core.training.run"], device="cpu", settings=settings)
    (run / "request.json").write_text(json.dumps(request), encoding="utf-8")

    def start(*command: str) -> int:
        return subprocess.run(
            [sys.executable, "-W", "error", *command, str(run)],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "VIZ_RUN_ATTEMPT": "1"},
        ).returncode

    assert start("-c", SUICIDAL) == -signal.SIGKILL
    assert lines(run / "metrics.jsonl") == expected[:3]
    assert start("-m", "viz_core.training.run") == 0
    assert lines(run / "metrics.jsonl") == expected, "every line once"
    assert json.loads((run / "status.json").read_text("utf-8"))["state"] == "finished"
    assert_same(work, run)
