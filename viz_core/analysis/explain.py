"""Explanation of one input: the prediction for a text or pair, with the attention of every head."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.decoding import CANDIDATES, special_ids
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.models.batch import pad
from viz_core.models.protocol import Hook, LanguageModel, Network, Output
from viz_core.models.recording import calling
from viz_core.records import ELSEWHERE, Encoding, Explanation, Failure, HeadWeights, Message, read_only
from viz_core.text.joining import has_han

MOST_KEPT = 2**25  # 134 MB: more than 12 × 12 heads of 482 tokens, or 30 × 9 heads of 352


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
    if task.name not in ELSEWHERE:  # a model from elsewhere reads what its library makes of a text
        encoding = open_ended(checkpoint, encoding)
    return replace(encoding, notices=_language_notices(checkpoint, encoding) + encoding.notices)


def open_ended(checkpoint: Checkpoint, encoding: Encoding) -> Encoding:
    """Without the token that ends texts, which a tokenizer may put behind one that a language model reads."""
    ends, last = special_ids(checkpoint.model).ends, len(encoding.ids) - 1
    is_ended = last > 0 and isinstance(checkpoint.model, LanguageModel) and ends(int(encoding.ids[last]))
    return encoding.first(last) if is_ended else encoding


def explain_batch(
    checkpoint: Checkpoint, encodings: Sequence[Encoding], between_layers: Callable[[], None] | None = None
) -> list[Explanation]:
    """Explain each input, all from one forward pass; equal to `explain` to 1e-5.

    Args:
        between_layers: Called before each layer; what it raises ends the pass.

    Raises:
        Failure: If the model's output is not finite.
    """
    inputs, hook = input_tensors(*encodings), calling(between_layers) if between_layers else None
    with torch.inference_mode():
        output, attention = _run(checkpoint.model, inputs, hook)
    if not torch.isfinite(output.logits).all():  # a file may contain finite weights so large that they overflow
        raise Failure("analysis.no_numbers", name=f"{checkpoint.task.name}/{checkpoint.name}")
    return [
        explanation(checkpoint, encoding, logits.numpy(), weights)
        for encoding, logits, weights in zip(encodings, output.logits, attention, strict=True)
    ]


def _run(
    network: Network, inputs: tuple[Tensor, Tensor, Tensor], hook: Hook | None
) -> tuple[Output, Sequence[HeadWeights]]:
    """Run the model, and return the attention of each text; that of long texts is computed when it is asked for."""
    lengths = inputs[2].sum(1).tolist()
    if not network.attention_kinds:
        return network(*inputs, hook=hook), [np.zeros((0, 0, T, T), np.float32) for T in lengths]
    if is_deferred(network, max(lengths)):
        return network.deferred(*inputs, hook=hook)
    output: Output = network(*inputs, need_attention=True, hook=hook)
    return output, [output.own[:, row, :, :T, :T].contiguous().numpy() for row, T in enumerate(lengths)]


def input_tensors(*encodings: Encoding) -> tuple[Tensor, Tensor, Tensor]:
    """ids, segments and mask `(B, T)` of B inputs."""
    return pad([encoding.ids for encoding in encodings], [encoding.segments for encoding in encodings])


def is_deferred(network: Network, tokens: int) -> bool:
    """Whether the attention weights of a text of this length are computed when they are asked for."""
    config = network.config
    return getattr(network, "can_defer", False) and config.layers * config.heads * tokens**2 > MOST_KEPT


def explanation(checkpoint: Checkpoint, encoding: Encoding, logits: np.ndarray, attention: HeadWeights) -> Explanation:
    """Record of one input, from its logits `(C,)` and attention `(L, H, T, T)`."""
    settings = checkpoint.settings
    labels, probabilities, label_ids = _classes(checkpoint, settings.probabilities(logits))
    for array in (probabilities, attention, *encoding.arrays.values()):
        if isinstance(array, np.ndarray):
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
