"""From anywhere to an input in the explorer: one click, whatever the length of the text."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.shared import explorer
from viz_core.checkpoints import Listing

_PAGES = {"imdb": ("sentiment", ("text",)), "afqmc": ("matching", ("a", "b"))}  # by task: the page, and its text boxes


def open_input(listing: Listing, texts: Sequence[str], head: str | None = None) -> None:
    """Goes to the page of the task with this model and these texts, and a head (`layer.head` from 1) selected.

    Through the session and not through the address, which would have to leave out long texts.
    """
    page, boxes = _PAGES[listing.task]
    state = st.session_state
    if state.get("model") != listing.name:  # where the picker has been drawn already, its value may not be set
        state["model"] = listing.name
    state.update(zip(boxes, texts, strict=True))
    if head:
        explorer.select(listing, texts, {"head": head})
    st.switch_page(f"../{page}.py")
