"""What the laboratory in the browser needs of an explanation: names, numbers, sentences, and where to ask for answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np

from viz_core.language import Translator, catalogue
from viz_core.records import Explanation
from viz_core.rendering.labels import printable
from viz_core.rendering.theme import Theme

PREFIX = "laboratory."


def laboratory(explanation: Explanation, say: Translator, theme: Theme, request: Mapping,
               chosen: tuple[int, int, int] = (0, 0, 0)) -> dict:
    """As `source/laboratory.js` reads it; goes to the browser as JSON.

    request: `url` and `body` to ask with, which name the model and the texts. chosen: layer, head and query, from 0, whose
    row of attention is open at first.
    """
    encoding, (layers, heads, tokens, _) = explanation.encoding, explanation.attention.shape
    entries = {key.removeprefix(PREFIX): entry for key, entry in catalogue(say.language).items() if key.startswith(PREFIX)}
    return {
        "layers": layers, "heads": heads, "tokens": tokens, "pair": len(encoding.texts) == 2,
        "labels": [printable(encoding.label(index)) for index in range(tokens)],
        "groups": np.where(encoding.special, -1, encoding.segments).tolist(), "segments": encoding.segments.tolist(),
        "classes": [say(f"rendering.label_{label}") for label in explanation.labels], "threshold": explanation.threshold,
        "original": explanation.probabilities.tolist(), "predicted": explanation.predicted, "chosen": list(chosen),
        "request": dict(request), "theme": asdict(theme), "language": say.language, "catalogue": entries,
    }
