"""The page of translations by the models of this project."""

from __future__ import annotations

import streamlit as st

from pages.routes import translate
from pages.shared.models import find_model
from pages.shared.pickers import pick_model
from pages.shared.translating import TranslationPage, mount_translation
from pages.shared.visitor import translator
from pages.translation.examples import EXAMPLES
from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.alignment import NAME, read
from viz_core.evidence.results import read_result
from viz_core.tasks import TRANSLATION, default_task

TASK = default_task(TRANSLATION).name
TRAIN = f"python -m viz_core train --task {TASK} --name small"
PAGE = TranslationPage(translate.PATH, "translation", EXAMPLES)
FIRST = PAGE.first


def translation() -> None:
    """Draws the page; without a model it says how to train one."""
    say = translator()
    st.title(say("translation.title"))
    note_column, model_column = st.columns([3, 2], vertical_alignment="center")
    note_column.caption(say("translation.note"))
    named = (find_model(TASK, str(values.get("model"))) for values in (st.session_state, st.query_params))
    if not checkpoints.task_checkpoints(TASK) and not any(named):
        st.info(say("translation.no_model", command=f"`{TRAIN}`"), icon=":material/model_training:")
        return
    with model_column:
        info = pick_model(TASK, label="collapsed", of_runs=True)
    if info:
        mount_translation(PAGE, info, first_state(info))


def first_state(info: CheckpointInfo) -> dict[str, str]:
    """What is set at first; of the cross-attention the head that aligns words best, if that is known."""
    alignment = read(read_result(info.path, NAME))
    if alignment is None:
        return FIRST
    best = min(alignment.heads("produces"), key=lambda score: score.error_rate)
    return FIRST | {"head": best.name}
