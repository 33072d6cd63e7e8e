"""The page of a task whose models translate: word by word, candidates, beam search, teacher forcing and what-if."""

import streamlit as st

from pages.routes import translate
from pages.shared import navigation
from pages.shared.pickers import named_models, pick_model
from pages.shared.tasks import TaskPage
from pages.shared.translating import mount_translation
from pages.shared.visitor import translator
from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.alignment import NAME, read
from viz_core.evidence.results import read_result

TRAIN = "python -m viz_core train --task {task} --name small"


def translation(record: TaskPage) -> None:
    """Draws the page; without a model it says how to train one."""
    say = translator()
    st.title(record.sentence(say, "title"))
    pages_column, model_column = st.columns([3, 2], vertical_alignment="center")
    with pages_column:
        navigation.beside()
    if not checkpoints.task_checkpoints(record.task) and not named_models(record.task):
        command = TRAIN.format(task=record.task)
        st.info(say("translation.no_model", command=f"`{command}`"), icon=":material/model_training:")
        return
    with model_column:
        info = pick_model(record.task, label="collapsed", of_runs=True)
    if info:
        mount_translation(record, info, translate.PATHS, **_best_head(info))


def _best_head(info: CheckpointInfo) -> dict[str, str]:
    """Of the cross-attention the head that aligns words best, as in the link, if that is known."""
    alignment = read(read_result(info.path, NAME))
    if alignment is None:
        return {}
    best = min(alignment.heads("produces"), key=lambda score: score.error_rate)
    return {"head": best.name}
