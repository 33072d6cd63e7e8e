"""Commands on a language model of this project: those of a classification, for which the next token is the class."""

from dataclasses import replace
from typing import cast

import pandas as pd

from viz_core.analysis.evaluation.next_tokens import baseline_perplexity, measure_windows
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import Network
from viz_core.records import LanguageFigures


def measure(checkpoint: Checkpoint, frame: pd.DataFrame, data: str) -> LanguageFigures:
    """Measure a model, and a 5-gram of the train split, on the texts of a frame."""
    task, encoder = checkpoint.task, checkpoint.text_encoder
    windows = task.examples(frame, encoder).ids
    figures = measure_windows(cast(Network, checkpoint.language_model), encoder, windows)
    train, texts = (encoder.whole_ids(list(rows["text"])) for rows in (task.read("train", data), frame))
    baseline = baseline_perplexity(train, texts, encoder.vocabulary, figures.words)
    return replace(figures, kneser_ney_perplexity=baseline)
