"""A trained model of the same task as a teacher (training/teacher.py).

It reads the texts with a tokenizer of its own. Reading a corpus may take hours on a CPU, so its
probabilities are cached in `data/cache`, under a name that depends on the files of the model, on
the precision and on the texts. The next training reads them from there.
"""

import hashlib
import os
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from viz_core import checkpoints
from viz_core.checkpoints import Checkpoint
from viz_core.datasets import corpus
from viz_core.models.protocol import Network
from viz_core.recipes import Precision
from viz_core.tasks import Task
from viz_core.training.devices import precision

_VERSION = "1"  # version of the files in the cache
_FILES = ("config.json", "model.safetensors", "tokenizer.json")
_ROWS_AT_ONCE = 5_000


def model_probabilities(
    task: Task, name: str, inputs: pd.DataFrame, device: torch.device, requested: Precision = "32"
) -> np.ndarray:
    """`(N, C)` float32: the calibrated probabilities of a checkpoint for texts, or pairs of them.

    Args:
        task: The task.
        name: Name of a checkpoint of this task.
        inputs: Columns `text`, and `text_b` for pairs.
        device: Where the model computes.
        requested: Precision of its matrix products, as for a training.

    Raises:
        Failure: If the checkpoint cannot be loaded.
    """
    reduced = precision(device.type, requested) == "bf16-mixed"
    checkpoint = checkpoints.load(task.name, name)
    folder = checkpoints.require_folder(task.name, name)
    file = corpus.PROJECT / "data" / "cache" / f"teacher-{task.name}-{_key(folder, task, inputs, reduced)}.npy"
    cached = _read_cache(file, (len(inputs), len(task.labels)))
    if cached is not None:
        return cached
    model: Network = checkpoint.model
    model.to(device)
    parts = [inputs.iloc[start : start + _ROWS_AT_ONCE] for start in range(0, len(inputs), _ROWS_AT_ONCE)]
    with torch.autocast(device.type, torch.bfloat16, enabled=reduced):
        probabilities = np.concatenate(
            [np.empty((0, len(task.labels))), *(_read(checkpoint, part) for part in parts)]
        ).astype(np.float32)
    _write_cache(file, probabilities)
    return probabilities


def _read(checkpoint: Checkpoint, inputs: pd.DataFrame) -> np.ndarray:
    return checkpoint.probabilities(checkpoint.task.examples(inputs, checkpoint.text_encoder))


def _key(folder: Path, task: Task, inputs: pd.DataFrame, reduced: bool) -> str:
    """A hash of what the probabilities depend on: the files of the model, the precision and the texts."""
    digest = hashlib.sha256(f"{_VERSION}{'bf16' if reduced else ''}".encode())
    for file in _FILES:
        digest.update((folder / file).read_bytes())
    for column in ("text", "text_b")[: task.input_texts]:
        digest.update(pd.util.hash_pandas_object(inputs[column], index=False).to_numpy().tobytes())
    return digest.hexdigest()[:16]


def _read_cache(file: Path, shape: tuple[int, int]) -> np.ndarray | None:
    """The cached probabilities; None if the file is missing or damaged."""
    try:
        probabilities = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return probabilities if probabilities.shape == shape and probabilities.dtype == np.float32 else None


def _write_cache(file: Path, probabilities: np.ndarray) -> None:
    """Write the cache; the file is complete once its name appears.

    If the disk is full or read-only, the next training asks the teacher again.
    """
    partial = file.with_name(f"{file.stem}.{os.getpid()}.partial.npy")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(partial, probabilities)
        partial.replace(file)
    except OSError:
        partial.unlink(missing_ok=True)
