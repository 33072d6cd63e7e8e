"""Attention snapshots: the pinned inputs, explained, translated or continued at every evaluation.

They are files under `probes/`. Attention weights are stored in 16 bits, as multiples of 1/65535;
rows sum to 1 again when they are read, and weights are off by some 1e-5. In float32 six
layers of eight heads over 512 tokens would take 50 MB per evaluation.
"""

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from viz_core.records import Candidate, Encoding, Explanation, Generation, Step, Translation, failing
from viz_core.tables.downloads import explanation_npz, generation_npz, translation_npz

_FOLDER = "probes"
_LARGEST = np.iinfo(np.uint16).max
# What reading a damaged archive of arrays raises: NumPy believes its header, zipfile the names of its methods.
_DAMAGE = (
    *(OSError, EOFError, ValueError, KeyError, TypeError, IndexError, MemoryError, OverflowError),
    *(NotImplementedError, RuntimeError, SyntaxError, struct.error, zipfile.BadZipFile, zlib.error),
)
_ENCODED = ("ids", "segments", "offsets", "words", "special", "unknown")

Snapshot = Explanation | Translation | Generation


def write_snapshot(run: Path, evaluation: int, number: int, snapshot: Snapshot) -> None:
    """Store input `number` at an evaluation; evaluation 0 is the random initialisation.

    The file is complete once its name appears.
    """
    file = snapshot_file(run, evaluation, number)
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(_to_bytes(snapshot))
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def read_snapshot(run: Path, evaluation: int, number: int) -> Snapshot:
    """Read input `number` (from 0) at an evaluation, with read-only arrays.

    Raises:
        Failure: If it is missing or damaged.
    """
    with failing(_DAMAGE, "training.no_snapshot", evaluation=evaluation):
        with np.load(io.BytesIO(snapshot_file(run, evaluation, number).read_bytes()), allow_pickle=False) as file:
            arrays = dict(file)
        if "given" in arrays:
            return _generation(arrays)
        return _explanation(arrays) if "attention" in arrays else _translation(arrays)


def snapshot_evaluations(run: Path, number: int) -> list[int]:
    """The evaluations with a snapshot of input `number`, in ascending order."""
    return sorted(int(file.name.partition("-")[0]) for file in (run / _FOLDER).glob(f"[0-9]*-{number}.npz"))


def _to_bytes(snapshot: Snapshot) -> bytes:
    if isinstance(snapshot, Explanation):
        return explanation_npz(_rounded(snapshot))
    if isinstance(snapshot, Generation):
        return generation_npz(replace(snapshot, explanation=_rounded(snapshot.explanation)))
    attention = {kind: _in_steps(weights) for kind, weights in snapshot.attention.items()}
    return translation_npz(replace(snapshot, attention=attention))


def _rounded(explanation: Explanation) -> Explanation:
    return replace(explanation, attention=_in_steps(np.asarray(explanation.attention)))


def _kind(arrays: Mapping[str, np.ndarray]) -> Literal["self", "causal"]:
    """The kind of attention, which runs of an earlier version do not name."""
    return "causal" if "kind" in arrays and arrays["kind"].item() == "causal" else "self"


def _generation(arrays: Mapping[str, np.ndarray]) -> Generation:
    steps = (None, *_steps(arrays))
    return Generation(_explanation(arrays), steps, arrays["given"].item(), bool(arrays["complete"]))


def _explanation(arrays: Mapping[str, np.ndarray]) -> Explanation:
    return Explanation(
        arrays["model"].item(),
        arrays["task"].item(),
        _encoding(arrays, ""),
        tuple(arrays["labels"].tolist()),
        _read_only(arrays["probabilities"]),
        _threshold(arrays["threshold"].item()),
        _from_steps(arrays["attention"]),
        arrays["pooling"].item(),
        kind=_kind(arrays),
        label_ids=tuple(arrays["label_ids"].tolist()) if "label_ids" in arrays else (),
    )


def _translation(arrays: Mapping[str, np.ndarray]) -> Translation:
    return Translation(
        arrays["task"].item(),
        arrays["model"].item(),
        _encoding(arrays, "source_"),
        _encoding(arrays, "target_"),
        {kind: _from_steps(arrays[f"attention_{kind}"]) for kind in ("self", "causal", "cross")},
        _steps(arrays),
        bool(arrays["complete"]),
    )


def _steps(arrays: Mapping[str, np.ndarray]) -> tuple[Step, ...]:
    names = ("candidate_ids", "candidate_tokens", "candidate_probabilities")
    candidates = zip(*(arrays[name].tolist() for name in names), strict=True)
    outputs = zip(*(arrays[f"output_{name}"].tolist() for name in ("ids", "tokens", "probabilities")), strict=True)
    return tuple(
        Step(tuple(map(Candidate, *columns)), Candidate(*output), rank or None)
        for columns, output, rank in zip(candidates, outputs, arrays["ranks"].tolist(), strict=True)
    )


def _encoding(arrays: Mapping[str, np.ndarray], prefix: str) -> Encoding:
    texts, tokens = (tuple(arrays[f"{prefix}{name}"].tolist()) for name in ("texts", "tokens"))
    ids, segments, offsets, words, special, unknown = (_read_only(arrays[f"{prefix}{name}"]) for name in _ENCODED)
    return Encoding(texts, tokens, ids, segments, offsets, words, special, unknown)


def _in_steps(attention: np.ndarray) -> np.ndarray:
    return np.rint(attention * _LARGEST).astype(np.uint16)


def _from_steps(steps: np.ndarray) -> np.ndarray:
    weights = steps.astype(np.float32)
    return _read_only(weights / weights.sum(-1, keepdims=True))


def snapshot_file(run: Path, evaluation: int, number: int) -> Path:
    """The file in which input `number` is stored at an evaluation."""
    return run / _FOLDER / f"{evaluation}-{number}.npz"


def _threshold(number: float) -> float | None:
    return None if np.isnan(number) else number


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
