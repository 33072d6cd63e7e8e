"""One head, step by step: its input, what its component is opened with, and the link."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from pages.inside.inputs import pick_model
from pages.inside.state import FIRST, current_state, find_weight, first_kind, opening_query, read_report, remember
from pages.inside.touch_link import from_link
from pages.routes import inside, matrices
from pages.routes.inside import InsideRequest, pack_selected, translate_input, write_changes
from pages.shared import history, links
from pages.shared.cache import explain_input
from pages.shared.component import component, follow_theme
from pages.shared.kinds import InsideInput, page_kind
from pages.shared.models import display_name
from pages.shared.own_tasks import task_theme
from pages.shared.pickers import describe_kind
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.analysis.inside.passes import Selected
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.shared import appearance
from viz_core.records import OTHER, Failure

TRANSFORMERS = (
    "encoder",
    "encoder_decoder",
    "decoder",
)  # of our kinds of models, those whose computation is known here

_inside = component("inside", '<div class="inside"></div>', ["link", "theme"])


def section() -> None:
    """Model, texts, and the component; a sentence where there is nothing to show."""
    left, right = st.columns([3, 2], gap="medium")  # what is shown below begins on the first screen
    with left:
        info = pick_model("head")
    if info is None:
        return
    if info.task != OTHER and info.settings.kind not in TRANSFORMERS:
        key = "inside.no_projections" if info.settings.config.layers else "inside.no_attention"
        sentence = translator()(key, name=f"{info.task}/{info.name}")
        st.info(escape_markdown(sentence), icon=":material/visibility_off:")
        describe_kind(info)
        return
    kind = page_kind(info.task)
    with right:
        content = kind.inside.pick_input(info)
    try:
        attention = kind.inside.attention(info, content)
        opening = _opening(info, content, attention, current_state(info.task))
    except Failure as failure:
        st.warning(escape_markdown(translator()(failure.message)), icon=":material/edit:")
        return
    query = opening_query(info, content.texts, attention)
    _mount(info.task, opening, FIRST | {"kind": first_kind(info, attention), "query": str(query + 1)})
    kind.banner(info)


def _opening(
    info: CheckpointInfo, content: InsideInput, attention: Mapping[str, np.ndarray], state: Mapping[str, str]
) -> bytes:
    """What the component is opened with. Raises Failure."""
    say = translator()
    weight = find_weight(info, content.texts, attention, state)
    request = {
        "task": info.task,
        "model": info.name,
        "texts": list(content.texts),
        "outputs": list(content.outputs),
        "language": say.language,
    }
    fields = {
        **appearance(say, task_theme(info.task), "inside"),
        "modelName": display_name(info, say),
        "turns": history.turns(),
        "request": {"url": inside.PATH, "body": request},
        "matrixRequest": {"url": matrices.PATH, "body": {"task": info.task, "model": info.name}},
    }

    def pack(changes: HeadChanges) -> bytes:
        shown = {**state, **_weight_in_link(weight), "changes": write_changes(changes)}
        return pack_selected(info, InsideRequest(content, weight, changes), say, state=shown, **fields)

    try:
        return pack(from_link(state["touch"]))
    except Failure as failure:
        if not state["touch"]:
            raise
        sentence = say("whatif.link_refused", reason=say(failure.message))
        st.warning(escape_markdown(sentence), icon=":material/link_off:")
    return pack(HeadChanges())


def attention_of_texts(info: CheckpointInfo, content: InsideInput) -> Mapping[str, np.ndarray]:
    """By kind, `(L, H, T, T)`. Raises Failure."""
    explanation = explain_input(info, *content.texts)
    return {explanation.kind: explanation.attention}


def attention_of_translation(info: CheckpointInfo, content: InsideInput) -> Mapping[str, np.ndarray]:
    """By kind, `(L, H, Q, K)`. Raises Failure."""
    return translate_input(info, content).attention


def _weight_in_link(weight: Selected) -> dict[str, str]:
    """The selected weight, as in the link."""
    return {
        "kind": weight.kind,
        "head": f"{weight.layer + 1}.{weight.head + 1}",
        "query": str(weight.query + 1),
        "key": str(weight.key + 1),
    }


@st.fragment
def _mount(task: str, opening: bytes, first: Mapping[str, str]) -> None:
    """The component. What it reports reruns this fragment alone, and `opening` stays as it is. first: what is left out
    of the link."""
    event = _inside(key="inside_head", data=opening)
    state = read_report(event.link) or current_state(task)
    remember(task, state)
    links.write({name: value or first[name] for name, value in state.items()}, first)
    follow_theme(event)
