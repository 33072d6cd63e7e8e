"""What evidence is about: a model, the validation rows it is asked about, and how far that has come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from viz_core import checkpoints
from viz_core.checkpoints import Checkpoint
from viz_core.records import Examples

Progress = Callable[[int, int], None]  # how much is done, of how much; raises Stopped where somebody wants it to end


class Stopped(Exception):
    """Somebody has asked it to stop."""


@dataclass(frozen=True, eq=False)
class Subject:
    """checkpoint: the model, on the CPU. data: `full` or `sample`. frame: the rows as read, with `text`, `text_b` (pairs) and
    `label`; a row is named by its number in it. examples: the same rows, tokenised."""

    checkpoint: Checkpoint
    data: str
    frame: pd.DataFrame
    examples: Examples


def validation_subject(task: str, model: str) -> Subject:
    """A model with the validation split of the corpus that it was trained on. Raises Failure where either is not at hand."""
    checkpoint = checkpoints.load(task, model)
    data = checkpoint.metrics.trained_on
    frame = checkpoint.task.read("validation", data)
    return Subject(checkpoint, data, frame, checkpoint.task.examples(frame, checkpoint.text))
