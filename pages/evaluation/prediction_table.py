"""A table of rows with predictions: a click opens a row on the page of its task, a button takes it to Compare."""

from pathlib import Path

import streamlit as st

from pages.evaluation import compare
from pages.shared.opening import open_input
from pages.shared.visitor import page_theme, translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import PredictedRows
from viz_core.rendering.prediction_table import prediction_table

_table = st.components.v2.component(
    "prediction_table",
    html='<div class="rows"></div>',
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)


def draw_rows(info: CheckpointInfo | None, rows: PredictedRows, key: str, file: str = "") -> None:
    """Draws the rows; without a model (`info` is None) they cannot be opened. file: that they are from."""
    html = prediction_table(rows, translator(), page_theme(), ("open", "compare") if info else (), file)

    def handle_action() -> None:
        result = st.session_state[key].act
        if result and result["act"] == "compare":
            compare.compare_texts(info.task, rows.texts[result["row"]])

    result = _table(key=key, data={"html": html}, on_act_change=handle_action)
    if info and result.act and result.act["act"] == "open":
        open_input(info, rows.texts[result.act["row"]])
