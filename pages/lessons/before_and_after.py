"""The same sentences through models trained from scratch, distilled and pre-trained: does pre-training help?"""

import streamlit as st

from pages.shared.cache import explain_input
from pages.shared.models import find_model, how_to_fetch
from pages.shared.opening import open_input
from pages.shared.selection import reference
from pages.shared.tasks import BEFORE_AND_AFTER, first_head
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Failure
from viz_core.rendering.probabilities import percent


def before_and_after() -> None:
    """A row per sentence, with the prediction of each model; nothing unless there are two models to compare."""
    say, scene = translator(), BEFORE_AND_AFTER
    infos = [info for name in scene.models if (info := find_model(scene.task, name))]
    if len(infos) < 2:
        return
    st.header(say("lessons.before_and_after"))
    st.caption(say("lessons.before_and_after_note"))
    for sentence in filter(None, (how_to_fetch(scene.task, name) for name in scene.models)):
        st.info(sentence, icon=":material/download:")
    for number, (text, label) in enumerate(scene.inputs):
        with st.container(horizontal=True, vertical_alignment="center", key=f"scene_{number}"):
            st.markdown(f"“{escape_markdown(text)}”", width="stretch")
            for info in infos:
                _prediction(info, text, label, infos[0])


def _prediction(info: CheckpointInfo, text: str, label: str, first: CheckpointInfo) -> None:
    """A button with the prediction of a model, which opens it beside the first one."""
    say = translator()
    try:
        explanation = explain_input(info, text)
    except Failure:
        return
    predicted = explanation.labels[explanation.predicted]
    sentence = say(
        "lessons.before_and_after_prediction",
        name=info.name,
        label=say(f"rendering.label_{predicted}"),
        percent=percent(float(explanation.probabilities[explanation.predicted])),
    )
    icon = ":material/check:" if predicted == label else ":material/close:"
    if st.button(escape_markdown(sentence), key=f"scene_{info.name}_{text}", icon=icon, width=275):
        head = first_head(first.task, first.name)
        beside = reference(first.name, head=head, mode="side") if info.name != first.name else None
        open_input(info, (text,), reference=beside)
