"""The prediction for an input, and the tokens that the model read."""

from __future__ import annotations

import streamlit as st

from pages.shared import downloads
from pages.shared.health import prediction_calibration, prediction_verdict, sentences
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Explanation
from viz_core.rendering.probabilities import probability_bars
from viz_core.rendering.token_table import token_table


def show_prediction(explanation: Explanation, info: CheckpointInfo) -> None:
    """Notices about the input, the prediction in words and as bars, and what is known of the model's calibration."""
    say = translator()
    for notice in explanation.encoding.notices:  # those of the model are in its banner
        st.warning(escape_markdown(say(notice)), icon=":material/info:")
    verdict = say(prediction_verdict(explanation, info))
    st.markdown(f"#### {verdict}")
    downloads.show(probability_bars(explanation, say, page_theme()), "probabilities", alt=verdict)
    if remark := prediction_calibration(info):
        st.caption(sentences(say, remark), help=say("health.cross_fitted_help"))


def show_tokens(explanation: Explanation) -> None:
    """The token table, in an expander that is closed at first."""
    say = translator()
    with st.expander(say("pages.read", count=len(explanation.encoding.tokens)), icon=":material/toc:"):
        st.caption(say(f"{explanation.task}.read_note"))
        downloads.show(token_table(explanation.encoding, say, page_theme()), "tokens")
