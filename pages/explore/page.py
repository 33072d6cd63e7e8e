"""The page of a task, made from its record: text boxes, examples and model; the answer; the explorer; the evidence."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.explore import answer
from pages.explore.evidence import evidence
from pages.explore.figures import attention
from pages.shared import health
from pages.shared.inputs import examples, swap, text_box
from pages.shared.pickers import explain_or_warn, show_no_attention, pick_model
from pages.shared.tasks import TaskPage
from pages.shared.visitor import translator


def task_page(record: TaskPage) -> Callable[[], None]:
    """What Streamlit runs as the page of a task."""

    def page() -> None:
        _draw(record)

    page.__name__ = record.url
    return page


def _draw(record: TaskPage) -> None:
    say = translator()
    st.title(say(f"{record.task}.title"))
    st.caption(say(f"{record.task}.note"))
    asked, answered = st.columns([6, 5], gap="large")
    with asked:
        texts = _texts(record)
        examples(record)
        info = pick_model(record.task)
    with answered:
        explanation = info and explain_or_warn(info, *texts)
        if explanation:
            health.banner(info)
            answer.prediction(explanation)
    if explanation:
        answer.tokens(explanation)
        if explanation.has_attention:
            attention(info, explanation)
        else:
            show_no_attention(info)
        evidence(info, explanation)


def _texts(record: TaskPage) -> list[str]:
    """The text box of a text, or the two of a pair with a button between them that swaps them."""
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
