"""The address of a head, and the way to its page."""

import streamlit as st

from pages.shared import navigation
from pages.shared.opening import choose
from viz_core.checkpoints import CheckpointInfo

URL = "head"  # the last part of the address
HEAD, KIND = "head", "kind"  # in the session and in the link: `layer.head` from 1, and which attention
STATISTIC = "shows"  # by which statistic its passages are ranked; at first the one by which the head stands out
_CLICKED = "clicked_head"


def click_head(head: str, kind: str) -> None:
    """Notes the head that was clicked, in a callback, where no page can be opened."""
    st.session_state[_CLICKED] = head, kind


def open_clicked(info: CheckpointInfo) -> None:
    """Goes to the page of the head that was clicked, if any was."""
    if clicked := st.session_state.pop(_CLICKED, None):
        open_head(info, *clicked)


def open_head(info: CheckpointInfo, head: str, kind: str) -> None:
    """Goes to the page of a head (`layer.head` from 1) of this model."""
    choose(info)
    st.session_state.pop(STATISTIC, None)
    for key, value in {"task": info.task, HEAD: head, KIND: kind}.items():
        if st.session_state.get(key) != value:  # Streamlit forbids setting the value of a picker that is already drawn
            st.session_state[key] = value
    navigation.switch(URL)
