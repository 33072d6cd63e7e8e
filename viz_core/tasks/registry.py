"""Which tasks there are. Tasks may be added while the process runs, from any thread."""

from threading import Lock
from typing import Generic, TypeVar

from viz_core.language import add_words, remove_words
from viz_core.records import OTHER, OTHER_TRANSLATION, Failure
from viz_core.tasks.task import CLASSIFICATION, TRANSLATION, Task, TaskKind

Record = TypeVar("Record")

_lock = Lock()
_tasks: dict[str, Task] = {}
_ELSEWHERE = {OTHER: CLASSIFICATION, OTHER_TRANSLATION: TRANSLATION}  # what models from elsewhere are shown as


def register(task: Task) -> None:
    """Adds a task; the first of its kind is the default. Raises ValueError if its name is taken."""
    with _lock:
        if task.name in _tasks or task.name in _ELSEWHERE:
            raise ValueError(f"name={task.name!r} is taken by another task")
        _tasks[task.name] = task
    add_words(task.name, task.words)


def unregister(name: str) -> None:
    """Removes a task. Raises KeyError if there is none of this name."""
    with _lock:
        del _tasks[name]
    remove_words(name)


def all_tasks(kind: TaskKind | None = None) -> dict[str, Task]:
    """The tasks there are now, or those of a kind, by name in the order in which they were added."""
    with _lock:
        return {name: task for name, task in _tasks.items() if kind in (None, task.kind)}


def get_task(name: str) -> Task:
    """The task of this name. Raises Failure, naming the available tasks."""
    tasks = all_tasks()
    if name not in tasks:
        raise Failure("tasks.unknown", name=name, known=list(tasks))
    return tasks[name]


def default_task(kind: TaskKind) -> Task:
    """The first task of a kind. Raises StopIteration if there is none."""
    return next(iter(all_tasks(kind).values()))


def kind_of(name: str) -> TaskKind:
    """The kind of the task of this name, also of `other` and `other_translation`. Raises Failure."""
    return _ELSEWHERE[name] if name in _ELSEWHERE else get_task(name).kind


class OfKind(Generic[Record]):
    """The records of a package, one for each kind of task, with what it does for tasks of that kind; models from
    elsewhere may have one of their own, by the name of their task.

    default: the record of kinds that have none of their own, if there can be such.
    """

    def __init__(self, default: Record | None = None) -> None:
        self._records: dict[str, Record] = {}
        self._default = default

    def register(self, kind: TaskKind | str, record: Record) -> None:
        """Sets the record of a kind, or of models from elsewhere, in place of an earlier one."""
        with _lock:
            self._records[kind if isinstance(kind, str) else kind.name] = record

    def names(self) -> list[str]:
        """Of the kinds with a record, in the order in which they were registered."""
        with _lock:
            return list(self._records)

    def of(self, task: str | TaskKind) -> Record:
        """The record for a kind, or for the task of this name. Raises Failure for an unknown task, LookupError for a
        kind without a record."""
        kind = kind_of(task) if isinstance(task, str) else task
        with _lock:
            record = self._records.get(kind.name, self._default)
            record = self._records.get(str(task), record) if task in _ELSEWHERE else record
        if record is None:
            raise LookupError(f"there is no record for {kind.described}")
        return record
