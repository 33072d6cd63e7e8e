"""All pages as Streamlit runs them: languages, separate visitors, and the message for an exception."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.clients import Rate
from tests.e2e.test_accessibility import READY
from tests.pages.app import TITLES, explorer, open_page, type_texts
from tests.words import says
from viz_core.language import LANGUAGES, Translator
from viz_core.log import current_log_id

pytestmark = pytest.mark.usefixtures("runs_dir")  # includes checkpoints; times no training


@pytest.mark.parametrize("page", TITLES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_shown_in_both_languages(page, language):
    app = open_page(page, lang=language)
    assert app.title[0].value == Translator(language)(TITLES[page])
    assert app.query_params["lang"] in (language, [language])
    assert bool(app.error) == (page in ("news", "review-writer", "syllables")), "of which there is no model here"


def test_no_page_is_forgotten_by_tests_and_screenshots():
    assert (
        set(open_page().session_state["pages"]) == set(TITLES) == {path.partition("?")[0] or "home" for path in READY}
    )


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
    assert says(app.error[0].value, "pages.failed", "zh", kind="ZeroDivisionError", number="0a1b2c3d")
    assert not app.exception
    assert ids == [("0a1b2c3d", ZeroDivisionError)]


@pytest.mark.parametrize("held", [7, ["zh"], None, "xx"])
def test_an_exception_is_a_sentence_also_where_a_forged_message_has_changed_the_language(held):
    def script(held):
        import streamlit as st

        from pages.shared.visitor import show_page_error

        st.session_state["lang"] = held
        show_page_error(ZeroDivisionError("division by zero"))

    app = AppTest.from_function(script, args=(held,)).run()
    assert says(app.error[0].value, "pages.failed") and not app.exception


def test_a_page_that_is_made_to_fail_without_end_writes_a_line_each_time_and_few_tracebacks(caplog, monkeypatch):
    monkeypatch.setattr("pages.shared.visitor._tracebacks", Rate(2, 10.0, clock=lambda: 0.0))

    def script():
        from pages.shared.visitor import show_page_error

        for _ in range(5):
            show_page_error(ValueError("typed"))

    AppTest.from_function(script).run()
    records = [record for record in caplog.records if record.name == "pages.shared.visitor"]
    assert [record.exc_info is not None for record in records] == [True, True, False, False, False]
    assert "ValueError" in records[-1].message and "typed" not in records[-1].message
