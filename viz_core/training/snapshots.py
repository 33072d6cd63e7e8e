"""Attention snapshots: the explanations of the pinned inputs at every evaluation, as files under `probes/`.

Attention weights are stored in 16 bits, as multiples of 1/65535; rows that are read sum to 1 again, and no weight is
off by more than 2e-5. In float32 six layers of eight heads over 512 tokens would take 50 MB per evaluation.
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

_FOLDER = "probes"
_LARGEST = np.iinfo(np.uint16).max


def write_snapshot(run: Path, evaluation: int, number: int, explanation: Explanation) -> None:
    """Stores the explanation of input `number` at an evaluation, 0 being the random initialisation; the file is
    complete once its name appears."""
    weights = np.rint(explanation.attention * _LARGEST).astype(np.uint16)
    file = _file(run, evaluation, number)
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(explanation_npz(replace(explanation, attention=weights)))
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def read_snapshot(run: Path, evaluation: int, number: int) -> Explanation:
    """Input `number` (from 0) at an evaluation, with read-only arrays. Raises Failure if it is missing or damaged."""
    try:
        with np.load(io.BytesIO(_file(run, evaluation, number).read_bytes()), allow_pickle=False) as file:
            arrays = dict(file)
        weights = arrays["attention"].astype(np.float32)
        attention = weights / weights.sum(-1, keepdims=True)
        encoding = Encoding(
            tuple(arrays["texts"].tolist()),
            tuple(arrays["tokens"].tolist()),
            *(_read_only(arrays[name]) for name in ("ids", "segments", "offsets", "words", "special", "unknown")),
        )
        return Explanation(
            arrays["model"].item(),
            arrays["task"].item(),
            encoding,
            tuple(arrays["labels"].tolist()),
            _read_only(arrays["probabilities"]),
            _threshold(arrays["threshold"].item()),
            _read_only(attention),
            arrays["pooling"].item(),
        )
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Failure("training.no_snapshot", evaluation=evaluation, reason=reason) from error


def snapshot_evaluations(run: Path, number: int) -> list[int]:
    """The evaluations with a snapshot of input `number`, in ascending order."""
    return sorted(int(file.name.partition("-")[0]) for file in (run / _FOLDER).glob(f"[0-9]*-{number}.npz"))


def _file(run: Path, evaluation: int, number: int) -> Path:
    return run / _FOLDER / f"{evaluation}-{number}.npz"


def _threshold(number: float) -> float | None:
    return None if np.isnan(number) else number


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
