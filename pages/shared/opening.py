"""From anywhere to an input in the explorer: one click, whatever the length of the text."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.shared import navigation
from pages.shared.inputs import filled
from pages.shared.selection import select
from pages.shared.tasks import PAGES
from viz_core.checkpoints import Listing


def open_input(listing: Listing, texts: Sequence[str], head: str | None = None) -> None:
    """Goes to the page of the task with this model and these texts, and a head (`layer.head` from 1) selected.

    Through the session and not through the address, which would have to leave out long texts.
    """
    st.session_state.update(filled(PAGES[listing.task], texts))
    if head:
        select(listing, texts, {"head": head})
    open_model(listing)


def open_model(listing: Listing) -> None:
    """Goes to the page of the task with this model.

    Not by a link: a model that was chosen on that page before would win over one that its address names.
    """
    if (
        st.session_state.get("model") != listing.name
    ):  # where the picker has been drawn already, its value may not be set
        st.session_state["model"] = listing.name
    navigation.switch(PAGES[listing.task].url)
