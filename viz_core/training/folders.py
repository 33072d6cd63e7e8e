"""A training's checkpoint folders, `checkpoints/<step>/`: complete once their names appear; the best and the last stay."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from safetensors import SafetensorError

from viz_core.analysis.behaviour import run_behavioural_tests, category_scores
from viz_core.checkpoints import CONFIG, METRICS, TOKENIZER, WEIGHTS, load_folder
from viz_core.checkpoints.card import record
from viz_core.records import Failure
from viz_core.tasks import task_named
from viz_core.training.state import TENSORS, VALUES, load_standing

KEPT = "kept.json"  # beside a model that was kept from a run on this machine; git leaves it out, so no model ships with one


def checkpoint_folder(work: Path, step: int) -> Path:
    return work / "checkpoints" / str(step)


def write_folder(folder: Path, fill: Callable[[Path], object]) -> None:
    """A folder with what `fill` puts into it. Raises Failure where there is no room; then what was there before is."""
    partial, old = (folder.with_name(f".{folder.name}.{os.getpid()}.{end}") for end in ("partial", "old"))
    try:
        partial.mkdir(parents=True)
        fill(partial)
        if folder.exists():
            folder.rename(old)
        partial.rename(folder)
    except (OSError, SafetensorError) as error:  # safetensors has its own error for a full disk
        reason = getattr(error, "strerror", None) or str(error)
        raise Failure("training.not_saved", folder=str(folder), reason=reason) from error
    finally:
        for left in (partial, old):
            shutil.rmtree(left, ignore_errors=True)


def last_folder(work: Path) -> Path | None:
    """The checkpoint to go on from, if there is one."""
    steps = [int(file.parent.name) for file in (work / "checkpoints").glob(f"*/{VALUES}") if file.parent.name.isdigit()]
    return checkpoint_folder(work, max(steps)) if steps else None


def keep_only(work: Path, best: int | None, last: int) -> None:
    """Removes all checkpoints but these two, what was left half written, and what nobody resumes from any more."""
    for folder in (work / "checkpoints").iterdir():
        if folder.name not in (str(best), str(last)):
            shutil.rmtree(folder, ignore_errors=True)
        elif folder.name != str(last):
            for file in (TENSORS, VALUES):
                (folder / file).unlink(missing_ok=True)


def publish(folder: Path, out: Path, kept: dict | None = None) -> None:
    """Copies a checkpoint, without what only resuming needs, to where models are looked for; its card gets the new name, and
    the time of the whole training as far as it has come. kept: where it comes from, as KEPT beside it. Raises Failure as
    above."""

    def fill(partial: Path) -> None:
        for file in (WEIGHTS, CONFIG, TOKENIZER, METRICS):
            shutil.copy(folder / file, partial / file)
        record(partial, _probed(partial) | _duration(folder.parents[1]), out.name)
        if kept is not None:
            (partial / KEPT).write_text(json.dumps(kept) + "\n", encoding="utf-8")

    write_folder(out, fill)


def _probed(folder: Path) -> dict:
    """The figures of a checkpoint folder, with the scores on the probes where its task has any."""
    figures = json.loads((folder / METRICS).read_text(encoding="utf-8"))
    task = figures["task"]
    probes = task_named(task).behavioural_tests()
    return {**figures, "probes": category_scores(run_behavioural_tests(load_folder(folder, task), probes))} if probes else figures


def _duration(work: Path) -> dict:
    """The seconds that a training has taken: its best checkpoint knows of those until it was made alone."""
    last = last_folder(work)
    try:
        return {"wall_seconds": round(load_standing(last).seconds)} if last else {}
    except Failure:  # a damaged state is no reason to give up the best checkpoint
        return {}
