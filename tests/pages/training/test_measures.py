"""Figures of a run in words."""

from streamlit.testing.v1 import AppTest

from tests.words import english


def _figures() -> None:
    import streamlit as st

    from pages.training.measures import in_words
    from viz_core.records import Evaluation

    st.text(" · ".join(in_words(Evaluation.from_dict({"phase": "train", "accuracy": 0.458, "mcc": -0.151}))))


def test_a_negative_figure_has_a_true_minus():
    app = AppTest.from_function(_figures)
    app.session_state["lang"] = "en"
    figures = english("pages.figure_accuracy", value="45.8%"), english("pages.figure_mcc", value="−0.151")
    assert app.run().text[0].value == " · ".join(figures)
