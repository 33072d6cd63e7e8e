"""Shared by the explorer and what-if: the description of an input, and their bundled scripts and style sheets."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np

from viz_core.language import Translator, catalogue
from viz_core.records import Explanation
from viz_core.rendering.labels import printable
from viz_core.rendering.theme import Theme


def describe(explanation: Explanation, say: Translator, theme: Theme, section: str) -> dict:
    """The shape of the attention, the tokens (group -1: special, 0 and 1: text A and B), the theme and the messages.

    section: the message catalogue to include; the browser uses its keys without this prefix.
    """
    encoding, (layers, heads, tokens, _) = explanation.encoding, explanation.attention.shape
    prefix, entries = f"{section}.", catalogue(say.language)
    return {
        "layers": layers,
        "heads": heads,
        "tokens": tokens,
        "pair": len(encoding.texts) == 2,
        "labels": [printable(encoding.label(index)) for index in range(tokens)],
        "groups": np.where(encoding.special, -1, encoding.segments).tolist(),
        "segments": encoding.segments.tolist(),
        "theme": asdict(theme),
        "language": say.language,
        "catalogue": {key.removeprefix(prefix): entry for key, entry in entries.items() if key.startswith(prefix)},
    }


def read_bundle(file: str) -> str:
    """A script or style sheet built by `npm run bundle`."""
    return (Path(__file__).parent / file).read_text(encoding="utf-8")
