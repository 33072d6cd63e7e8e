"""The page of a model: how good it is, what its heads do, and which it needs. From saved evidence; no corpus needed."""

import streamlit as st

from pages.models import heads, health, importance, translation
from pages.models.card import card_section
from pages.models.table import comparison, models_table
from pages.shared import evidence, navigation, text_evidence
from pages.shared.health import read_health
from pages.shared.kinds import PageKind, page_kind
from pages.shared.other_models import open_section, open_tasks, reopen_linked
from pages.shared.own_tasks import visible_tasks
from pages.shared.pickers import describe_kind, pick_task_and_model, show_no_attention
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.health import NAME
from viz_core.records import ELSEWHERE


def models() -> None:
    """The pickers, and below them what is known of the model."""
    say = translator()
    st.title(say("pages.models_title"))
    row = navigation.beside()
    note = st.empty()
    if st.query_params.get("task") in ELSEWHERE:
        reopen_linked()
    info = pick_task_and_model([*visible_tasks(), *open_tasks()])
    kind = PageKind() if info is None else page_kind(info.task)
    note.caption(say(kind.models_note))
    if info:
        with row:
            text_evidence.ways(info)
        with st.container(key=f"of_{info.task}"):  # another element for another task: nothing in it stays scrolled
            kind.models(info)
    models_table()
    open_section()


def classifier(info: CheckpointInfo) -> None:
    """The health of a model that classifies, the importance of its heads, and all models of its task."""
    describe_kind(info)
    model_health, has_attention = read_health(info), bool(info.settings.config.layers)
    if model_health:
        health.verdict(model_health)
    else:
        st.caption(translator()("health.unexamined"))
        evidence.offer(info, NAME)
    if has_attention:
        heads.section(info)
    else:
        show_no_attention(info, "heads")
    if model_health:
        health.figures(model_health)
        health.predictions(model_health)
        if model_health.heads:
            health.heads(model_health)
    if has_attention:
        importance.section(info)
    comparison(info.task)


def translator_model(info: CheckpointInfo) -> None:
    """The figures of a model that translates, whether its cross-attention aligns words, and its card."""
    say, config = translator(), info.settings.config
    values = {"parameters": config.parameters(), "vocabulary": config.vocabulary, "tokens": config.max_tokens}
    st.caption(escape_markdown(say("translation_figures.size", **values)))
    translation.figures(info)
    heads.section(info)
    translation.alignment(info)
    card_section(info)
