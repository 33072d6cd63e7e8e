"""The logit lens: what the classifier, or the output layer of a decoder, makes of every layer."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from pages.inside.head import text_boxes
from pages.routes.inside import InsideInput, translate_input
from pages.shared import downloads
from pages.shared.cache import explain_input, load_model
from pages.shared.pickers import describe_kind, pick_task_and_model
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.logit_lens import class_lens, token_lens
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Failure
from viz_core.rendering.logit_lens import class_lines, token_cells
from viz_core.tasks import TRANSLATION_TASKS, all_tasks


def section() -> None:
    """Model, texts, the view, and its source with its limits; a sentence where there is nothing to read off."""
    info = pick_task_and_model(all_tasks(), of_runs=True)
    if info is None:
        return
    say = translator()
    if not info.settings.model.layers:
        _warn(Failure("lens.no_layers", name=f"{info.task}/{info.name}"))
        describe_kind(info)
        return
    content = text_boxes(info)
    try:
        view = _view(info, content)
    except Failure as failure:
        _warn(failure)
        return
    downloads.show(view, "lens", alt=say("lens.title"))
    st.caption(say("lens.source"))


def _view(info: CheckpointInfo, content: InsideInput) -> go.Figure:
    """Raises Failure."""
    say, theme, checkpoint = translator(), page_theme(), load_model(info)
    if info.task in TRANSLATION_TASKS:
        return token_cells(token_lens(checkpoint, translate_input(info, content)), say, theme)
    return class_lines(class_lens(checkpoint, explain_input(info, *content.texts).encoding), say, theme)


def _warn(failure: Failure) -> None:
    st.warning(escape_markdown(translator()(failure.message)), icon=":material/edit:")
