"""References of the models from elsewhere that were opened, by name: links name a model, and it is to open again after
the server was restarted."""

from __future__ import annotations

import json
import logging

from viz_core.bounded_json import read_json_object
from viz_core.files import replace_file
from viz_core.jobs.run_folder import folder

FILE = "models_from_elsewhere.json"  # beside the runs
MOST = 50  # models


def remember(name: str, reference: str) -> None:
    """Adds a model, at the end. Where the file cannot be written, links to it work until the server is restarted."""
    references = _read()
    references.pop(name, None)
    newest = dict([*references.items(), (name, reference)][-MOST:])
    try:
        folder().mkdir(parents=True, exist_ok=True)
        replace_file(folder() / FILE, json.dumps(newest, indent=2, ensure_ascii=False) + "\n")
    except OSError as error:
        logging.getLogger(__name__).warning("The list of models from elsewhere cannot be written", exc_info=error)


def reference_of(name: str) -> str | None:
    """The reference of a model that was opened before; None if there is none."""
    reference = _read().get(name)
    return reference if isinstance(reference, str) else None


def _read() -> dict[str, object]:
    try:
        return read_json_object(folder() / FILE)
    except (OSError, ValueError):
        return {}
