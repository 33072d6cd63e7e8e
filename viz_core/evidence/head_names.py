"""Names and notes that people give to heads: of all models in one file, of one model as JSON to pass on.

A name says what a person thinks of a head. What is measured stands beside it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from viz_core.bounded_json import parse_json, read_json_object
from viz_core.files import replace_file
from viz_core.jobs.files import file_lock
from viz_core.records import Failure, failing

FILE = "head_names.json"  # beside the runs
LONGEST_NAME, LONGEST_NOTE = 40, 500  # characters
MOST_BYTES = 2**18  # of a file that is imported
_KEY = re.compile(r"(self|causal|cross) [1-9][0-9]{0,2}\.[1-9][0-9]{0,2}")


@dataclass(frozen=True)
class HeadName:
    """What a person calls a head, and a note."""

    name: str
    note: str = ""


Names = Mapping[str, HeadName]  # by attention and head, both from 1: `self 2.4`


def read_names(folder: Path, model: str) -> dict[str, HeadName]:
    """The names of a model's heads.

    Args:
        folder: That the file is in.
        model: `TASK/NAME`.
    """
    return _names(_read(folder).get(model))


def given_names(folder: Path, model: str) -> dict[str, str]:
    """What the heads of a model are called, by attention and head, from 1: `self 2.4`; arguments as of `read_names`."""
    return {key: name.name for key, name in read_names(folder, model).items() if name.name}


def save_names(folder: Path, model: str, names: Names) -> None:
    """Add names to those of a model; a name and note that are both empty remove that head's.

    Raises:
        Failure: If they cannot be written.
    """
    with failing(OSError, "heads.names_not_saved", folder=str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
        with file_lock(folder / f"{FILE}.lock"):
            stored = _read(folder)
            both = {**_names(stored.get(model)), **names}
            kept = {key: vars(name) for key, name in both.items() if name.name or name.note}
            stored = {**stored, model: kept}
            replace_file(folder / FILE, json.dumps(stored, ensure_ascii=False, indent=1) + "\n")


def to_json(model: str, names: Names) -> str:
    """Names to pass on, as `from_json` reads them."""
    return json.dumps({"model": model, "names": {key: vars(name) for key, name in names.items()}}, ensure_ascii=False)


def from_json(text: str) -> dict[str, HeadName]:
    """Names that were passed on.

    Raises:
        Failure: If there are none in it.
    """
    try:
        content = parse_json(text) if len(text) <= MOST_BYTES else None
    except ValueError:
        content = None
    names = _names(content.get("names")) if isinstance(content, dict) else {}
    if not names:
        raise Failure("heads.no_names")
    return names


def _read(folder: Path) -> dict:
    try:
        return read_json_object(folder / FILE)
    except (OSError, ValueError):
        return {}


def _names(content: object) -> dict[str, HeadName]:
    """The names in what anyone may have written; what is none is left out."""
    names = {}
    for key, entry in content.items() if isinstance(content, dict) else ():
        match entry:
            case {"name": str(name), "note": str(note)} if _KEY.fullmatch(key):
                names[key] = HeadName(name[:LONGEST_NAME], note[:LONGEST_NOTE])
    return names
