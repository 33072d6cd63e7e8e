"""The folder of a task of one's own: its definition, and its rows while they are kept.

    tasks/<name>/definition.json
    tasks/<name>/rows.parquet     `text`, `text_b` of pairs, `label`, `split`

A folder appears complete, under its name, or not at all.
"""

import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from viz_core.bounded_json import read_json_object
from viz_core.files import file_version, flush_folder, replace_file
from viz_core.folders import PROJECT, SHIPPED
from viz_core.records import Failure, failing
from viz_core.tasks.own.definition import Definition, is_own_name
from viz_core.tasks.registry import all_tasks
from viz_core.variables import CHECKPOINTS_DIR, TASKS_DIR

DEFINITION, ROWS = "definition.json", "rows.parquet"
WITH_MODEL = "task.json"  # the definition in a checkpoint folder, so that the model opens elsewhere, too
_MOST_BYTES = 2**20


def folder() -> Path:
    """Return the folder of all tasks of one's own: `VIZ_TASKS_DIR`, else the project's `tasks/`."""
    return Path(os.environ.get(TASKS_DIR) or PROJECT / "tasks")


def create(definition: Definition, rows: pd.DataFrame | None = None) -> None:
    """Write a new task.

    Args:
        definition: The task.
        rows: `text`, `text_b` of pairs, `label`, `split`; None if only a model of it has come here.

    Raises:
        Failure: If it cannot be written; nothing of it is left then.
    """
    path = folder() / definition.name
    partial = path.with_name(f".{definition.name}.{secrets.token_hex(4)}.tmp")
    with failing(OSError, "own.not_written", folder=str(folder())):
        try:
            partial.mkdir(parents=True)
            if rows is not None:
                rows.reset_index(drop=True).to_parquet(partial / ROWS)
            _write(partial, definition)
            partial.replace(path)  # complete once its name appears
            flush_folder(path.parent)
        except OSError:
            shutil.rmtree(partial, ignore_errors=True)
            raise


def change(name: str, **values: Any) -> Definition:
    """Change fields of a definition; returns the new one.

    Raises:
        Failure: If there is no such task, or a value is invalid.
    """
    definition = require_definition(name)
    with failing((TypeError, ValueError), "own.bad_definition"):
        definition = replace(definition, **values)
    with failing(OSError, "own.not_written", folder=str(folder())):
        _write(folder() / name, definition)
    return definition


def write_definition(model: Path, definition: Definition) -> None:
    """Write the definition beside a model of the task. Raises OSError."""
    text = json.dumps(definition.for_export(), indent=2, ensure_ascii=False)
    replace_file(model / WITH_MODEL, f"{text}\n")


def find_definition(name: str) -> Definition | None:
    """Find the task of this name, kept here or brought by a model; None if there is none that can be read.

    A task that only a model has brought counts as shared: nobody here owns it. Whoever runs the
    server has put it there, and gives its name to whom they like.
    """
    if not is_own_name(name):
        return None
    if (folder() / name).exists():  # also if it is damaged: what its owner has closed, no model opens
        found = _read(folder() / name / DEFINITION)
        return found if found and found.name == name else None
    brought = (found for file in _brought(name) if (found := _read(file)) and found.name == name)
    return next((replace(found, shared=True) for found in brought), None)


def require_definition(name: str) -> Definition:
    """Return the task of this name, kept here.

    Raises:
        Failure: If there is none.
    """
    definition = _read(folder() / name / DEFINITION) if is_own_name(name) else None
    if definition is None:
        raise Failure("own.unknown", name=name)
    return definition


def definitions(owner: str | None = None) -> list[Definition]:
    """Return the tasks that are kept here, or those of an owner, the newest first."""
    named = [(path.name, _read(path / DEFINITION)) for path in folder().glob("own-*/")]
    found = [task for name, task in named if task and task.name == name and owner in (None, task.owner)]
    return sorted(found, key=lambda definition: definition.created, reverse=True)


def resolve(typed: str) -> str:
    """Return the name of the task that a person means: that of a task, or the title of one of their own.

    What is neither, or the title of several, is returned as it is.
    """
    if typed in all_tasks():
        return typed
    found = [task.name for task in definitions() if typed in (task.name, task.title)]
    return found[0] if len(found) == 1 else typed


def expired(now: float | None = None) -> list[Definition]:
    """Return the tasks whose time has come."""
    moment = time.time() if now is None else now
    return [task for task in definitions() if task.expires is not None and task.expires <= moment]


def has_rows(name: str) -> bool:
    """Whether the rows of a task are still here."""
    return is_own_name(name) and (folder() / name / ROWS).is_file()


def read_rows(name: str, split: str) -> pd.DataFrame:
    """Read the rows of a split.

    Raises:
        Failure: If they are not kept any more, or cannot be read.
    """
    try:
        rows = pd.read_parquet(folder() / name / ROWS)
    except FileNotFoundError as error:
        definition = find_definition(name)
        raise Failure("own.no_rows", task=definition.title if definition else name) from error
    except (OSError, ValueError) as error:
        raise Failure("own.damaged_rows", name=name) from error
    return rows[rows["split"] == split].drop(columns="split").reset_index(drop=True)


def forget_rows(name: str) -> None:
    """Delete the rows of a task; its models stay.

    Raises:
        Failure: If they cannot be deleted.
    """
    if is_own_name(name):
        with failing(OSError, "own.not_deleted", folder=str(folder() / name)):
            (folder() / name / ROWS).unlink(missing_ok=True)


def delete(name: str) -> None:
    """Delete the folder of a task, with its rows.

    Raises:
        Failure: If it cannot be deleted.
    """
    if is_own_name(name):
        with failing(OSError, "own.not_deleted", folder=str(folder() / name)):
            shutil.rmtree(folder() / name)


def _brought(name: str) -> Iterator[Path]:
    """The definitions beside the models of a task."""
    saved = Path(os.environ.get(CHECKPOINTS_DIR) or PROJECT / "checkpoints")
    for place in dict.fromkeys([saved, SHIPPED / "checkpoints"]):
        yield from sorted((place / name).glob(f"[!.]*/{WITH_MODEL}"))


def _write(path: Path, definition: Definition) -> None:
    text = json.dumps(definition.to_dict(), indent=2, ensure_ascii=False)
    replace_file(path / DEFINITION, f"{text}\n")


def _read(file: Path) -> Definition | None:
    version = file_version(file)
    return _read_version(file, version) if version else None


@lru_cache(maxsize=1_000)
def _read_version(file: Path, version: tuple) -> Definition | None:
    try:
        return Definition.from_dict(read_json_object(file, _MOST_BYTES))
    except (OSError, ValueError, TypeError):
        return None
