"""Explanation of one input: the prediction for a text or pair, with the attention of every head."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.decoding import CANDIDATES
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.models.batch import pad
from viz_core.models.recording import calling
from viz_core.records import Encoding, Explanation, Failure, Message, read_only
from viz_core.text.joining import has_han


def explain(checkpoint: Checkpoint, text: str, text_b: str | None = None) -> Explanation:
    """Predict one input and record all attention `(L, H, T, T)`, if the model has any, in read-only arrays.

    Raises:
        Failure: If a text cannot be encoded or the number of texts does not fit the task.
    """
    return explain_batch(checkpoint, [encode(checkpoint, text, text_b)])[0]


def encode(checkpoint: Checkpoint, text: str, text_b: str | None = None) -> Encoding:
    """Encode one input, with all notices about its texts.

    Raises:
        Failure: As `explain`.
    """
    task = checkpoint.task
    if task.pair and text_b is None:
        raise Failure("analysis.needs_pair", task=task.name)
    if task.pair is False and text_b is not None:  # None: models from elsewhere read a text or a pair
        raise Failure("analysis.needs_single", task=task.name)
    encoding = checkpoint.text_encoder.encode(text, text_b)
    return replace(encoding, notices=_language_notices(checkpoint, encoding) + encoding.notices)


def explain_batch(
    checkpoint: Checkpoint, encodings: Sequence[Encoding], between_layers: Callable[[], None] | None = None
) -> list[Explanation]:
    """Explain each input, all from one forward pass; equal to `explain` to 1e-5.

    Args:
        between_layers: Called before each layer; what it raises ends the pass.

    Raises:
        Failure: If the model's output is not finite.
    """
    has_attention = bool(checkpoint.model.attention_kinds)
    hook = calling(between_layers) if between_layers else None
    with torch.inference_mode():
        output = checkpoint.model(*input_tensors(*encodings), need_attention=has_attention, hook=hook)
    if not torch.isfinite(output.logits).all():  # a file may contain finite weights so large that they overflow
        raise Failure("analysis.no_numbers", name=f"{checkpoint.task.name}/{checkpoint.name}")
    explanations = []
    for row, encoding in enumerate(encodings):
        T = len(encoding.ids)
        attention = (
            output.own[:, row, :, :T, :T].contiguous().numpy() if has_attention else np.zeros((0, 0, T, T), np.float32)
        )
        explanations.append(explanation(checkpoint, encoding, output.logits[row].numpy(), attention))
    return explanations


def input_tensors(*encodings: Encoding) -> tuple[Tensor, Tensor, Tensor]:
    """ids, segments and mask `(B, T)` of B inputs."""
    return pad([encoding.ids for encoding in encodings], [encoding.segments for encoding in encodings])


def explanation(checkpoint: Checkpoint, encoding: Encoding, logits: np.ndarray, attention: np.ndarray) -> Explanation:
    """Record of one input, from its logits `(C,)` and attention `(L, H, T, T)`."""
    settings = checkpoint.settings
    labels, probabilities, label_ids = _classes(checkpoint, settings.probabilities(logits))
    for array in (probabilities, attention, *encoding.arrays.values()):
        read_only(array)
    return Explanation(
        checkpoint.name,
        checkpoint.task.name,
        encoding,
        labels,
        probabilities,
        settings.threshold,
        attention,
        checkpoint.model.config.pooling,
        caution_notices(settings) + encoding.notices,
        kind="causal" if "causal" in checkpoint.model.attention_kinds else "self",
        label_ids=label_ids,
    )


def _classes(checkpoint: Checkpoint, probabilities: np.ndarray) -> tuple[tuple[str, ...], np.ndarray, tuple[int, ...]]:
    """Classes of the task with their probabilities; for a next-token model, the likeliest tokens and their ids."""
    if len(probabilities) == len(checkpoint.task.labels):
        return checkpoint.task.labels, probabilities, ()
    likeliest = likeliest_tokens(probabilities)
    return token_names(checkpoint, likeliest), probabilities[likeliest], tuple(likeliest.tolist())


def likeliest_tokens(*probabilities: np.ndarray) -> np.ndarray:
    """Ids `(c,)` of the CANDIDATES likeliest tokens of each distribution `(C,)`, the likeliest first."""
    likeliest = [np.argsort(-values, kind="stable")[:CANDIDATES] for values in probabilities]
    return np.array(list(dict.fromkeys(np.concatenate(likeliest).tolist())))


def token_names(checkpoint: Checkpoint, ids: np.ndarray) -> tuple[str, ...]:
    """Tokens with these ids `(c,)`."""
    return tuple(map(checkpoint.text_encoder.token, ids.tolist()))


def _language_notices(checkpoint: Checkpoint, encoding: Encoding) -> tuple[Message, ...]:
    """Notice for an input without Chinese characters, if the model reads Chinese texts."""
    is_chinese = checkpoint.task.segmenter is not None
    return (Message("analysis.no_chinese"),) if is_chinese and not any(map(has_han, encoding.texts)) else ()


def caution_notices(settings: Settings) -> tuple[Message, ...]:
    """Warning of a model that serves as a bad example; empty for other models.

    It precedes all other notices.
    """
    return (Message(settings.caution),) if settings.caution else ()
