"""Registry of tasks: corpus, tokenizer, labels, presets and words of each, and what tasks of a kind share.

A new task needs a corpus in `datasets/`, a file here, and an entry below. The first task of a kind
is its default. Tasks of a person's own (`own/`) are found by name, and are in no list.
"""

from viz_core.tasks.afqmc import AFQMC
from viz_core.tasks.imdb import IMDB
from viz_core.tasks.imdb_text import IMDB_TEXT
from viz_core.tasks.own.task import find_task as find_own_task
from viz_core.tasks.registry import (
    OfKind,
    add_finder,
    all_tasks,
    default_task,
    find_task,
    get_task,
    kind_of,
    register,
    unregister,
)
from viz_core.tasks.syllables import SYLLABLES
from viz_core.tasks.task import CLASSIFICATION, LANGUAGE_MODEL, TRANSLATION, Measure, Task, TaskKind
from viz_core.tasks.tatoeba import TATOEBA
from viz_core.tasks.thucnews import THUCNEWS

__all__ = [
    "CLASSIFICATION",
    "LANGUAGE_MODEL",
    "TRANSLATION",
    "Measure",
    "OfKind",
    "Task",
    "TaskKind",
    "add_finder",
    "all_tasks",
    "default_task",
    "find_task",
    "get_task",
    "kind_of",
    "register",
    "unregister",
]

for _task in (IMDB, AFQMC, THUCNEWS, TATOEBA, IMDB_TEXT, SYLLABLES):
    register(_task)
add_finder(find_own_task)
