"""What the pages with patching share: the box of the other text, and sentences about a part."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from pages.shared import links
from pages.shared.visitor import translator
from viz_core.records import Contrast, Explanation, Site
from viz_core.rendering.probabilities import prediction_in_short
from viz_core.text.length import MAX_CHARACTERS, cut_text

_OF, _KEPT = "source_of", "source_kept"  # in the session: the task of the texts in the boxes; those of all tasks


def other_text(task: str, box: str, draw: Callable, label: str, default: str) -> str:
    """The box of another text, which pages of other tasks share: each keeps its own."""
    key, kept = f"source_{box}", st.session_state.setdefault(_KEPT, {})
    if st.session_state.get(f"{_OF}_{box}", task) != task and key not in st.query_params:
        st.session_state[key] = kept.get((task, box), default)
    text = links.link(draw, key, label, default=default, read=cut_text, max_chars=MAX_CHARACTERS)
    kept[task, box] = text
    st.session_state[f"{_OF}_{box}"] = task
    return text


def what_becomes(found: Contrast, site: Site, layer: int, column: int, before: Explanation, after: Explanation) -> str:
    """A sentence about the prediction with a part of the source."""
    say = translator()
    name = column + 1 if site == "heads" else found.target.tokens[found.positions[column][1]]
    part = say(f"patching.part_{site}", layer=layer + 1, name=name)
    values = {"before": prediction_in_short(before), "after": prediction_in_short(after)}
    return say("patching.turned", part=part, **values)


def unmatched(found: Contrast) -> list[str]:
    """A sentence about the tokens of the target that have no partner."""
    left = np.setdiff1d(np.flatnonzero(found.target.typed), found.pairs[:, 1])
    tokens = ", ".join(found.target.tokens[position] for position in left.tolist())
    return [translator()("patching.unmatched", tokens=tokens)] if tokens else []
