"""The table of predictions: its cells, what can be clicked, and its looks."""

import re
from dataclasses import replace
from html import escape

import numpy as np
import pytest

from viz_core.records import PredictedRows
from viz_core.rendering.prediction_table import MAX_COLUMNS, prediction_table
from viz_core.rendering.theme import theme

PAIRS = PredictedRows(
    np.array([12, 1034, 7]),
    (
        ("花呗怎么还款", "花呗如何还钱"),
        ("用花呗还借呗可以吗", "用借呗还花呗可以吗"),
        ("借呗的额度变少了", "还款日能改吗"),
    ),
    ("different", "same"),
    np.array([1, 0, 0]),
    np.array([1, 1, 0]),
    np.array([0.953, 0.9999, 0.62]),
)
REVIEWS = PredictedRows(
    np.array([3, 5]),
    (("A slow start, a strong end: I was moved.",), ("Two hours of nothing. " * 40,)),
    ("negative", "positive"),
    np.array([1, 0]),
    np.array([1, 1]),
    np.array([0.71, 0.55]),
)


def cells(html: str) -> list[list[str]]:
    body = html.split("<tbody>")[1]
    return [[re.sub("<[^>]+>", "", cell) for cell in re.findall("<td.*?</td>", row)] for row in body.split("<tr")[1:]]


def test_rows_have_texts_labels_confidence_and_actions(say, light):
    table = cells(prediction_table(PAIRS, say, light, ("open", "compare")))
    correct, wrong = f"✓ {say('rendering.rows_correct')}", f"✗ {say('rendering.rows_wrong')}"
    assert table[1] == [
        "1,034",
        "用花呗还借呗可以吗",
        "用借呗还花呗可以吗",
        say("rendering.label_different"),
        say("rendering.label_same"),
        "&gt;99.9%",
        wrong,
        say("rendering.rows_open") + escape(say("rendering.rows_compare")),
    ]
    assert [row[-2] for row in table] == [correct, wrong, correct]


def test_screen_readers_hear_the_row_of_a_button(say, light):
    html = prediction_table(PAIRS, say, light, ("open", "compare"))
    names = re.findall('aria-label="([^"]+)">', html.split("<tbody>")[1])
    assert names[2:4] == ["Open · Row 1,034", "Edit &amp; compare · Row 1,034"] and len(set(names)) == 6


def test_unlabelled_rows_have_no_true_label(say, light):
    unlabelled = replace(PAIRS, labels=np.array([-1, -1, -1]))
    html = prediction_table(unlabelled, say, light)
    assert (
        say("rendering.rows_truth") not in html
        and "data-row=" not in html.split("<tbody>")[1]
        and len(cells(html)[0]) == 5
    )
    mixed = cells(prediction_table(replace(PAIRS, labels=np.array([1, -1, 0])), say, light))
    assert (mixed[1][3], mixed[1][6]) == ("–", "–")


def test_long_texts_are_truncated_and_markup_is_escaped(say, light):
    html = prediction_table(
        replace(REVIEWS, texts=(("<script>alert(1)</script>\u202e",), REVIEWS.texts[1])), say, light
    )
    assert "<script>" not in html and "&lt;script&gt;" in html and "\\u202e" in html
    assert len(cells(html)[1][1]) <= MAX_COLUMNS and cells(html)[1][1].endswith("…")


def test_tables_may_be_empty_but_not_inconsistent(say, light):
    assert cells(prediction_table(PAIRS.at(np.array([], int)), say, light, ("open",))) == []
    with pytest.raises(ValueError, match="3 texts.*2 labels"):
        prediction_table(replace(PAIRS, labels=np.array([1, 0])), say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_pairs(self, look, picture_of_html):
        theme, say, name = look
        picture_of_html(prediction_table(PAIRS, say, theme, ("open", "compare")), f"prediction_table_{name}", theme)

    def test_of_reviews(self, say, light, picture_of_html):
        picture_of_html(prediction_table(REVIEWS, say, light, ("open", "compare")), "prediction_table_reviews", light)

    def test_on_a_projector(self, say, picture_of_html):
        look = theme("dark", projector=True)
        picture_of_html(prediction_table(PAIRS, say, look), "prediction_table_projector", look)
