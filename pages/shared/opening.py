"""From anywhere to an input in the explorer: one click, whatever the length of the text."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.shared import navigation
from pages.shared.inputs import box_values
from pages.shared.selection import select
from pages.shared.tasks import PAGES
from viz_core.checkpoints import CheckpointInfo


def open_input(info: CheckpointInfo, texts: Sequence[str], head: str | None = None) -> None:
    """Goes to the page of the task with this model and these texts, and a head (`layer.head` from 1) selected.

    Through the session and not through the address, which would have to leave out long texts.
    """
    st.session_state.update(box_values(PAGES[info.task], texts))
    if head:
        select(info, texts, {"head": head})
    open_model(info)


def open_model(info: CheckpointInfo) -> None:
    """Goes to the page of the task with this model.

    Not by a link: a model that was chosen on that page before would win over one that its address names.
    """
    if (
        st.session_state.get("model") != info.name
    ):  # where the picker has been drawn already, its value may not be set
        st.session_state["model"] = info.name
    navigation.switch(PAGES[info.task].url)
