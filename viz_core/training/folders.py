"""The checkpoint folders of a training, `checkpoints/<step>/`.

A folder is complete once its name appears. The best and the last one stay.
"""

import hashlib
import itertools
import json
import os
import secrets
import shutil
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
from safetensors import SafetensorError

from viz_core import checkpoints
from viz_core.analysis.evaluation.behaviour import category_scores, run_behavioural_tests
from viz_core.checkpoints import CONFIG, METRICS, TOKENIZER, WEIGHTS, load_folder
from viz_core.checkpoints.card import save_metrics_and_card
from viz_core.evidence.results import FOLDER as EVIDENCE
from viz_core.files import file_version
from viz_core.jobs.files import file_lock
from viz_core.records import Failure
from viz_core.tasks import get_task, own
from viz_core.training.state import TENSORS, VALUES, load_trainer_state

# In the folder of a model that was saved from a run on this machine. Git ignores the file, so no model ships with it.
PROVENANCE = "kept.json"
LOCK = ".lock"  # beside the folders of the tasks; whoever gives or takes a name in them holds it
_PARTIAL, _OLD, DELETED = "partial", "old", "deleted"  # the ends of the names of folders that are no models
_LONGEST_WRITE = 24 * 3600  # seconds


def checkpoint_folder(work: Path, step: int) -> Path:
    """The folder of the checkpoint after `step` steps."""
    return work / "checkpoints" / str(step)


def write_folder(folder: Path, fill: Callable[[Path], object], replace: bool = True) -> None:
    """Write a folder with what `fill` puts into it.

    Raises:
        Failure: If there is no room, if the folder exists and may not be replaced, or if it is not
            the one any more that was there at the beginning; what is there then stays.
    """
    partial, old, trash = (_unfinished(folder, end) for end in (_PARTIAL, _OLD, DELETED))
    before = _version(folder)
    try:
        partial.mkdir(parents=True)
        fill(partial)
        content = _files(partial)
        with file_lock(folder.parents[1] / LOCK):
            now = _version(folder)
            if now and not (replace and now == before):
                raise Failure("training.name_taken", task=folder.parent.name, name=folder.name)
            if _files(partial) != content:
                raise OSError(f"{partial.name} has lost files")
            if now:
                folder.rename(old)
            try:
                partial.rename(folder)
            except OSError:
                if now:
                    old.rename(folder)
                raise
            if now:
                old.rename(trash)  # or it would come back once somebody has deleted the new one
    except (OSError, SafetensorError) as error:  # safetensors has its own error for a full disk
        reason = getattr(error, "strerror", None) or str(error)
        raise Failure("training.not_saved", folder=str(folder), reason=reason) from error
    finally:
        for leftover in (partial, trash):
            shutil.rmtree(leftover, ignore_errors=True)


def remove_folder(folder: Path) -> None:
    """Remove a folder, for all readers at once.

    Raises:
        OSError: If that is impossible; it then stays.
        Failure: If the lock is taken for long.
    """
    trash = _unfinished(folder, DELETED)
    with file_lock(folder.parents[1] / LOCK):
        folder.rename(trash)
    shutil.rmtree(trash, ignore_errors=True)


def _unfinished(folder: Path, end: str) -> Path:
    """A name that no other writer has, on any machine."""
    return folder.with_name(f".{folder.name}.{os.getpid()}-{_machine()}-{secrets.token_hex(4)}.{end}")


def _is_abandoned(partial: Path, writer: str) -> bool:
    """Whether nobody writes a partial folder any more; on another machine, or in another container, after a day."""
    pid, *others = writer.split("-")
    if others[:-1] not in ([], [_machine()]):
        return time.time() - partial.stat().st_mtime > _LONGEST_WRITE
    return pid.isdigit() and not psutil.pid_exists(int(pid))


def _machine() -> str:
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


def _version(folder: Path) -> tuple | None:
    """Changes when the folder is replaced; None if there is none."""
    try:
        return folder.lstat().st_ino, file_version(folder / WEIGHTS)
    except OSError:
        return None


def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def restore_replaced(root: Path) -> None:
    """Clean up below `root/*/` after processes that were killed in `write_folder` or `remove_folder`.

    A folder whose replacement was killed between its two renames gets its name back; other
    leftovers are removed.
    """
    if not any(root.glob("*/.*.*")):
        return
    # Nobody is between two renames while we hold the lock.
    with suppress(OSError, Failure), file_lock(root / LOCK):
        for leftover in root.glob("*/.*.*"):
            name, _, end = leftover.name[1:].rpartition(".")
            name, _, writer = name.rpartition(".")
            with suppress(OSError):
                if end == _OLD and not (folder := leftover.with_name(name)).exists():
                    leftover.rename(folder)
                elif end in (_OLD, DELETED) or (end == _PARTIAL and _is_abandoned(leftover, writer)):
                    shutil.rmtree(leftover)


def is_taken(folder: Path) -> bool:
    """Whether a model of this task, or anything else in its folder, has this name."""
    task, name = folder.parts[-2:]
    return any(os.path.lexists(path) for path in (folder, *(place / task / name for place in checkpoints.folders())))


def free_folder(folder: Path) -> Path:
    """The folder, numbered if its name is taken: small, small-2, small-3."""
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in itertools.count(2))
    return next(path for path in itertools.chain([folder], numbered) if not is_taken(path))


def latest_checkpoint(work: Path) -> Path | None:
    """The checkpoint to resume from, if there is any."""
    steps = [int(file.parent.name) for file in (work / "checkpoints").glob(f"*/{VALUES}") if file.parent.name.isdigit()]
    return checkpoint_folder(work, max(steps)) if steps else None


def remove_other_checkpoints(work: Path, best: int | None, last: int) -> None:
    """Remove all checkpoints but these two, partial folders, and the resume files of all but the last."""
    for folder in (work / "checkpoints").iterdir():
        if folder.name not in (str(best), str(last)):
            shutil.rmtree(folder, ignore_errors=True)
        elif folder.name != str(last):
            for file in (TENSORS, VALUES):
                (folder / file).unlink(missing_ok=True)


def publish(folder: Path, out: Path, provenance: dict | None = None, replace: bool = True) -> Path:
    """Copy a checkpoint, without its resume files, to where models are loaded from.

    The card gets the new name, the scores on the behavioural tests and the duration of the training
    so far.

    Args:
        folder: The checkpoint.
        out: The new folder.
        provenance: Content of the file PROVENANCE; None for no such file.
        replace: Whether `out` may be replaced.

    Returns:
        The new folder: numbered if somebody else has saved a model under that name meanwhile.

    Raises:
        Failure: If it cannot be written.
    """
    target = out

    def fill(partial: Path) -> None:
        for file in (WEIGHTS, CONFIG, TOKENIZER, METRICS):
            shutil.copy(folder / file, partial / file)
        if (folder / EVIDENCE).is_dir():  # of a task of one's own, whose rows are gone by now
            shutil.copytree(folder / EVIDENCE, partial / EVIDENCE)
        if definition := own.find_definition(target.parent.name):
            own.write_definition(partial, definition)
        save_metrics_and_card(partial, _tested_metrics(partial) | _duration(folder.parents[1]), target.name)
        if provenance is not None:
            (partial / PROVENANCE).write_text(json.dumps(provenance) + "\n", encoding="utf-8")

    while True:
        try:
            write_folder(target, fill, replace)
            return target
        except Failure as failure:
            if failure.message.key != "training.name_taken":
                raise
            target, replace = free_folder(out), False


def _tested_metrics(folder: Path) -> dict:
    """The metrics of a checkpoint folder, with the scores on the behavioural tests if its task has any."""
    metrics = json.loads((folder / METRICS).read_text(encoding="utf-8"))
    task = metrics["task"]
    tests = get_task(task).behavioural_tests()
    if not tests:
        return metrics
    return {**metrics, "probes": category_scores(run_behavioural_tests(load_folder(folder, task), tests))}


def _duration(work: Path) -> dict:
    """The seconds that a training has taken, as an entry of the metrics.

    The metrics of the best checkpoint hold only the seconds until it was written.
    """
    latest = latest_checkpoint(work)
    try:
        return {"wall_seconds": round(load_trainer_state(latest).seconds)} if latest else {}
    except Failure:  # a damaged state is no reason to lose the best checkpoint
        return {}
