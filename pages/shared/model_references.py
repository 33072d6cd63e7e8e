"""Where models from elsewhere were opened: after a restart their links open them again, and so do the other servers.

Two files beside the runs. One remembers every model, by name. The other, of several servers only, says which are open:
what a teacher opens on one server is opened on all.
"""

import json
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from viz_core.bounded_json import read_json_object
from viz_core.files import file_version, replace_file
from viz_core.jobs.files import file_lock
from viz_core.jobs.run_folder import folder
from viz_core.records import Failure

FILE, MOST = "models_from_elsewhere.json", 50  # the references of so many, by name, the newest last
OPEN_FILE = "models_that_are_open.json"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Opened:
    """A model that is open on all servers. number: another each time that it is opened."""

    reference: str
    number: int


def remember(name: str, reference: str) -> None:
    """Adds a model, at the end, to those that a link opens again after a restart."""

    def add(references: Mapping[str, object]) -> dict[str, object]:
        kept = {other: value for other, value in references.items() if other != name}
        return dict([*kept.items(), (name, reference)][-MOST:])

    _change(FILE, add)


def reference_of(name: str) -> str | None:
    """The reference of a model that was opened before; None if there is none."""
    reference = _read(FILE).get(name)
    return reference if isinstance(reference, str) else None


def note_open(name: str, reference: str, most: int) -> int:
    """Says to all servers that a model is open from now on; of more than `most`, the one opened first is closed.
    Returns the number of this opening."""
    number = time.time_ns()

    def add(models: Mapping[str, object]) -> dict[str, object]:
        kept = {other: value for other, value in models.items() if other != name}
        return dict([*kept.items(), (name, [reference, number])][-most:])

    _change(OPEN_FILE, add)
    return number


def open_everywhere() -> dict[str, Opened]:
    """The models that are open on all servers, the newest last."""
    models = {}
    for name, value in _read(OPEN_FILE).items():
        match value:
            case [str(reference), int(number)]:
                models[name] = Opened(reference, number)
    return models


def open_version() -> tuple[int, ...] | None:
    """Changes with the models that are open."""
    return file_version(folder() / OPEN_FILE)


def _change(name: str, change: Callable[[Mapping[str, object]], Mapping[str, object]]) -> None:
    """Replaces a file by what `change` makes of it; where it cannot be written, a warning goes to the log."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with file_lock(folder() / f"{FILE}.lock"):  # two servers may open models at once
            replace_file(folder() / name, json.dumps(change(_read(name)), indent=2, ensure_ascii=False) + "\n")
    except (OSError, Failure) as error:
        _log.warning("The list of models from elsewhere cannot be written", exc_info=error)


def _read(name: str) -> dict[str, object]:
    try:
        return read_json_object(folder() / name)
    except (OSError, ValueError):
        return {}
