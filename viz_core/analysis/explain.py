"""What does a model make of one text or pair, and what does every head attend to on the way?"""

from __future__ import annotations

import numpy as np
import torch
from scipy.special import softmax

from viz_core.checkpoints import Checkpoint, Settings
from viz_core.models.batch import pad
from viz_core.records import Explanation, Failure, Message


def explain(checkpoint: Checkpoint, text: str, text_b: str | None = None) -> Explanation:
    """The prediction and all attention `(L, H, T, T)` of one input, as a record with read-only arrays.

    Raises Failure where the text cannot be read, or the number of texts is not the task's.
    """
    task = checkpoint.task
    if task.pair and text_b is None:
        raise Failure("analysis.needs_pair", task=task.name)
    if not task.pair and text_b is not None:
        raise Failure("analysis.needs_single", task=task.name)
    encoding = checkpoint.text.encode(text, text_b)
    with torch.inference_mode():
        output = checkpoint.encoder(*pad([encoding.ids], [encoding.segments]), need_attention=True)
    settings = checkpoint.settings
    probabilities = softmax(output.logits[0].numpy().astype(np.float64) / settings.temperature)
    attention = output.attention[:, 0].numpy()
    for array in (probabilities, attention, encoding.ids, encoding.segments, encoding.offsets, encoding.words,
                  encoding.special, encoding.unknown):
        array.flags.writeable = False  # it may be cached and shared by many visitors
    return Explanation(checkpoint.name, task.name, encoding, task.labels, probabilities, settings.threshold, attention,
                       settings.encoder.pooling, caution(settings) + encoding.notices)


def caution(settings: Settings) -> tuple[Message, ...]:
    """The warning of a model that is shown as a bad example; it comes before every other notice."""
    return (Message(settings.caution),) if settings.caution else ()
