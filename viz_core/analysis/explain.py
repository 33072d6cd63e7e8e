"""Explanation of one input: the prediction for a text or pair, with the attention of every head."""

from __future__ import annotations

import numpy as np
import torch

from viz_core.checkpoints import Checkpoint, Settings
from viz_core.models.batch import pad
from viz_core.records import Explanation, Failure, Message


def explain(checkpoint: Checkpoint, text: str, text_b: str | None = None) -> Explanation:
    """The prediction for one input and all attention `(L, H, T, T)`, if the model has any, in read-only arrays.

    Raises Failure if a text cannot be encoded or the number of texts does not fit the task.
    """
    task = checkpoint.task
    if task.pair and text_b is None:
        raise Failure("analysis.needs_pair", task=task.name)
    if not task.pair and text_b is not None:
        raise Failure("analysis.needs_single", task=task.name)
    encoding = checkpoint.text_encoder.encode(text, text_b)
    settings, has_attention = checkpoint.settings, bool(checkpoint.model.attention_kinds)
    with torch.inference_mode():
        output = checkpoint.model(*pad([encoding.ids], [encoding.segments]), need_attention=has_attention)
    probabilities = settings.probabilities(output.logits[0].numpy())
    T = len(encoding.ids)
    attention = output.own[:, 0].numpy() if has_attention else np.zeros((0, 0, T, T), np.float32)
    for array in (
        probabilities,
        attention,
        encoding.ids,
        encoding.segments,
        encoding.offsets,
        encoding.words,
        encoding.special,
        encoding.unknown,
    ):
        array.flags.writeable = False  # may be cached and shared between visitors
    return Explanation(
        checkpoint.name,
        task.name,
        encoding,
        task.labels,
        probabilities,
        settings.threshold,
        attention,
        settings.model.pooling,
        caution_notices(settings) + encoding.notices,
    )


def caution_notices(settings: Settings) -> tuple[Message, ...]:
    """The warning of a model that serves as a bad example, to precede all other notices; empty for other models."""
    return (Message(settings.caution),) if settings.caution else ()
