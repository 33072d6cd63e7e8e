"""Data for what-if in the browser: tokens, probabilities, messages, and where to send requests."""

from collections.abc import Mapping

from viz_core.explorer.shared import appearance, describe
from viz_core.language import Translator
from viz_core.records import Explanation
from viz_core.rendering.theme import Theme


def whatif_data(
    explanation: Explanation,
    say: Translator,
    theme: Theme,
    request: Mapping,
    row: tuple[int, int, int] | None = (0, 0, 0),
    changes: Mapping[str, list] | None = None,
    turns: int = 0,
    tracked: int | None = None,
    replaces: bool = True,
    names: Mapping[str, str] | None = None,
) -> dict:
    """Input of `source/whatif/whatif.js`, sent as JSON.

    Without a prediction, `classes` is empty, and the similarity of the embedding is tracked.

    Args:
        request: `url` and `body` of requests; the body names the model and the texts.
        row: Layer, head and query, from 0, of the row of attention shown at first; None for a model
            without attention.
        changes: Initial changes, as fields of a request.
        turns: How often the browser went back or forward; if it did, this replaces earlier changes.
        tracked: The class whose probability is tracked, by default the predicted one.
        replaces: Whether tokens can be replaced: whether the vocabulary has one for unknown words.
        names: What people call heads, by attention and head, from 1: `self 2.4`.
    """
    predicts = explanation.has_prediction
    if tracked is None and predicts:
        tracked = explanation.predicted
    return {
        **appearance(say, theme, "whatif"),
        **describe(explanation),
        "classes": [say(f"rendering.label_{label}") for label in explanation.labels],
        "threshold": explanation.threshold,
        "original": explanation.probabilities.tolist(),
        "predicted": explanation.predicted if predicts else None,
        "tracked": tracked,
        "row": row and list(row),
        "changes": dict(changes or {}),
        "turns": turns,
        "kind": explanation.kind,
        "names": dict(names or {}),
        "replaces": replaces,
        "request": dict(request),
    }
