"""Registry of tasks: corpus, tokenizer, labels and presets of each.

A new task is a corpus in `datasets/`, a file here, and an entry in TASKS; the first entry is the default task.
"""

from __future__ import annotations

from viz_core.records import Failure
from viz_core.tasks.afqmc import AFQMC
from viz_core.tasks.imdb import IMDB
from viz_core.tasks.task import Task

__all__ = ["TASKS", "Task", "get_task"]

TASKS = {task.name: task for task in (IMDB, AFQMC)}


def get_task(name: str) -> Task:
    """The task of this name. Raises Failure, naming the available tasks."""
    if name not in TASKS:
        raise Failure("tasks.unknown", name=name, known=list(TASKS))
    return TASKS[name]
