"""The checkpoint folders of a training, `checkpoints/<step>/`.

A folder is complete once its name appears. The best and the last one stay.
"""

import json
import os
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
from safetensors import SafetensorError

from viz_core.analysis.evaluation.behaviour import category_scores, run_behavioural_tests
from viz_core.checkpoints import CONFIG, METRICS, TOKENIZER, WEIGHTS, load_folder
from viz_core.checkpoints.card import save_metrics_and_card
from viz_core.records import Failure
from viz_core.tasks import get_task
from viz_core.training.state import TENSORS, VALUES, load_trainer_state

# In the folder of a model that was saved from a run on this machine. Git ignores the file, so no model ships with it.
PROVENANCE = "kept.json"


def checkpoint_folder(work: Path, step: int) -> Path:
    """The folder of the checkpoint after `step` steps."""
    return work / "checkpoints" / str(step)


def write_folder(folder: Path, fill: Callable[[Path], object], replace: bool = True) -> None:
    """Write a folder with what `fill` puts into it.

    Raises:
        Failure: If there is no room, or if the folder exists and may not be replaced; the previous
            folder then stays.
    """
    writer = f"{os.getpid()}-{threading.get_ident()}"  # two visitors may write under one name at once
    partial, old = (folder.with_name(f".{folder.name}.{writer}.{suffix}") for suffix in ("partial", "old"))
    try:
        partial.mkdir(parents=True)
        fill(partial)
        if replace and folder.exists():
            folder.rename(old)
        partial.rename(folder)
    except (OSError, SafetensorError) as error:  # safetensors has its own error for a full disk
        if not replace and folder.exists():
            raise Failure("training.name_taken", task=folder.parent.name, name=folder.name) from error
        if old.exists() and not folder.exists():
            old.rename(folder)
        reason = getattr(error, "strerror", None) or str(error)
        raise Failure("training.not_saved", folder=str(folder), reason=reason) from error
    finally:
        for leftover in (partial, old):
            shutil.rmtree(leftover, ignore_errors=True)


def restore_replaced(root: Path) -> None:
    """Clean up below `root/*/` after processes that were killed in `write_folder`.

    A folder whose replacement was killed between its two renames gets its name back; other
    leftovers are removed.
    """
    for leftover in [*root.glob("*/.*.partial"), *root.glob("*/.*.old")]:
        name, writer, kind = leftover.name[1:].rsplit(".", 2)
        pid = writer.partition("-")[0]
        if not pid.isdigit() or psutil.pid_exists(int(pid)):
            continue
        with suppress(OSError):  # another process may clean up at the same time
            if kind == "old" and not leftover.with_name(name).exists():
                leftover.rename(leftover.with_name(name))
            else:
                shutil.rmtree(leftover)


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


def publish(folder: Path, out: Path, provenance: dict | None = None, replace: bool = True) -> None:
    """Copy a checkpoint, without its resume files, to where models are loaded from.

    The card gets the new name, the scores on the behavioural tests and the duration of the training
    so far.

    Args:
        folder: The checkpoint.
        out: The new folder.
        provenance: Content of the file PROVENANCE; None for no such file.
        replace: Whether `out` may be replaced.

    Raises:
        Failure: As for `write_folder`.
    """

    def fill(partial: Path) -> None:
        for file in (WEIGHTS, CONFIG, TOKENIZER, METRICS):
            shutil.copy(folder / file, partial / file)
        save_metrics_and_card(partial, _tested_metrics(partial) | _duration(folder.parents[1]), out.name)
        if provenance is not None:
            (partial / PROVENANCE).write_text(json.dumps(provenance) + "\n", encoding="utf-8")

    write_folder(out, fill, replace)


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
