"""What the pages with patching share: the box of the other text, the effects, and sentences about a part."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from pages.shared import links
from pages.shared.patching_runs import contrast_of_texts, measure
from pages.shared.visitor import translator
from viz_core.analysis.patching.estimate import agreement, estimate
from viz_core.checkpoints import CheckpointInfo
from viz_core.models.protocol import AttentionKind
from viz_core.records import Contrast, Explanation, Patching, Site
from viz_core.rendering.probabilities import prediction_in_short
from viz_core.rendering.scales import with_sign
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


def effects(
    info: CheckpointInfo, found: Contrast, unrelated: tuple[str, ...] | None, site: Site, kind: AttentionKind = "self"
) -> tuple[Patching, list[str]]:
    """The effects, exact where that is quick or was asked for, else estimated; and sentences about them."""
    say, notes = translator(), unmatched(found) if kind == "self" else []
    measured = measure(info, found, unrelated, site, kind)
    if measured is None:
        checkpoint, _ = contrast_of_texts(info, found.source.texts, found.target.texts, kind)
        return estimate(checkpoint, found, [site]), notes
    exact, estimated, control = measured
    if control is not None:
        notes.append(say("patching.control", value=with_sign(control, 2)))
    if (agrees := agreement(exact.effects[site], estimated.effects[site])) is not None:
        notes.append(say("patching.agreement", value=with_sign(agrees, 2)))
    return exact, notes


def unmatched(found: Contrast) -> list[str]:
    """A sentence about the tokens of the target that have no partner."""
    left = np.setdiff1d(np.flatnonzero(found.target.typed), found.pairs[:, 1])
    tokens = ", ".join(found.target.tokens[position] for position in left.tolist())
    return [translator()("patching.unmatched", tokens=tokens)] if tokens else []
