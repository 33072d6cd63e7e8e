"""A model that is being replaced when its process is killed: at every step it is there again after the next start."""

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from tests.faults.children import exit_code, fork
from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.training import door
from viz_core.training.folders import _unfinished, write_folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies itself and kills the copy")
NEW = "# new\n"


def replace_and_die(model: Path, step: str) -> None:
    """Replaces a model and kills itself before this step."""
    rename, rmtree, renames = Path.rename, shutil.rmtree, []

    def die(name: str) -> None:
        if name == step:
            os.kill(os.getpid(), signal.SIGKILL)

    def counting_rename(self: Path, target: Path) -> Path:
        renames.append(target)
        die(f"rename {len(renames)}")
        return rename(self, target)

    def dying_rmtree(*arguments: object, **options: object) -> None:
        die("clean")
        rmtree(*arguments, **options)

    Path.rename, shutil.rmtree = counting_rename, dying_rmtree

    def fill(partial: Path) -> None:
        die("fill")
        for file in model.iterdir():
            (partial / file.name).write_bytes(file.read_bytes())
        (partial / checkpoints.CARD).write_text(NEW)

    write_folder(model, fill)


@pytest.mark.parametrize(
    ("step", "is_new"), [("fill", False), ("rename 1", False), ("rename 2", False), ("rename 3", True), ("clean", True)]
)
def test_a_replacement_killed_at_any_step_leaves_the_old_or_the_new_model(checkpoints_dir, step, is_new):
    model = checkpoints_dir / "imdb/tiny"
    (model / checkpoints.CARD).write_text("# old\n")
    assert exit_code(fork(lambda: replace_and_die(model, step))) == -signal.SIGKILL
    assert model.exists() == (step != "rename 2")
    door.restore_models()
    assert (model / checkpoints.CARD).read_text() == (NEW if is_new else "# old\n")
    assert checkpoints.load("imdb", "tiny")
    assert [path.name for path in model.parent.iterdir()] == ["tiny"]


def test_a_replacement_that_is_under_way_is_left_alone(checkpoints_dir):
    partial = checkpoints_dir / f"imdb/.tiny.{os.getpid()}.partial"
    partial.mkdir()
    door.restore_models()
    assert partial.exists()


def test_what_another_machine_writes_is_left_alone_for_a_day(checkpoints_dir, monkeypatch):
    with monkeypatch.context() as other:
        other.setattr("socket.gethostname", lambda: "other")
        partial = _unfinished(checkpoints_dir / "imdb/tiny", "partial")
    partial = partial.with_name(partial.name.replace(f".{os.getpid()}-", ".99999999-"))  # no such process here
    partial.mkdir()
    door.restore_models()
    assert partial.exists()
    os.utime(partial, (0, 0))
    door.restore_models()
    assert not partial.exists()


def test_a_model_whose_deletion_was_killed_does_not_come_back(checkpoints_dir, monkeypatch):
    model = save_checkpoint(checkpoints_dir, "imdb", "mine")
    (model / "kept.json").write_text('{"run": "r", "owner": "o", "when": 1}')
    monkeypatch.setattr(shutil, "rmtree", lambda *arguments, **options: None)
    door.delete_model("imdb", "mine")
    door.restore_models()
    assert not model.exists()
