"""Evidence results, stored in a model's folder as `evidence/<kind>.json`.

They contain figures and row numbers but no text of a corpus, so the folder may be shared. A result
is only valid for the weights with which it was computed.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from viz_core import checkpoints
from viz_core.bounded_json import read_json_object, require_regular
from viz_core.files import file_version, replace_file
from viz_core.jobs.files import to_json
from viz_core.records import Failure

FOLDER = "evidence"

T = TypeVar("T")
P = ParamSpec("P")


def result_file(folder: Path, name: str) -> Path:
    """File for a kind of evidence in a checkpoint folder."""
    return folder / FOLDER / f"{name}.json"


def read_result(folder: Path, name: str) -> dict | None:
    """Stored result of a kind; None if it is missing, damaged or belongs to other weights."""
    try:
        result = read_json_object(result_file(folder, name))
        return result if result["weights_sha256"] == weights_sha256(folder) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_result(folder: Path, name: str, result: dict) -> None:
    """Store the result of a kind, replacing an earlier one.

    Its entry `weights_sha256` says with which weights it was computed, by default those in the
    folder.

    Raises:
        Failure: If the folder has other weights now, or none.
        OSError: If it cannot be written.
    """
    try:
        now = weights_sha256(folder)
    except FileNotFoundError:
        now = ""
    if not now or now != result.get("weights_sha256", now):
        raise Failure("evidence.other_model", folder=str(folder))
    file = result_file(folder, name)
    file.parent.mkdir(exist_ok=True)
    replace_file(file, to_json({"weights_sha256": now, **result}) + "\n")


def weights_sha256(folder: Path) -> str:
    """Hash of the weights in a checkpoint folder, cached by the version of the file.

    Raises:
        OSError: If there are none.
        ValueError: For a pipe or a device.
    """
    weights = folder / checkpoints.WEIGHTS
    require_regular(weights)
    return _sha256(weights, file_version(weights))


@lru_cache(maxsize=64)
def _sha256(file: Path, version: tuple | None) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def six_digits(value: Any) -> Any:
    """A value as results store it: records as objects, arrays as lists, floats with six significant digits.

    NaN, as in empty bins, becomes null when it is written.
    """
    if is_dataclass(value):
        value = vars(value)
    if isinstance(value, Mapping):
        return {name: six_digits(item) for name, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [six_digits(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def reads_result(reader: Callable[Concatenate[dict, P], T | None]) -> Callable[Concatenate[dict | None, P], T | None]:
    """Decorate a reader of stored results (`read_result`) to return None for missing or damaged ones.

    Incomplete results count as damaged.
    """

    @wraps(reader)
    def read(result: dict | None, *args: P.args, **kwargs: P.kwargs) -> T | None:
        try:
            return None if result is None else reader(result, *args, **kwargs)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
            return None

    return read


def read_record(kind: type[T], values: Mapping) -> T:
    """Read a record stored by `six_digits`, ignoring other entries. Raises what `reads_result` catches."""
    return kind(**{name: _read(hint, values[name]) for name, hint in get_type_hints(kind).items() if name in values})


def _read(kind: Any, value: Any) -> Any:
    parts = get_args(kind)
    if kind is np.ndarray:
        return np.asarray(value, np.float64)
    if hasattr(kind, "from_dict"):
        return kind.from_dict(value)
    if isinstance(kind, type) and is_dataclass(kind):
        return read_record(kind, value)
    if get_origin(kind) is tuple:
        return tuple(_read(parts[0], item) for item in value)
    if get_origin(kind) is Mapping:
        return {name: _read(parts[1], item) for name, item in value.items()}
    if type(None) in parts:
        return None if value is None else _read(parts[0], value)
    if kind in (int, float) and not isinstance(value, (int, float, type(None))):  # null is NaN
        raise TypeError(f"{value!r} is not a number")
    return value
