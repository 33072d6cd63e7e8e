"""The page of a model: how good it is, what its heads do, and which it needs. From saved evidence; no corpus needed."""

from __future__ import annotations

import re

import streamlit as st

from pages.models import elsewhere, health, importance, translation
from pages.models.comparison import comparison
from pages.models.table import models_table
from pages.shared import evidence
from pages.shared.health import read_health
from pages.shared.other_models import open_section
from pages.shared.pickers import describe_kind, pick_task_and_model, show_no_attention
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.checkpoints import CheckpointInfo, read_card
from viz_core.evidence.health import NAME
from viz_core.tasks import TRANSLATION, all_tasks


def models() -> None:
    """The pickers, and below them what is known of the model."""
    say = translator()
    st.title(say("pages.models_title"))
    note = st.empty()
    info = pick_task_and_model(all_tasks())
    translates = info is not None and info.task in all_tasks(TRANSLATION)
    note.caption(say("translation_figures.note" if translates else "health.note"))
    if translates:
        _translator(info)
    elif info:
        _classifier(info)
    if info and not translates:
        comparison(info.task)
    models_table()
    open_section()
    elsewhere.section()


def _classifier(info: CheckpointInfo) -> None:
    """The health of the model, and the importance of its heads."""
    describe_kind(info)
    model_health = read_health(info)
    if model_health:
        health.verdict(model_health)
        health.figures(model_health)
        health.predictions(model_health)
        if model_health.heads:
            health.heads(model_health)
    else:
        st.caption(translator()("health.unexamined"))
        evidence.offer(info, NAME)
    if info.settings.config.layers:
        importance.section(info)
    else:
        show_no_attention(info, "heads")


def _translator(info: CheckpointInfo) -> None:
    """Its figures, whether its cross-attention aligns words, and its card."""
    say, config = translator(), info.settings.config
    values = {"parameters": config.parameters(), "vocabulary": config.vocabulary, "tokens": config.max_tokens}
    st.caption(escape_markdown(say("translation_figures.size", **values)))
    translation.figures(info)
    translation.alignment(info)
    if card := read_card(info.path):
        with st.expander(say("translation_figures.card"), icon=":material/description:"):
            st.markdown(re.sub("^#", "###", card, flags=re.MULTILINE))  # its headings are below those of the page
