"""A question to the class on a page: the code, the number of votes, then the votes."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.polls import polls
from tests.pages.app import page_text
from tests.words import says
from viz_core.analysis.turns import Client

QUESTION, OPTIONS = "Which **word** [decides](glossary:query)?", ("`not`", "good")


@pytest.fixture(autouse=True)
def no_polls(monkeypatch):
    monkeypatch.setattr(polls, "_polls", {})
    monkeypatch.setattr("pages.shared.ownership.visitor", lambda: "teacher")


def page(question: str, options: tuple[str, ...]) -> AppTest:
    def script(question: str, options: tuple[str, ...]) -> None:
        import streamlit as st

        from pages.shared.voting import ask_class

        st.session_state.setdefault("lang", "en")
        st.text(f"shown: {ask_class(question, options, 'lesson-card')}")

    return AppTest.from_function(script, args=(question, options), default_timeout=60).run()


@pytest.mark.parametrize(("options", "sent"), [(OPTIONS, ("0", "1", "0")), ((), ("0.1", "0.4", "0.1"))])
def test_a_class_is_asked_and_its_votes_are_shown(options, sent):
    app = page(QUESTION, options)
    app.button(key="ask_lesson-card").click().run()
    (poll,) = polls._polls.values()
    assert poll.question.text == "Which word decides?" and poll.question.options == ("not", "good")[: len(options)]
    for number, vote in enumerate(sent):
        poll.vote(Client(f"{number:032x}", "192.0.2.1"), vote)
    app.run()
    shown = page_text(app)
    assert poll.code in shown and says(shown, "votes.count", count=3) and not app.get("plotly_chart")
    assert app.text[0].value == "shown: False"
    app.button(key="show_lesson-card").click().run()
    assert not app.exception and not poll.is_open and app.get("plotly_chart") and app.text[0].value == "shown: True"
    app.button(key="ask_lesson-card").click().run()
    (again,) = polls._polls.values()
    assert again.code == poll.code and again.count == 0 and says(page_text(app), "votes.count", count=0)
    app.button(key="show_lesson-card").click().run()
    assert says(page_text(app), "votes.nobody") and not app.exception


def test_a_poll_that_is_gone_is_asked_anew():
    app = page(QUESTION, OPTIONS)
    app.button(key="ask_lesson-card").click().run()
    polls._polls.clear()
    app.run()
    assert not app.exception and [button.key for button in app.button] == ["ask_lesson-card"]


def test_a_question_that_no_phone_can_show_is_a_sentence():
    app = page(QUESTION, ("a",) * 11)
    assert says(app.error[0].value, "votes.too_many_options", count=11, limit=10) and not app.button
