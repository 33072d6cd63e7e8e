"""Input of all kinds of evidence: a model and the validation split of its corpus."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
import pandas as pd

from viz_core import checkpoints
from viz_core.checkpoints import Checkpoint
from viz_core.records import Examples

Progress = Callable[[int, int], None]  # called with steps done and total; raises StopRequested to end the computation


class StopRequested(Exception):
    """The run was asked to stop."""


def count_passes(progress: Progress, total: int) -> Callable[[], None]:
    """Callback that counts a pass on each call; reports the start at once."""
    passes = count()

    def count_pass() -> None:
        progress(next(passes), total)

    count_pass()
    return count_pass


@dataclass(frozen=True, eq=False)
class EvidenceInput:
    """A model and its validation data.

    Attributes:
        checkpoint: On the CPU.
        source: `full` or `sample`.
        frame: The rows as read, with columns `text`, `text_b` (for pairs) and `label`.
        split_rows: Number of rows of the whole split; `frame` may be a sample of it.
    """

    checkpoint: Checkpoint
    source: str
    frame: pd.DataFrame
    split_rows: int

    @cached_property
    def examples(self) -> Examples:
        """The rows as the model was trained on them, tokenised; of a language model windows, not rows."""
        return self.checkpoint.task.examples(self.frame, self.checkpoint.text_encoder)

    @property
    def row_numbers(self) -> np.ndarray:
        """Row numbers in the split, `(N,)`, by which results name them; some numbers may be missing."""
        return self.frame.index.to_numpy()

    def texts(self, position: int) -> list[str]:
        """The text or the two texts of the row at this position."""
        columns = ["text", "text_b"] if self.checkpoint.task.pair else ["text"]
        return [self.frame[column].iloc[position] for column in columns]


def load_evidence_input(task: str, model: str, rows: int | None = None) -> EvidenceInput:
    """Load a model with the rows of `evidence_input`.

    Raises:
        Failure: As `checkpoints.load` and `evidence_input`.
    """
    return evidence_input(checkpoints.load(task, model), rows)


def evidence_input(checkpoint: Checkpoint, rows: int | None = None) -> EvidenceInput:
    """Read the validation split of the corpus that a model was trained on, or a seeded sample of `rows` rows.

    Raises:
        Failure: If the corpus is not available.
    """
    source = checkpoint.metrics.training_data
    frame = checkpoint.task.read("validation", source)
    split_rows = len(frame)
    if rows and rows < split_rows:
        frame = frame.iloc[np.sort(np.random.default_rng(0).choice(split_rows, rows, replace=False))]
    return EvidenceInput(checkpoint, source, frame, split_rows)
