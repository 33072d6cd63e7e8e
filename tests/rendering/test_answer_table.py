"""Rows with answers as a table: what stands in it, what a click tells, and how it looks."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from viz_core.records import PredictedRows
from viz_core.rendering.answer_table import LONGEST, answer_table
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


def test_every_row_has_its_texts_truth_answer_and_confidence(say, light):
    found = cells(answer_table(PAIRS, say, light, ("open", "compare")))
    assert found[1] == [
        "1,034",
        "用花呗还借呗可以吗",
        "用借呗还花呗可以吗",
        "different meaning",
        "same meaning",
        "&gt;99.9%",
        "✗ Wrong",
        "OpenChange it",
    ]
    assert [row[-2] for row in found] == ["✓ Right", "✗ Wrong", "✓ Right"]


def test_without_labels_nothing_is_said_of_truth(say, light):
    unknown = replace(PAIRS, labels=np.array([-1, -1, -1]))
    html = answer_table(unknown, say, light)
    assert "Truth" not in html and "data-row=" not in html.split("<tbody>")[1] and len(cells(html)[0]) == 5
    some = cells(answer_table(replace(PAIRS, labels=np.array([1, -1, 0])), say, light))
    assert (some[1][3], some[1][6]) == ("–", "–")


def test_long_texts_are_cut_and_markup_is_text(say, light):
    html = answer_table(replace(REVIEWS, texts=(("<script>alert(1)</script>\u202e",), REVIEWS.texts[1])), say, light)
    assert "<script>" not in html and "&lt;script&gt;" in html and "\\u202e" in html
    assert len(cells(html)[1][1]) <= LONGEST and cells(html)[1][1].endswith("…")


def test_no_rows_and_rows_that_do_not_fit(say, light):
    assert cells(answer_table(PAIRS.at(np.array([], int)), say, light, ("open",))) == []
    with pytest.raises(ValueError, match="3 rows, against 3 texts, 2 labels"):
        answer_table(replace(PAIRS, labels=np.array([1, 0])), say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_pairs(self, look, picture_of_html):
        theme, say, name = look
        picture_of_html(answer_table(PAIRS, say, theme, ("open", "compare")), f"answers_{name}", theme)

    def test_of_reviews(self, say, light, picture_of_html):
        picture_of_html(answer_table(REVIEWS, say, light, ("open", "compare")), "answers_reviews", light)

    def test_on_a_projector(self, say, picture_of_html):
        look = theme("dark", projector=True)
        picture_of_html(answer_table(PAIRS, say, look), "answers_projector", look)
