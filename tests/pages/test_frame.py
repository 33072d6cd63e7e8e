"""All pages as Streamlit runs them: languages, separate visitors, and the message for an exception."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.app import explorer, open_page, type_texts
from viz_core.language import Translator
from viz_core.log import current_log_id

pytestmark = pytest.mark.usefixtures("runs_dir")  # includes checkpoints; times no training

TITLES = {"sentiment": "imdb.title", "matching": "afqmc.title"}


@pytest.mark.parametrize("page", ["home", "sentiment", "matching", "models", "evaluation", "training"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_is_shown_in_both_languages(page, language):
    app = open_page(page, lang=language)
    assert app.title[0].value == Translator(language)(TITLES.get(page, f"pages.{page}_title"))
    assert app.query_params["lang"] in (language, [language]) and not app.error


def test_visitors_do_not_share_state():
    first, second = open_page("sentiment", head="1.2"), open_page("sentiment", lang="zh")
    type_texts(first, "a bad film")
    second.run()
    assert explorer(first)["instrument"]["texts"] == ["a bad film"] != explorer(second)["instrument"]["texts"]
    assert (explorer(first)["selection"]["head"], explorer(second)["selection"]["head"]) == ("1.2", "2.1")
    assert first.title[0].value != second.title[0].value


def test_an_exception_is_a_sentence_in_the_visitors_language_and_in_the_log_under_its_number(caplog, monkeypatch):
    monkeypatch.setattr("secrets.token_hex", lambda bytes: "0a1b2c3d")
    ids = []

    def emit(record):
        if record.exc_info:
            ids.append((current_log_id(), record.exc_info[0]))

    monkeypatch.setattr(caplog.handler, "emit", emit)

    def script():
        import streamlit as st

        from pages.shared.visitor import show_page_error

        st.session_state["lang"] = "zh"
        show_page_error(ZeroDivisionError("division by zero"))

    app = AppTest.from_function(script).run()
    assert not app.exception and "ZeroDivisionError" in app.error[0].value and "刷新页面" in app.error[0].value
    assert "0a1b2c3d" in app.error[0].value and ids == [("0a1b2c3d", ZeroDivisionError)]
