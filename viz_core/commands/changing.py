"""The verb `whatif`: the prediction for an input before and after changes to heads and tokens."""

import argparse
import re
from dataclasses import replace
from typing import Any

from viz_core.analysis.explain import explain, likeliest_tokens, token_names
from viz_core.analysis.whatif import Changes, Head, outcomes
from viz_core.checkpoints import Checkpoint
from viz_core.language import Translator
from viz_core.records import Failure

# Options, by the field of Changes that they fill, with their help.
HEAD_OPTIONS = {
    "masked": ("--mask", "heads whose output is set to 0, as layer.head from 1: 19.7"),
    "uniform": ("--uniform", "heads that attend to all tokens equally"),
}
TOKEN_OPTIONS = {
    "removed": ("--remove", "tokens hidden from all others, which keep their positions; from 1"),
    "deleted": ("--delete", "tokens left out, so that those after them move up"),
    "unknown": ("--unknown", "tokens replaced by the one for unknown words"),
    "blocked": ("--block", "tokens that no head may attend to"),
}


def what_if(checkpoint: Checkpoint, args: argparse.Namespace, say: Translator) -> dict:
    """Predict an input with and without changes.

    Of a language model, the classes are the likeliest next tokens before and after; of a model
    without a prediction there is only the similarity of the embeddings.
    """
    explanation = explain(checkpoint, args.text, args.text_b)
    fields: dict[str, Any] = {field: frozenset(map(parse_head, getattr(args, field))) for field in HEAD_OPTIONS}
    fields |= {field: frozenset(number - 1 for number in getattr(args, field)) for field in TOKEN_OPTIONS}
    before, after = outcomes(checkpoint, explanation.encoding, [Changes(), Changes(**fields)])
    result: dict[str, Any] = {"model": explanation.model, "tokens": list(explanation.encoding.tokens)}
    if not explanation.has_prediction:
        return {**result, "similarity": float(after[0])}
    if explanation.label_ids:
        ids = likeliest_tokens(before, after)
        labels, before, after = token_names(checkpoint, ids), before[ids], after[ids]
    else:
        labels = explanation.labels
    predicted = [
        labels[replace(explanation, labels=labels, probabilities=values).predicted] for values in (before, after)
    ]
    return {
        **result,
        "label": dict(zip(("before", "after"), predicted, strict=True)),
        "probabilities": [
            {"label": label, "before": float(old), "after": float(new)}
            for label, old, new in zip(labels, before, after, strict=True)
        ],
        "notices": [say(notice) for notice in explanation.notices],
    }


def parse_head(text: str) -> Head:
    """Return the head, from 0, that a text names as `layer.head`, from 1.

    Raises:
        Failure: If the text is not `layer.head`.
    """
    if not (numbers := re.fullmatch(r"([0-9]{1,4})\.([0-9]{1,4})", text)):
        raise Failure("cli.bad_head", head=text)
    return int(numbers[1]) - 1, int(numbers[2]) - 1
