"""What was found out about a model over a corpus, kept in its folder as `evidence/<kind>.json`.

Figures and row numbers only, never a text of a corpus: the folder may be given to others. A result counts for the weights
that it was made with and no others.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path

import numpy as np

from viz_core import checkpoints
from viz_core.jobs.files import replace_file, to_json

FOLDER = "evidence"


def result_file(folder: Path, name: str) -> Path:
    return folder / FOLDER / f"{name}.json"


def read_result(folder: Path, name: str) -> dict | None:
    """The evidence of a kind that is kept in a checkpoint folder; None where nothing is, it is damaged, or of other weights."""
    try:
        found = json.loads(result_file(folder, name).read_text(encoding="utf-8"))
        return found if found["weights_sha256"] == weights_sha256(folder) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_result(folder: Path, name: str, result: dict) -> None:
    """Replaces what is kept of a kind. Raises OSError."""
    file = result_file(folder, name)
    file.parent.mkdir(exist_ok=True)
    replace_file(file, to_json({"weights_sha256": weights_sha256(folder), **result}) + "\n")


def weights_sha256(folder: Path) -> str:
    """Names the weights of a checkpoint folder. Raises OSError where there are none."""
    weights = folder / checkpoints.WEIGHTS
    status = weights.stat()
    return _sha256(weights, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _sha256(file: Path, written: int, size: int) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def six_digits(values: np.ndarray | float) -> list | float:
    """Numbers as a result keeps them, rounded to six significant digits."""
    return np.vectorize(lambda value: float(f"{value:.6g}"), otypes=[float])(values).tolist()
