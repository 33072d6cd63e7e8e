"""Registry of tasks, to which tasks may be added while the process runs, from any thread."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from viz_core.language import add_words, remove_words
from viz_core.records import OTHER, OTHER_TRANSLATION, Failure
from viz_core.tasks.task import CLASSIFICATION, TRANSLATION, Task, TaskKind

Record = TypeVar("Record")

_lock = Lock()
_tasks: dict[str, Task] = {}
_finders: list[Callable[[str], Task | None]] = []
_ELSEWHERE = {OTHER: CLASSIFICATION, OTHER_TRANSLATION: TRANSLATION}  # kinds of external models


def register(task: Task) -> None:
    """Add a task; the first of its kind is the default.

    Raises:
        ValueError: If its name is taken.
    """
    with _lock:
        if task.name in _tasks or task.name in _ELSEWHERE:
            raise ValueError(f"name={task.name!r} is taken by another task: choose another name")
        _tasks[task.name] = task
    add_words(task.name, task.words)


def unregister(name: str) -> None:
    """Remove a task.

    Raises:
        KeyError: If there is no task of this name.
    """
    with _lock:
        del _tasks[name]
    remove_words(name)


def add_finder(find: Callable[[str], Task | None]) -> None:
    """Add a function that finds tasks by name which are not listed: whoever knows the name of one may use it."""
    _finders.append(find)


def find_task(name: str) -> Task | None:
    """Find the task of this name, listed or not; None if there is none."""
    with _lock:
        task = _tasks.get(name)
    if task is None:
        task = next((found for find in _finders if (found := find(name))), None)
        if task:
            add_words(task.name, task.words)
    return task


def all_tasks(kind: TaskKind | None = None) -> dict[str, Task]:
    """Return all tasks, or those of a kind, by name in the order in which they were added."""
    with _lock:
        return {name: task for name, task in _tasks.items() if kind in (None, task.kind)}


def get_task(name: str) -> Task:
    """Return the task of this name.

    Raises:
        Failure: If there is none; it names the available tasks.
    """
    if (task := find_task(name)) is None:
        raise Failure("tasks.unknown", name=name, known=list(all_tasks()))
    return task


def default_task(kind: TaskKind) -> Task:
    """Return the first task of a kind.

    Raises:
        StopIteration: If there is none.
    """
    return next(iter(all_tasks(kind).values()))


def kind_of(name: str) -> TaskKind:
    """Return the kind of the task of this name, which may be `other` or `other_translation`.

    Raises:
        Failure: If there is no such task.
    """
    return _ELSEWHERE[name] if name in _ELSEWHERE else get_task(name).kind


class OfKind(Generic[Record]):
    """Records of a package by kind of task, each saying what the package does for tasks of that kind.

    External models may have their own record, by the name of their task. `default` is the record of
    kinds that have none.
    """

    def __init__(self, default: Record | None = None) -> None:
        self._records: dict[str, Record] = {}
        self._default = default

    def register(self, kind: TaskKind | str, record: Record) -> None:
        """Set the record of a kind, or of external models, replacing an earlier one."""
        with _lock:
            self._records[kind if isinstance(kind, str) else kind.name] = record

    def names(self) -> list[str]:
        """Return the names of kinds with a record, in the order in which they were registered."""
        with _lock:
            return list(self._records)

    def of(self, task: str | TaskKind) -> Record:
        """Return the record for a kind, or for the task of this name.

        Raises:
            Failure: If the task is unknown.
            LookupError: If the kind has no record.
        """
        kind = kind_of(task) if isinstance(task, str) else task
        with _lock:
            record = self._records.get(kind.name, self._default)
            record = self._records.get(str(task), record) if task in _ELSEWHERE else record
        if record is None:
            raise LookupError(f"there is no record for {kind.described}: register one")
        return record
