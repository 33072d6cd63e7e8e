"""The input to all kinds of evidence: a model and the validation split of its corpus."""

from collections.abc import Callable
from dataclasses import dataclass
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
    """What counts a pass each time it is called; reports the start at once."""
    passes = count()

    def count_pass() -> None:
        progress(next(passes), total)

    count_pass()
    return count_pass


@dataclass(frozen=True, eq=False)
class EvidenceInput:
    """A model and its validation data.

    checkpoint: on the CPU. source: `full` or `sample`. frame: the rows as read, with columns `text`, `text_b` (for
    pairs) and `label`. examples: the same rows, tokenised. split_rows: number of rows of the split, of which these may
    be a sample.
    """

    checkpoint: Checkpoint
    source: str
    frame: pd.DataFrame
    examples: Examples
    split_rows: int

    @property
    def row_numbers(self) -> np.ndarray:
        """`(N,)`: the rows' numbers in the split, by which results name them; some numbers may be missing."""
        return self.frame.index.to_numpy()

    def texts(self, position: int) -> list[str]:
        """The text or the two texts of the row at this position."""
        columns = ["text", "text_b"] if self.checkpoint.task.pair else ["text"]
        return [self.frame[column].iloc[position] for column in columns]


def load_evidence_input(task: str, model: str, rows: int | None = None) -> EvidenceInput:
    """A model with the validation split of its training corpus, or with a seeded sample of `rows` of it. Raises Failure
    like `checkpoints.load`, or if the corpus is not available."""
    checkpoint = checkpoints.load(task, model)
    source = checkpoint.metrics.training_data
    frame = checkpoint.task.read("validation", source)
    split_rows = len(frame)
    if rows and rows < split_rows:
        frame = frame.iloc[np.sort(np.random.default_rng(0).choice(split_rows, rows, replace=False))]
    examples = checkpoint.task.examples(frame, checkpoint.text_encoder)
    return EvidenceInput(checkpoint, source, frame, examples, split_rows)
