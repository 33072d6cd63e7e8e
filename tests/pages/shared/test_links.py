"""Widgets whose value is in the session and in the link."""

import json

import pytest
from streamlit.testing.v1 import AppTest

FIRST = {"example": "d2", "decimals": "2"}


def number_page():
    import streamlit as st

    from pages.shared import links

    st.text(links.link(st.number_input, "pair", "Pair", 1, 9, default=3, read=links.one_of(range(1, 10))))


def text_page():
    import streamlit as st

    from pages.shared import links

    links.link(st.text_area, "text", "Text", default="")


def always_page():
    import streamlit as st

    from pages.shared import links

    links.link(st.number_input, "pair", "Pair", 1, 9, default=3, read=links.one_of(range(1, 10)), always=True)


def valid(values) -> dict[str, str]:
    return {name: value for name, value in values.items() if name in FIRST}


@pytest.mark.parametrize(("linked", "shown"), [(None, "3"), ("7", "7"), ("12", "3"), ("seven", "3")])
def test_a_widget_opens_with_the_value_of_the_link_if_it_is_allowed(linked, shown):
    app = AppTest.from_function(number_page)
    if linked is not None:
        app.query_params["pair"] = linked
    assert app.run().text[0].value == shown


def test_a_value_goes_into_the_link_and_the_default_out_of_it():
    app = AppTest.from_function(number_page).run()
    app.number_input[0].set_value(5).run()
    assert app.query_params["pair"] == "5"
    app.number_input[0].set_value(3).run()
    assert "pair" not in app.query_params


def test_what_does_not_fit_into_a_link_takes_the_former_value_out_of_it():
    text, app = "long " * 500, AppTest.from_function(text_page)
    app.query_params["text"] = "short"
    assert app.run().text_area[0].value == "short"
    app.text_area[0].set_value(text).run()
    assert "text" not in app.query_params and app.text_area[0].value == text


def test_the_default_may_be_in_the_link():
    app = AppTest.from_function(always_page).run()
    assert app.query_params["pair"] == "3"


def report_page():
    import streamlit as st

    from pages.shared import links
    from tests.pages.shared.test_links import FIRST, valid

    links.keep_report("state", FIRST, valid, st.session_state.get("report"))
    st.json(links.linked_state("state", FIRST, valid))


def test_a_report_of_a_component_replaces_what_was_set():
    app = AppTest.from_function(report_page)
    app.query_params["decimals"] = "3"
    assert json.loads(app.run().json[0].value) == {"example": "d2", "decimals": "3"}
    app.session_state["report"] = {"decimals": "4", "other": "x"}
    assert json.loads(app.run().json[0].value) == {"example": "d2", "decimals": "4"}
    app.session_state["report"] = None
    assert json.loads(app.run().json[0].value) == {"example": "d2", "decimals": "4"}
