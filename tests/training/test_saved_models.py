"""Models saved from runs can be deleted; all others stay."""

import errno
import json
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from torch import nn

from tests.pages.fake_runs import FIGURES, OWNER, write_checkpoint
from viz_core import checkpoints
from viz_core.jobs.runs import Request, Run
from viz_core.jobs.state import Status
from viz_core.records import Failure, Message
from viz_core.training.saved_models import delete_model, free_name, save_model, saved_models
from viz_core.training.state import VALUES, TrainerState, save_state


@pytest.fixture
def run(tmp_path, checkpoints_dir) -> Run:
    path = tmp_path / "runs" / "some-run"
    path.mkdir(parents=True)
    write_checkpoint(path, 20)
    request = Request(name="mine", owner=OWNER, settings={"task": "imdb"})
    return Run(path, request, Status("finished", best={"step": 20}))


def test_a_saved_model_knows_its_run_and_can_be_deleted(run):
    out = save_model(run)
    (saved,) = saved_models()
    assert (saved.info.name, saved.run, saved.owner) == ("mine", run.id, OWNER) and saved.when > 1e9
    delete_model("imdb", "mine")
    assert not out.exists() and saved_models() == [] and [path.name for path in out.parent.iterdir()] == ["tiny"]


def test_the_card_has_the_duration_of_the_whole_training(run):
    later = run.path / "checkpoints" / "30"
    later.mkdir()
    module = nn.Linear(1, 1)
    save_state(later, TrainerState(step=30, seconds=3600.4), module, torch.optim.Adam(module.parameters()), {})
    out = save_model(run)
    assert "in 60 minutes" in (out / "README.md").read_text(encoding="utf-8")
    assert checkpoints.read_info(out).metrics.entries["wall_seconds"] == 3600


def test_the_best_checkpoint_can_be_saved_beside_a_damaged_state(run):
    later = run.path / "checkpoints" / "30"
    later.mkdir()
    (later / VALUES).write_text("{")
    assert checkpoints.read_info(save_model(run)).metrics.entries["wall_seconds"] == FIGURES["wall_seconds"]


def test_a_name_that_is_taken_is_refused_unless_it_is_replaced(run, checkpoints_dir):
    with pytest.raises(Failure) as failure:
        save_model(run, "tiny")
    assert failure.value.message == Message("training.name_taken", {"task": "imdb", "name": "tiny"})
    assert save_model(run, "tiny", overwrite=True) == checkpoints_dir / "imdb" / "tiny"


def save_at_once(run, monkeypatch, name: str, count: int = 2, **options) -> list[Path | Message]:
    """What several visitors get who save a model under one name, each before any of them has finished."""
    meet, copy = threading.Barrier(count), shutil.copy

    def copy_together(source, target):
        if Path(source).name == checkpoints.CONFIG:
            meet.wait(timeout=30)
        return copy(source, target)

    def save(_) -> Path | Message:
        try:
            return save_model(run, name, **options)
        except Failure as failure:
            return failure.message

    monkeypatch.setattr(shutil, "copy", copy_together)
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(save, range(count)))


def test_of_two_visitors_who_save_under_one_name_at_once_one_is_told_that_it_is_taken(run, monkeypatch):
    results = save_at_once(run, monkeypatch, "mine")
    out = checkpoints.folder() / "imdb" / "mine"
    assert out in results and Message("training.name_taken", {"task": "imdb", "name": "mine"}) in results
    assert checkpoints.load("imdb", "mine") and {path.name for path in out.parent.iterdir()} == {"tiny", "mine"}


def test_of_two_visitors_who_replace_a_model_at_once_neither_leaves_half_of_one(run, monkeypatch):
    save_model(run)
    results = save_at_once(run, monkeypatch, "mine", overwrite=True)
    assert checkpoints.folder() / "imdb" / "mine" in results
    assert checkpoints.load("imdb", "mine")
    assert {path.name for path in (checkpoints.folder() / "imdb").iterdir()} == {"tiny", "mine"}


def test_a_model_whose_replacement_cannot_be_named_stays(run, monkeypatch):
    save_model(run)
    rename = Path.rename

    def refuse(path, target):
        if path.name.endswith(".partial"):
            raise OSError(errno.EACCES, "Permission denied")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(Failure, match="training.not_saved"):
        save_model(run, overwrite=True)
    assert checkpoints.load("imdb", "mine")
    assert {path.name for path in (checkpoints.folder() / "imdb").iterdir()} == {"tiny", "mine"}


def test_a_model_that_cannot_be_removed_is_named(run, monkeypatch):
    save_model(run)

    def refuse(path, target):
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(Failure) as failure:
        delete_model("imdb", "mine")
    assert failure.value.message == Message("training.not_deleted", {"name": "mine", "reason": "Permission denied"})


def test_a_free_name_has_the_first_free_number(checkpoints_dir):
    assert (free_name("imdb", "mine"), free_name("imdb", "tiny")) == ("mine", "tiny-2")
    (checkpoints_dir / "imdb" / "tiny-2").mkdir()
    (checkpoints_dir / "imdb" / "tiny-4").mkdir()
    assert (free_name("imdb", "tiny"), free_name("afqmc", "tiny")) == ("tiny-3", "tiny-2")


@pytest.mark.parametrize("name", ["tiny", "nobody", "..", ""])
def test_a_model_not_saved_here_cannot_be_deleted(run, checkpoints_dir, name):
    with pytest.raises(Failure) as failure:
        delete_model("imdb", name)
    assert failure.value.message.key == "training.not_saved_here"
    assert (checkpoints_dir / "imdb/tiny/config.json").exists()


def test_a_saved_model_with_figures_of_the_test_cannot_be_deleted(run):
    out = save_model(run)
    checkpoints.save_metrics(out, {**FIGURES, "split": "test"})
    assert saved_models() == []
    with pytest.raises(Failure):
        delete_model("imdb", "mine")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"run": "x"}', "[" * 200_000], ids=range(5))
def test_a_model_with_damaged_provenance_cannot_be_deleted(run, content):
    out = save_model(run)
    (out / "kept.json").write_text(content)
    assert saved_models() == [] and checkpoints.load("imdb", "mine")


def test_git_ignores_the_provenance_of_saved_models(run):
    """A model that ships can therefore never be deleted."""
    ignored = (checkpoints.FOLDER.parent / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "/checkpoints/*/*/kept.json" in ignored
    assert json.loads((save_model(run) / "kept.json").read_text())["run"] == run.id
