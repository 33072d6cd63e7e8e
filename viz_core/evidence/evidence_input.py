"""What evidence is about: a model, the validation rows it is asked about, and how far that has come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from viz_core import checkpoints
from viz_core.checkpoints import Checkpoint
from viz_core.records import Examples

Progress = Callable[
    [int, int], None
]  # how much is done, of how much; raises StopRequested where somebody wants it to end


class StopRequested(Exception):
    """Somebody has asked it to stop."""


@dataclass(frozen=True, eq=False)
class EvidenceInput:
    """checkpoint: the model, on the CPU. data: `full` or `sample`. frame: the rows as read, with `text`, `text_b` (pairs) and
    `label`; a row is named by its number in it. examples: the same rows, tokenised."""

    checkpoint: Checkpoint
    data: str
    frame: pd.DataFrame
    examples: Examples


def load_evidence_input(task: str, model: str) -> EvidenceInput:
    """A model with the validation split of the corpus that it was trained on. Raises Failure where either is not at hand."""
    checkpoint = checkpoints.load(task, model)
    data = checkpoint.metrics.training_data
    frame = checkpoint.task.read("validation", data)
    return EvidenceInput(checkpoint, data, frame, checkpoint.task.examples(frame, checkpoint.text_encoder))
