"""Two inputs to patch between: which tokens correspond, and which two labels tell them apart."""

import torch

from viz_core.analysis.difference import align
from viz_core.analysis.direct_contributions import with_likeliest_other
from viz_core.analysis.explain import explain_batch, input_tensors
from viz_core.checkpoints import Checkpoint
from viz_core.records import Contrast, Encoding, Explanation, Failure, read_only

LEAST = 0.01  # logits: below that, there is nothing to explain


def contrast(
    checkpoint: Checkpoint, source: Encoding, target: Encoding, tokens: tuple[int, int] | None = None
) -> Contrast:
    """Compare two inputs of a model.

    The labels are those that the model predicts for the source and for the target; if they are the
    same, the second is the likeliest other one for the target.

    Args:
        tokens: Two tokens that are the labels instead, of a model whose classes are tokens.

    Raises:
        Failure: If the inputs have the same tokens, no tokens that correspond, or the same logits; for a
            model without attention or without classes.
    """
    checkpoint.require_attention()
    check_texts(source, target)
    pairs, _, _ = align(source, target)
    if not (~target.special[pairs[:, 1]]).any():
        raise Failure("patching.nothing_aligned")
    if tokens is None:
        names, logits = _labels(*explain_batch(checkpoint, [source, target]))
    else:
        names, logits = (checkpoint.text_encoder.token(tokens[0]), checkpoint.text_encoder.token(tokens[1])), tokens
    first, second = (_difference(checkpoint, encoding, logits) for encoding in (source, target))
    if abs(first - second) < LEAST:
        raise Failure("patching.no_difference", difference=abs(first - second), first=names[0], second=names[1])
    return Contrast(
        checkpoint.name, checkpoint.task.name, source, target, read_only(pairs), names, logits, first, second
    )


def check_texts(source: Encoding, target: Encoding) -> None:
    """Raise Failure if two inputs have the same tokens."""
    if source.ids.tolist() == target.ids.tolist():
        raise Failure("patching.same_texts")


def _labels(source: Explanation, target: Explanation) -> tuple[tuple[str, str], tuple[int, int]]:
    """Names of both labels, and their places among the logits."""
    first, _ = with_likeliest_other(source)
    chosen, other = with_likeliest_other(target)
    one, two = source.logit(first), target.logit(chosen)
    second = other if one == two else chosen
    return (source.labels[first], target.labels[second]), (one, target.logit(second))


@torch.inference_mode()
def _difference(checkpoint: Checkpoint, encoding: Encoding, labels: tuple[int, int]) -> float:
    logits = checkpoint.model(*input_tensors(encoding)).logits[0].double()
    return float(logits[labels[0]] - logits[labels[1]])
