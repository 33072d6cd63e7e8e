"""The model that is followed and the texts that it reads, in every section: models from elsewhere among them."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from pages.inside.translated import pick_translation
from pages.routes.inside import InsideInput
from pages.shared.cache import load_transformer
from pages.shared.inputs import text_box
from pages.shared.other_models import open_models, reopen_linked
from pages.shared.pickers import pick_task_and_model, pick_text_count
from pages.shared.tasks import input_page
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown, join_sentences
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import OTHER, Failure
from viz_core.tasks import TRANSLATION, all_tasks, get_task

HEIGHT = 68  # of a text box, in px: the least; what is shown below matters


def pick_model(tasks: Iterable[str], of_runs: bool = True) -> CheckpointInfo | None:
    """The pickers of a task and a model. None, after a sentence, if there is none, or if it is from elsewhere and its
    steps are not known. of_runs: as of `pickers.pick_model`."""
    if st.query_params.get("task") == OTHER:
        reopen_linked()
    info = pick_task_and_model([*tasks, *([OTHER] if open_models() else [])], of_runs=of_runs)
    if info is None or info.task != OTHER:
        return info
    try:
        load_transformer(info)
    except Failure as failure:
        say = translator()
        sentences = join_sentences([say(failure.message), say("inside.not_followed")], say)
        st.info(escape_markdown(sentences), icon=":material/visibility_off:")
        return None
    return info


def text_boxes(info: CheckpointInfo) -> InsideInput:
    """Draws the text boxes."""
    if info.task in all_tasks(TRANSLATION):
        return pick_translation(HEIGHT)
    count = pick_text_count() if info.task == OTHER else get_task(info.task).input_texts
    page, texts = input_page(info.task, count), []
    for number, column in enumerate(st.columns(count, gap="large")):
        with column:
            texts.append(text_box(page, number, height=HEIGHT))
    return InsideInput(tuple(texts))
