"""A table of answered rows on a page: one click opens a row on the page of its task, another one takes it to be compared."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.evaluation import compare
from pages.shared.opening import open_input
from pages.shared.visitor import page_theme, translator
from viz_core.checkpoints import Listing
from viz_core.records import AnsweredRows
from viz_core.rendering.answer_table import answer_table

_table = st.components.v2.component(
    "answered_rows", html='<div class="rows"></div>', js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
)


def draw(listing: Listing | None, rows: AnsweredRows, key: str) -> None:
    """Draws the rows; without a model they cannot be opened."""
    actions = ("open", "compare") if listing else ()

    def acted() -> None:
        told = st.session_state[key].act
        if told and told["act"] == "compare":
            compare.take(listing.task, rows.texts[told["row"]])

    told = _table(key=key, data={"html": answer_table(rows, translator(), page_theme(), actions)}, on_act_change=acted)
    if listing and told.act and told.act["act"] == "open":
        open_input(listing, rows.texts[told.act["row"]])
