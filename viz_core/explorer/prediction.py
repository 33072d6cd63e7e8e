"""The prediction as the browser draws it: numbers, and every sentence about them."""

from __future__ import annotations

from viz_core.language import Translator
from viz_core.records import Explanation
from viz_core.rendering.probabilities import percent, threshold_mark, verdict


def prediction_fields(explanation: Explanation, say: Translator) -> dict:
    """Names of the classes with their probabilities `(C,)`, the decision threshold, and the verdict.

    Without a classifier there are no classes, and `predicted` is -1. `percents`: the probabilities as text. `mark`:
    what the threshold is. `remark`, `caution`: on this confidence and on this attention, for those who know more of the
    model.
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
        "caution": "",
    }
