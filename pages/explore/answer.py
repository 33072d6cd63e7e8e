"""What the model answers to an input, and what it read of it."""

from __future__ import annotations

import streamlit as st

from pages.shared import downloads
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import plain
from viz_core.records import Explanation
from viz_core.rendering.probabilities import probability_bars, verdict
from viz_core.rendering.token_table import token_table


def prediction(explanation: Explanation) -> None:
    """The answer in words and as bars, and everything the reader should know about the input."""
    say = translator()
    for notice in explanation.encoding.notices:  # of the model, its banner speaks
        st.warning(plain(say(notice)), icon=":material/info:")
    st.markdown(f"#### {say(verdict(explanation))}")
    downloads.show(probability_bars(explanation, say, page_theme()), "probabilities", alt=say(verdict(explanation)))
    st.caption(say("pages.confidence_note"))


def tokens(explanation: Explanation) -> None:
    """What the model read: the token table, folded away until somebody asks."""
    say = translator()
    with st.expander(say("pages.read", count=len(explanation.encoding.tokens)), icon=":material/toc:"):
        st.caption(say(f"{explanation.task}.read_note"))
        downloads.show(token_table(explanation.encoding, say, page_theme()), "tokens")
