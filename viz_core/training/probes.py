"""What the pinned inputs look like at every evaluation: files under `probes/`, and the way back to an Explanation.

Probabilities of attention are kept in 16 bits, as multiples of 1/65535; a reader's rows sum to 1 again, and no weight is off
by more than 2e-5. At float32 six layers of eight heads over 512 tokens would take 50 MB each time.
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from viz_core.records import Encoding, Explanation, Failure
from viz_core.tables.downloads import explanation_npz

_STEPS = np.iinfo(np.uint16).max


def write(run: Path, evaluation: int, number: int, explanation: Explanation) -> None:
    """Keeps what an input looked like at an evaluation, 0 being the random start; complete once its name appears."""
    weights = np.rint(explanation.attention * _STEPS).astype(np.uint16)
    file = _file(run, evaluation, number)
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(explanation_npz(replace(explanation, attention=weights)))
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def read(run: Path, evaluation: int, number: int) -> Explanation:
    """Input `number` (from 0) at an evaluation, with read-only arrays. Raises Failure where it is not there or damaged."""
    try:
        with np.load(io.BytesIO(_file(run, evaluation, number).read_bytes()), allow_pickle=False) as file:
            kept = dict(file)
        weights = kept["attention"].astype(np.float32)
        attention = weights / weights.sum(-1, keepdims=True)
        encoding = Encoding(
            tuple(kept["texts"].tolist()),
            tuple(kept["tokens"].tolist()),
            *(_fixed(kept[name]) for name in ("ids", "segments", "offsets", "words", "special", "unknown")),
        )
        return Explanation(
            kept["model"].item(),
            kept["task"].item(),
            encoding,
            tuple(kept["labels"].tolist()),
            _fixed(kept["probabilities"]),
            _threshold(kept["threshold"].item()),
            _fixed(attention),
            kept["pooling"].item(),
        )
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Failure("training.no_snapshot", evaluation=evaluation, reason=reason) from error


def evaluations(run: Path, number: int) -> list[int]:
    """The evaluations at which an input was looked at, in their order."""
    return sorted(int(file.name.partition("-")[0]) for file in (run / "probes").glob(f"[0-9]*-{number}.npz"))


def _file(run: Path, evaluation: int, number: int) -> Path:
    return run / "probes" / f"{evaluation}-{number}.npz"


def _threshold(number: float) -> float | None:
    return None if np.isnan(number) else number


def _fixed(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
