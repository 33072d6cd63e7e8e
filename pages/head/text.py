"""The visitor's own text through a head."""

import streamlit as st

from pages.head.reading import read
from pages.shared import downloads
from pages.shared.kinds import page_kind
from pages.shared.visitor import page_theme, show_failure, translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Failure
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.tables.downloads import map_csv


def section(info: CheckpointInfo, kind: str, layer: int, head: int) -> None:
    """The boxes of the text, shared with the other pages, and the heat map of the head."""
    say, inside = translator(), page_kind(info.task).inside
    if inside is None:
        return
    st.header(say("heads.own_text"), anchor="own-text")
    try:
        attention = read(info, inside.pick_input(info), kind).map((layer, head))
    except Failure as failure:
        show_failure(failure, "edit", st.warning)
        return
    figure = attention_heatmap(attention, say, page_theme())
    downloads.show(figure, "head_text", lambda: map_csv(attention), alt=say(attention.title))
