"""Registry of tasks: corpus, tokenizer, labels and presets of each.

A new task is a corpus in `datasets/`, a file here, and an entry in TASKS, if it is a classification; the first entry is
the default task. Translations are in TRANSLATION_TASKS.
"""

from __future__ import annotations

from viz_core.records import Failure
from viz_core.tasks.afqmc import AFQMC
from viz_core.tasks.imdb import IMDB
from viz_core.tasks.task import Task, TextTask, TranslationTask
from viz_core.tasks.tatoeba import TATOEBA
from viz_core.tasks.thucnews import THUCNEWS

__all__ = ["TASKS", "TRANSLATION_TASKS", "Task", "TextTask", "TranslationTask", "all_tasks", "get_task"]

TASKS = {task.name: task for task in (IMDB, AFQMC, THUCNEWS)}
TRANSLATION_TASKS = {task.name: task for task in (TATOEBA,)}


def all_tasks() -> dict[str, TextTask]:
    """The tasks of either kind, by name."""
    return {**TASKS, **TRANSLATION_TASKS}


def get_task(name: str) -> TextTask:
    """The task of this name, of either kind. Raises Failure, naming the available tasks."""
    tasks = all_tasks()
    if name not in tasks:
        raise Failure("tasks.unknown", name=name, known=list(tasks))
    return tasks[name]
