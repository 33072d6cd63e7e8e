"""Formulas in uploaded texts."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from viz_core.tables.csv_rows import escape_formula, unescape_formula

EVALUATED = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1"]


@pytest.mark.parametrize("text", EVALUATED)
def test_what_a_spreadsheet_would_evaluate_follows_an_apostrophe(text):
    assert escape_formula(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "good", "a=1", "'quoted'", "花呗-借呗"])
def test_any_other_text_stays_as_it_is(text):
    assert escape_formula(text) == text == unescape_formula(text)


@given(st.text(alphabet="'=+-@\t\r\na花", max_size=6) | st.text())
@example("'=1")
@example("''＝")
def test_every_text_is_read_back_as_it_was(text):
    escaped = escape_formula(text)
    assert unescape_formula(escaped) == text
    assert not escaped or escaped[0] not in "=+-@\t\r\n＝＋－＠"
