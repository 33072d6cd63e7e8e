"""The card of a model, closed at first."""

import re

import streamlit as st

from pages.shared.visitor import translator
from viz_core.checkpoints import CheckpointInfo, read_card


def card_section(info: CheckpointInfo) -> None:
    """The card, if there is one."""
    if card := read_card(info.path):
        with st.expander(translator()("pages.model_card"), icon=":material/description:"):
            st.markdown(re.sub("^#", "###", card, flags=re.MULTILINE))  # its headings are below those of the page
