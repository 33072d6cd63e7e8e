"""Models saved from runs can be deleted; all others stay."""

import errno
import json
import multiprocessing
import os
import shutil
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from torch import nn

from tests.faults.children import DONE, exit_code, fork
from tests.pages.fake_runs import FIGURES, OWNER, write_checkpoint
from viz_core import checkpoints
from viz_core.jobs.runs import Request, Run
from viz_core.jobs.state import Status
from viz_core.records import Failure, Message
from viz_core.training import folders
from viz_core.training.saved_models import delete_model, free_name, restore_models, save_model, saved_models
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
    meet, met, copy = threading.Barrier(count), set(), shutil.copy

    def copy_together(source, target):
        if threading.get_ident() not in met:
            met.add(threading.get_ident())
            meet.wait(timeout=60)
        return copy(source, target)

    def save(_) -> Path | Message:
        try:
            return save_model(run, name, **options)
        except Failure as failure:
            return failure.message

    monkeypatch.setattr(shutil, "copy", copy_together)
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(save, range(count)))


@pytest.mark.parametrize("overwrite", [False, True])
def test_all_who_save_under_one_name_at_once_are_told_the_name_that_theirs_has(run, monkeypatch, overwrite):
    """Nobody replaces a model that was not there when they decided to replace."""
    if overwrite:
        save_model(run)
    results = save_at_once(run, monkeypatch, "mine", 3, overwrite=overwrite)
    names = ["mine", "mine-2", "mine-3"]
    assert sorted(path.name for path in results) == names
    for name in names:
        assert checkpoints.load("imdb", name)
        assert checkpoints.read_card(checkpoints.folder() / "imdb" / name).startswith(f"# imdb / {name}\n")
    assert {path.name for path in (checkpoints.folder() / "imdb").iterdir()} == {"tiny", *names}


@pytest.mark.parametrize(
    ("other", "failure"), [(save_model, "training.name_taken"), (lambda run: restore_models(), None)]
)
def test_whoever_comes_between_the_two_renames_of_a_replacement_waits_for_the_second(run, monkeypatch, other, failure):
    save_model(run)
    rename, lock, waiting, others = Path.rename, folders.file_lock, threading.Event(), []

    def noticed_lock(path):
        if threading.current_thread() is not threading.main_thread():
            waiting.set()
        return lock(path)

    def rename_after_the_other(path, target):
        if path.name.endswith(".partial") and not others:  # the model has no name now
            others.append(pool.submit(other, run))
            assert waiting.wait(30)
        return rename(path, target)

    monkeypatch.setattr(folders, "file_lock", noticed_lock)
    monkeypatch.setattr(Path, "rename", rename_after_the_other)
    with ThreadPoolExecutor(1) as pool:
        assert save_model(run, overwrite=True).name == "mine"
    assert failure is None or others[0].exception().message.key == failure
    assert {path.name for path in (checkpoints.folder() / "imdb").iterdir()} == {"tiny", "mine"}
    assert checkpoints.load("imdb", "mine")


def test_a_model_that_lost_a_file_while_it_was_written_is_not_published(run, monkeypatch):
    between = shutil.copy

    def copy_and_lose(source, target):
        result = between(source, target)
        if Path(source).name == checkpoints.METRICS:
            monkeypatch.setattr("viz_core.training.folders.file_lock", lose(Path(target).parent))
        return result

    def lose(partial):
        @contextmanager
        def lock(path):
            (partial / checkpoints.WEIGHTS).unlink()  # as somebody who cleans up would
            yield

        return lock

    monkeypatch.setattr(shutil, "copy", copy_and_lose)
    with pytest.raises(Failure, match="training.not_saved"):
        save_model(run)
    assert [path.name for path in (checkpoints.folder() / "imdb").iterdir()] == ["tiny"]


@pytest.mark.skipif(sys.platform != "linux", reason="copies itself")
@pytest.mark.parametrize("overwrite", [False, True])
def test_processes_that_save_under_one_name_at_once_lose_no_model(run, tmp_path, monkeypatch, overwrite):
    if overwrite:
        save_model(run)
    meet, told, copy = multiprocessing.get_context("fork").Barrier(4), tmp_path / "told", shutil.copy
    told.mkdir()

    def copy_together(source, target):
        if Path(source).name == checkpoints.WEIGHTS and not told.joinpath(f"{os.getpid()}").exists():
            told.joinpath(f"{os.getpid()}").touch()
            meet.wait(60)
        return copy(source, target)

    def save() -> None:
        name = save_model(run, "mine", overwrite).name
        told.joinpath(f"{os.getpid()}").write_text(name)

    monkeypatch.setattr(shutil, "copy", copy_together)
    children = [fork(save) for _ in range(4)]
    assert [exit_code(child) for child in children] == [DONE] * 4
    names = sorted(file.read_text() for file in told.iterdir())
    assert names == ["mine", "mine-2", "mine-3", "mine-4"]
    for name in names:
        assert checkpoints.load("imdb", name)


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


def test_a_model_belongs_to_whoever_saved_it(run):
    save_model(run, owner="anna")
    assert [model.owner for model in saved_models()] == ["anna"] != [run.request.owner]


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
