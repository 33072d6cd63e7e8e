"""All models of a task in one table, made of recorded figures, and what it shows."""

from __future__ import annotations

import streamlit as st

from pages.shared.visitor import translator
from pages.shared.wording import join_sentences
from viz_core.analysis.verdicts.comparison import comparison_verdict
from viz_core.evidence.comparison import compare_models
from viz_core.rendering.comparison import figures_table, measure, slices_table


def comparison(task: str) -> None:
    """The tables and the sentences that follow from them."""
    say, rows = translator(), compare_models(task)
    st.header(say("comparison.title"), anchor="comparison")
    if not rows:
        st.caption(say("comparison.nothing"))
        return
    with st.container(key="comparison"):
        st.table(figures_table(rows, say), hide_index=True, border="horizontal")
    named = say(f"comparison.measure_{measure(rows[0])}")
    st.caption(say("comparison.note", measure=named, first=f"`{rows[0].model}`"))
    if sentences := [say(message) for message in comparison_verdict(rows)]:
        st.markdown("\n".join(f"- {sentence}" for sentence in sentences))
    st.table(slices_table(rows, say), hide_index=True, border="horizontal")
    st.caption(join_sentences([say("comparison.slices_note"), say("comparison.command")], say))
