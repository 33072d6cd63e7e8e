"""The page of a task: text boxes, examples, model, prediction, explorer, and evidence about the attention."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.explore import prediction
from pages.explore.evidence import evidence
from pages.explore.figures import attention
from pages.shared import health
from pages.shared.inputs import example_buttons, swap, text_box
from pages.shared.pickers import explain_or_warn, pick_model, show_no_attention
from pages.shared.tasks import TaskPage
from pages.shared.visitor import translator


def task_page(record: TaskPage) -> Callable[[], None]:
    """The function that Streamlit runs as the page of a task."""

    def page() -> None:
        _draw(record)

    page.__name__ = record.url
    return page


def _draw(record: TaskPage) -> None:
    say = translator()
    st.title(say(f"{record.task}.title"))
    st.caption(say(f"{record.task}.note"))
    input_column, output_column = st.columns([6, 5], gap="large")
    with input_column:
        texts = _texts(record)
        example_buttons(record)
        info = pick_model(record.task)
    with output_column:
        explanation = info and explain_or_warn(info, *texts)
        if explanation:
            health.banner(info)
            prediction.show_prediction(explanation, info)
    if explanation:
        prediction.show_tokens(explanation)
        if explanation.has_attention:
            attention(info, explanation)
        else:
            show_no_attention(info)
        evidence(info, explanation)


def _texts(record: TaskPage) -> list[str]:
    """One text box, or the two of a pair with a button between them that swaps their contents."""
    if len(record.boxes) == 1:
        return [text_box(record, 0)]
    first, between, second = st.columns([8, 1, 8], vertical_alignment="center", gap="small")
    with first:
        text_a = text_box(record, 0)
    between.button(
        "",
        key="swap",
        on_click=swap,
        args=record.boxes,
        icon=":material/swap_horiz:",
        type="tertiary",
        help=translator()("pages.swap"),
    )
    with second:
        return [text_a, text_box(record, 1)]
