"""An interrupted training resumes to the same curve and the same weights, bit for bit."""

import errno
import functools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from tests.training.tiny import DEVICE, ENCODER, RECIPE, RecordingCallback, lines, train_tiny
from viz_core import checkpoints
from viz_core.jobs.request import MAIN
from viz_core.records import Failure
from viz_core.tasks import Task
from viz_core.training import trainer
from viz_core.training.folders import latest_checkpoint
from viz_core.training.state import TENSORS, VALUES

pytestmark = pytest.mark.process

RECIPES = {
    "imdb": dict(epochs=4, evaluations=2),
    "afqmc": dict(epochs=2, pretrain_epochs=2, swap=True, optimiser="muon"),
}


class Killed(BaseException):
    """Stands for a power cut: nothing in the program catches it."""


def last_state(work: Path) -> dict:
    """Weights, moments and random state at the end."""
    return load_file(latest_checkpoint(work) / TENSORS)


def assert_same(*folders: Path) -> None:
    """Two trainings have the same last state and the same checkpoints with the same figures."""
    first, second = (last_state(work) for work in folders)
    assert first.keys() == second.keys() and all(first[name].equal(second[name]) for name in first)
    first, second = (validation_figures(work) for work in folders)
    assert first == second


def validation_figures(work: Path) -> dict[str, dict]:
    """By checkpoint."""
    files = (work / "checkpoints").glob(f"*/{checkpoints.METRICS}")
    return {file.parent.name: json.loads(file.read_text("utf-8"))["validation"] for file in files}


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """Returns folder and figures of a training of a task that nothing interrupts."""
    torch.set_num_threads(1)  # as in every test; more threads would sum in another order

    @functools.cache
    def train(task):
        work, callback = tmp_path_factory.mktemp(task), RecordingCallback()
        train_tiny(work, callback, task, **RECIPES[task])
        return work, callback.figures

    return train


@pytest.mark.parametrize(
    "task, at",
    [
        ("imdb", 12),
        *(
            pytest.param(task, step, marks=pytest.mark.slow)
            for task, step in (("imdb", 1), ("imdb", 7), ("imdb", 23), ("afqmc", 3), ("afqmc", 14))
        ),
    ],
)
@pytest.mark.parametrize("save_seconds", [60.0, 0.0], ids=["saved at evaluations", "saved in every step"])
def test_killed_in_a_step_it_resumes_to_the_same_curve(tmp_path, reference, monkeypatch, task, at, save_seconds):
    monkeypatch.setattr(trainer, "SAVE_SECONDS", save_seconds)
    work, expected = reference(task)

    def kill(step):
        if step == at:
            raise Killed

    before, after = RecordingCallback(kill), RecordingCallback()
    with pytest.raises(Killed):
        train_tiny(tmp_path, before, task, **RECIPES[task])
    train_tiny(tmp_path, after, task, **RECIPES[task])
    earlier = [figures for figures in before.figures if figures["evaluation"] < after.figures[0]["evaluation"]]
    assert earlier + after.figures == expected
    assert_same(work, tmp_path)
    if save_seconds == 0:
        assert after.start[1] == at - 1, "only the interrupted step is repeated"


def test_killed_after_an_evaluation_it_repeats_the_evaluation(tmp_path, reference):
    work, expected = reference("imdb")
    before = RecordingCallback()
    before.on_snapshot = lambda evaluation, model: (_ for _ in ()).throw(Killed()) if evaluation == 3 else None
    with pytest.raises(Killed):
        train_tiny(tmp_path, before, **RECIPES["imdb"])
    after = RecordingCallback()
    train_tiny(tmp_path, after, **RECIPES["imdb"])
    assert before.figures[:2] + after.figures == expected and before.figures[2] == after.figures[0]
    assert_same(work, tmp_path)


@pytest.mark.parametrize("at", [5, pytest.param(11, marks=pytest.mark.slow), 23])
def test_stopped_after_a_step_it_resumes_from_there_to_the_same_curve(tmp_path, reference, at):
    work, expected = reference("imdb")
    before, after = RecordingCallback(lambda step: step == at), RecordingCallback()
    stopped, done = train_tiny(tmp_path, before, **RECIPES["imdb"])
    assert not done and (stopped.best is not None) == bool(before.figures)
    _, done = train_tiny(tmp_path, after, **RECIPES["imdb"])
    assert done and before.figures + after.figures == expected and after.start[1] == at
    assert_same(work, tmp_path)


def test_resuming_a_finished_training_does_nothing(tmp_path):
    train_tiny(tmp_path)
    again = RecordingCallback()
    _, done = train_tiny(tmp_path, again)
    assert done and (again.figures, again.snapshots) == ([], [])


def test_only_the_best_and_the_last_checkpoint_stay_and_only_the_last_can_be_resumed(tmp_path):
    """With a learning rate so small that the first evaluation stays the best."""
    result, _ = train_tiny(tmp_path, epochs=4, lr=1e-12, best="accuracy")
    files = {path.name: {file.name for file in path.iterdir()} for path in (tmp_path / "checkpoints").iterdir()}
    assert set(files) == {"6", "24"} and result.best.name == "6"
    assert files["24"] - files["6"] == {TENSORS, VALUES}
    assert checkpoints.read_info(tmp_path / "checkpoints" / "6").metrics.entries["validation"]["n"] == 48


def test_a_full_disk_loses_nothing_that_was_saved(tmp_path, reference, monkeypatch):
    save = trainer.save_state
    calls = []

    def full(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        save(*arguments)

    monkeypatch.setattr(trainer, "save_state", full)
    work, expected = reference("imdb")
    before, after = RecordingCallback(), RecordingCallback()
    with pytest.raises(Failure) as failure:
        train_tiny(tmp_path, before, **RECIPES["imdb"])
    assert failure.value.message.key == "training.not_saved"
    assert failure.value.message.values["reason"] == "No space left on device"
    assert not list((tmp_path / "checkpoints").glob(".*")), "no partial folder is left"
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


def test_resuming_with_other_data_is_refused(tmp_path):
    train_tiny(tmp_path, RecordingCallback(lambda step: step == 2))
    with pytest.raises(Failure) as failure:
        train_tiny(tmp_path, share=0.5)
    assert failure.value.message.key == "training.other_data"


def test_resuming_with_other_validation_rows_is_refused_once_the_model_was_evaluated(tmp_path, monkeypatch):
    """Its best evaluation could not be compared with those to come."""
    read = Task.read

    def read_with_a_duplicate(self, split, data="full"):
        first = {"duplicates": slice(0, 1), "validation": slice(1, None)}
        return read(self, "validation", data)[first[split]] if split in first else read(self, split, data)

    before, after = tmp_path / "before", tmp_path / "after"
    train_tiny(before, RecordingCallback(lambda step: step == 2))
    train_tiny(after, RecordingCallback(lambda step: step == 8))  # an epoch has 6 steps
    monkeypatch.setattr(Task, "read", read_with_a_duplicate)
    callback = RecordingCallback()
    train_tiny(before, callback)
    assert callback.start[1:] == (2, 12) and [figures["n"] for figures in callback.figures] == [47, 47]
    with pytest.raises(Failure) as failure:
        train_tiny(after)
    assert failure.value.message.key == "training.other_data"


KILLS_ITSELF = """
import os, signal, sys
from pathlib import Path
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.main import carry_out
append = Reporter.append_metrics
def append_and_die(reporter, figures):
    append(reporter, figures)
    if figures["evaluation"] == 3:
        os.kill(os.getpid(), signal.SIGKILL)
Reporter.append_metrics = append_and_die
carry_out(Path(sys.argv[1]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no such signal")
def test_after_sigkill_the_same_command_resumes_to_the_same_curve(tmp_path, reference):
    """Killed at the worst moment: after a line of metrics.jsonl and before the state that belongs to it."""
    work, expected = reference("imdb")
    run = tmp_path / "run"
    run.mkdir()
    settings = dict(
        task="imdb",
        data="sample",
        name="tiny",
        encoder={**ENCODER, "activation": "gelu", "stem": "none"},
        recipe={**vars(RECIPE), **RECIPES["imdb"]},
    )
    request = dict(kind="train", command=MAIN, device=DEVICE, settings=settings)
    (run / "request.json").write_text(json.dumps(request), encoding="utf-8")

    def start(*command: str) -> int:
        return subprocess.run(
            [sys.executable, "-W", "error", *command, str(run)],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "VIZ_RUN_ATTEMPT": "1"},
        ).returncode

    assert start("-c", KILLS_ITSELF) == -signal.SIGKILL
    assert lines(run / "metrics.jsonl") == expected[:3]
    assert start(*MAIN) == 0
    assert lines(run / "metrics.jsonl") == expected, "no line twice"
    assert json.loads((run / "status.json").read_text("utf-8"))["state"] == "finished"
    assert_same(work, run)
