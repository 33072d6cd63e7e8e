"""The visitor's own text through a head."""

from collections.abc import Callable

import streamlit as st

from pages.head.reading import Head, read
from pages.shared import downloads
from pages.shared.kinds import InsideInput, page_kind
from pages.shared.visitor import page_theme, show_failure, translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Failure
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.tables.downloads import map_csv


def section(info: CheckpointInfo, kind: str, layer: int, head: int) -> None:
    """An expander with the boxes of the text, shared with the other pages, and the heat map of the head."""
    inside = page_kind(info.task).inside
    if inside is None:
        return
    with (expander := st.expander(translator()("heads.own_text"), key="head_own_text", on_change="rerun")):
        if expander.open:
            _map(info, inside.pick_input, kind, (layer, head))


def _map(info: CheckpointInfo, pick_input: Callable[[CheckpointInfo], InsideInput], kind: str, head: Head) -> None:
    say = translator()
    try:
        attention = read(info, pick_input(info), kind).map(head)
    except Failure as failure:
        show_failure(failure, "edit", st.warning)
        return
    figure = attention_heatmap(attention, say, page_theme())
    downloads.show(figure, "head_text", lambda: map_csv(attention), alt=say(attention.title))
