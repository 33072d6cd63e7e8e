"""The tasks: which corpus, which tokenizer, which labels, which presets. A new task is a corpus in `datasets/`, and a
file with its entry here; the first task is the one that is shown where nobody has chosen another."""

from __future__ import annotations

from viz_core.records import Failure
from viz_core.tasks.afqmc import AFQMC
from viz_core.tasks.imdb import IMDB
from viz_core.tasks.task import Task

__all__ = ["TASKS", "Task", "task_named"]

TASKS = {task.name: task for task in (IMDB, AFQMC)}


def task_named(name: str) -> Task:
    """Raises Failure, naming the tasks there are."""
    if name not in TASKS:
        raise Failure("tasks.unknown", name=name, known=list(TASKS))
    return TASKS[name]
