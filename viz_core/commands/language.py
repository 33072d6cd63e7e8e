"""Commands on a language model of this project: those of a classification, for which the next token is the class."""

import pandas as pd

from viz_core.analysis.evaluation.next_tokens import measure_windows
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import Network
from viz_core.records import LanguageFigures


def measure(checkpoint: Checkpoint, frame: pd.DataFrame, data: str) -> LanguageFigures:
    """Measure a model on the texts of a frame."""
    examples = checkpoint.task.examples(frame, checkpoint.text_encoder)
    model: Network = checkpoint.language_model
    return measure_windows(model, checkpoint.text_encoder, examples.ids)
