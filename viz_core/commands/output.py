"""Shared by the commands that use models: which model, layer and head is meant, and writing a file."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from viz_core import checkpoints
from viz_core.adapters.opening import LargeModel, open_model
from viz_core.adapters.references import is_reference
from viz_core.checkpoints import Checkpoint
from viz_core.records import Failure, failing
from viz_core.tasks import all_tasks


@dataclass(frozen=True)
class Report:
    """A result with lines of its own for people. failed: whether the command exits with 1."""

    entries: list[dict]
    text: str
    failed: bool


def load_checkpoint(task: str | None, model: str | None, accept_large: bool = False) -> Checkpoint:
    """The model of this name or reference (`path:…`, `hf:…`), or the first of the task. Raises Failure.

    accept_large: whether a model from elsewhere may take much memory.
    """
    if model and is_reference(model):
        return _open(model, accept_large)
    if task is None:
        raise Failure("cli.no_task", known=list(all_tasks()))
    if model:
        return checkpoints.load(task, model)
    names = [info.name for info in checkpoints.task_checkpoints(task)]
    if not names:
        raise Failure("checkpoints.no_models", task=task)
    return checkpoints.load(task, names[0])


def _open(reference: str, accept_large: bool) -> Checkpoint:
    try:
        return open_model(reference, accept_large)
    except LargeModel as failure:
        raise Failure("cli.large_model", estimate=failure.message) from failure


def index_of(what: str, number: int | None, count: int) -> int | None:
    """The index from 0 for a layer or head number from 1; None, for the mean, stays None. Raises Failure."""
    if number is not None and not 1 <= number <= count:
        raise Failure(f"cli.no_such_{what}", number=number, count=count)
    return None if number is None else number - 1


def write_file(file: str, write: Callable[[Path], object]) -> None:
    """Raises Failure if the file cannot be written."""
    with failing(OSError, "cli.not_writable", file=file):
        write(Path(file))
