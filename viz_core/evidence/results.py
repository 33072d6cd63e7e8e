"""Evidence results, stored in a model's folder as `evidence/<kind>.json`.

They contain figures and row numbers but no text of a corpus, so that the folder may be shared. A result is only valid
for the weights with which it was computed.
"""

import hashlib
from functools import lru_cache
from pathlib import Path

import numpy as np

from viz_core import checkpoints
from viz_core.bounded_json import read_json_object, require_regular
from viz_core.files import replace_file
from viz_core.jobs.files import to_json
from viz_core.records import Failure

FOLDER = "evidence"


def result_file(folder: Path, name: str) -> Path:
    """The file for a kind of evidence in a checkpoint folder."""
    return folder / FOLDER / f"{name}.json"


def read_result(folder: Path, name: str) -> dict | None:
    """The stored result of a kind; None if it is missing, damaged or belongs to other weights."""
    try:
        result = read_json_object(result_file(folder, name))
        return result if result["weights_sha256"] == weights_sha256(folder) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_result(folder: Path, name: str, result: dict, weights: str | None = None) -> None:
    """Stores the result of a kind, replacing an earlier one. weights: the hash of those with which it was computed, by
    default of those in the folder. Raises Failure if the folder has others now, or none; OSError."""
    try:
        now = weights_sha256(folder)
    except FileNotFoundError:
        now = ""
    if not now or now != (weights or now):
        raise Failure("evidence.other_model", folder=str(folder))
    file = result_file(folder, name)
    file.parent.mkdir(exist_ok=True)
    replace_file(file, to_json({"weights_sha256": now, **result}) + "\n")


def weights_sha256(folder: Path) -> str:
    """Hash of the weights in a checkpoint folder, cached by file time and size. Raises OSError if there are none,
    ValueError for a pipe or a device."""
    weights = folder / checkpoints.WEIGHTS
    require_regular(weights)
    status = weights.stat()
    return _sha256(weights, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _sha256(file: Path, modified: int, size: int) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def six_digits(values: np.ndarray | float) -> list | float:
    """Numbers rounded to six significant digits, as results store them; arrays become nested lists."""
    return np.vectorize(lambda value: float(f"{value:.6g}"), otypes=[float])(values).tolist()
