"""Shared by the explorer and what-if: the description of an input, and their bundled scripts and style sheets."""

from dataclasses import asdict
from pathlib import Path

from viz_core.explorer.packed_sides import token_fields
from viz_core.language import Translator, catalogue
from viz_core.records import Explanation
from viz_core.rendering.probabilities import percent, threshold_mark, verdict
from viz_core.rendering.theme import Theme


def describe(explanation: Explanation) -> dict:
    """Shape of the attention, and the tokens."""
    layers, heads = explanation.attention.shape[:2]
    return {
        "layers": layers,
        "heads": heads,
        "pair": len(explanation.encoding.texts) == 2,
        **token_fields(explanation.encoding),
    }


def prediction_fields(explanation: Explanation, say: Translator) -> dict:
    """The prediction: class names with probabilities `(C,)`, the decision threshold, and the verdict.

    Without a classifier there are no classes, and `predicted` is -1. `percents` are the
    probabilities as text; `mark` describes the threshold; `remark`, `doubt` and `caution` comment on this
    confidence and this attention, if the caller knows more about the model.
    """
    return {
        "labels": [say(f"rendering.label_{label}") for label in explanation.labels],
        "probabilities": [round(float(probability), 6) for probability in explanation.probabilities],
        "percents": [percent(float(probability)) for probability in explanation.probabilities],
        "predicted": explanation.predicted if explanation.has_prediction else -1,
        "threshold": explanation.threshold,
        "mark": say(threshold_mark(explanation.threshold)) if explanation.threshold is not None else "",
        "verdict": say(verdict(explanation)),
        "remark": "",
        "doubt": "",
        "caution": "",
    }


def appearance(say: Translator, theme: Theme, *sections: str) -> dict:
    """The theme, the language and its messages.

    Args:
        sections: The message catalogues to include; the browser uses their keys without these
            prefixes.
    """
    entries = catalogue(say.language).items()
    return {
        "theme": asdict(theme),
        "language": say.language,
        "catalogue": {key.partition(".")[2]: entry for key, entry in entries if key.partition(".")[0] in sections},
    }


def read_bundle(file: str) -> str:
    """A script or style sheet built by `npm run bundle`."""
    return (Path(__file__).parent / file).read_text(encoding="utf-8")
