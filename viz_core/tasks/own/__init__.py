"""Tasks of a person's own: defined by a table of rows, kept in a folder, found by a name that cannot be guessed."""

from viz_core.tasks.own.definition import Definition, is_own_name, new_name
from viz_core.tasks.own.folder import (
    change,
    create,
    definitions,
    delete,
    expired,
    find_definition,
    folder,
    forget_rows,
    has_rows,
    require_definition,
    resolve,
    write_definition,
)
from viz_core.tasks.own.task import find_task, start_model, task_of

__all__ = [
    "Definition",
    "change",
    "create",
    "definitions",
    "delete",
    "expired",
    "find_definition",
    "find_task",
    "folder",
    "forget_rows",
    "has_rows",
    "is_own_name",
    "new_name",
    "require_definition",
    "resolve",
    "start_model",
    "task_of",
    "write_definition",
]
