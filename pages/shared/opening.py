"""Opening an input or a model on the page of its task, from any other page."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.shared import navigation
from pages.shared.inputs import box_values
from pages.shared.kinds import page_kind, task_page
from pages.shared.pickers import MODEL_TASK
from pages.shared.selection import select
from pages.shared.tasks import TEXT_COUNT
from viz_core.checkpoints import CheckpointInfo

# Keys in the session: the task of what is selected on the page about the inside of attention, with that, and a sentence
# with the ids of the translation that is shown there.
TEXTS_OF = "texts_of"  # the task whose texts are in the boxes
INSIDE_STATE, INSIDE_OUTPUTS = "inside_state", "inside_outputs"
# The kind of evidence on the page of a task, and the model that another one is compared with there; also in its link.
EVIDENCE, OTHER_MODEL = "evidence", "other"
_EVIDENCE_OPENINGS = "evidence_openings"


def translation_state(task: str) -> str:
    """The key in the session of what is set on the page of a task that shows translations."""
    return f"translation_{task}"


def open_input(
    info: CheckpointInfo, texts: Sequence[str], head: str | None = None, reference: Mapping[str, str] | None = None
) -> None:
    """Goes to the page of the task with this model and these texts, and a head (`layer.head` from 1) selected.

    reference: what they are compared with (`selection.reference`). Through the session state, because links leave out
    long texts.
    """
    _set_texts(info, texts)
    if head or reference:
        select(info, texts, {**({"head": head} if head else {}), **(reference or {})})
    open_model(info)


def open_evidence(name: str) -> None:
    """Opens a kind of evidence on the page of a task, which scrolls to it."""
    st.session_state.update({EVIDENCE: name, _EVIDENCE_OPENINGS: evidence_openings() + 1})


def evidence_openings() -> int:
    """How often the visitor has come to a kind of evidence by a button elsewhere."""
    return st.session_state.get(_EVIDENCE_OPENINGS, 0)


def open_beside(info: CheckpointInfo, texts: Sequence[str], other: CheckpointInfo) -> None:
    """Goes to the page of the task with this model and these texts, the predictions and token bars of both models side
    by side: what can be compared if one of them has no attention."""
    st.session_state[OTHER_MODEL] = other.name
    open_evidence("models")
    open_input(info, texts)


def open_translation(info: CheckpointInfo, head: str) -> None:
    """Goes to the page of translations with this model and a head of the cross-attention (`layer.head` from 1), and
    with the sentence that was there before. At first the page selects the head that aligns best by itself."""
    if state := st.session_state.get(translation_state(info.task)):
        st.session_state[translation_state(info.task)] = {**state, "kind": "cross", "head": head}
    open_model(info)


def open_inside(info: CheckpointInfo, texts: Sequence[str], weight: Mapping[str, str]) -> None:
    """Goes to the page about the inside of attention with this model and these texts, at a weight: `head`, `query` and
    `key` as in the link of an explorer."""
    _set_texts(info, texts)
    _open_weight(info, weight)


def _set_texts(info: CheckpointInfo, texts: Sequence[str]) -> None:
    st.session_state.update({**box_values(task_page(info.task, len(texts)), texts), TEXTS_OF: info.task})
    if page_kind(info.task).input_pages and st.session_state.get(TEXT_COUNT) != len(texts):
        st.session_state[TEXT_COUNT] = len(texts)


def open_inside_translation(info: CheckpointInfo, text: str, outputs: Sequence[int], weight: Mapping[str, str]) -> None:
    """The same with a sentence and the ids of its translation; the weight has a `kind`, too."""
    st.session_state.update({"source": text, INSIDE_OUTPUTS: (text, tuple(outputs))})
    _open_weight(info, weight)


def _open_weight(info: CheckpointInfo, weight: Mapping[str, str]) -> None:
    choose(info)
    st.session_state.update({"task": info.task, "inside": "head"})
    weight = {name: str(weight.get(name, "")) for name in ("kind", "head", "query", "key")}
    st.session_state[INSIDE_STATE] = info.task, {**weight, "step": "softmax"}
    navigation.switch("inside")


def open_model(info: CheckpointInfo) -> None:
    """Goes to the page of the task with this model.

    Not by a link: a model selected on that page before would take precedence over the one in the address.
    """
    choose(info)
    navigation.switch(task_page(info.task).url)


def choose(info: CheckpointInfo) -> None:
    """Has the pickers of the next page show this model."""
    # Set only if it differs: Streamlit forbids setting the value of a picker that is already drawn.
    if st.session_state.get("model") != info.name:
        st.session_state["model"] = info.name
    st.session_state[MODEL_TASK] = info.task
