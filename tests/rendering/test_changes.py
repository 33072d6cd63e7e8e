"""Words that differ between two inputs are marked in the text, and nothing else is."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tests.tiny import text_encoder
from viz_core.analysis.difference import compare
from viz_core.records import Comparison, Explanation
from viz_core.rendering.changes import changed_words
from viz_core.rendering.theme import theme


def comparison(task: str, before: tuple[str, ...], after: tuple[str, ...]) -> Comparison:
    def explain(texts: tuple[str, ...]) -> Explanation:
        encoding = text_encoder(task).encode(*texts)
        tokens = len(encoding.tokens)
        return Explanation(
            "tiny",
            task,
            encoding,
            ("a", "b"),
            np.array([0.5, 0.5]),
            0.5,
            np.full((1, 1, tokens, tokens), 1 / tokens, np.float32),
            "cls",
        )

    return compare(explain(before), explain(after))


PAIR = comparison("afqmc", ("花呗怎么还款", "花呗如何还钱"), ("花呗怎么还款", "借呗怎么还款"))


def marks(html: str) -> list[str]:
    return re.findall("<mark>(.*?)</mark>", html)


def test_adjacent_words_share_a_mark_and_the_text_stays_complete(say, light):
    html = changed_words(comparison("imdb", ("a good film",), ("not a very bad film!",)), say, light)
    assert marks(html) == ["good", "not", "very bad"]
    assert "a <mark>good</mark> film" in html and "<mark>not</mark> a <mark>very bad</mark> film!" in html


def test_words_that_moved_are_underlined_on_both_sides(say, light):
    html = changed_words(comparison("imdb", ("a good film",), ("good film a!",)), say, light)
    assert marks(html) == [] and html.count('<mark class="moved">a</mark>') == 2
    html = changed_words(comparison("imdb", ("a good film",), ("film not a good",)), say, light)
    assert marks(html) == ["not"] and html.count('<mark class="moved">film</mark>') == 2


def test_each_sentence_of_a_pair_has_its_letter(say, light):
    html = changed_words(PAIR, say, light)
    assert html.count('class="letter a"') == html.count('class="letter b"') == 2
    assert marks(html) == ["花", "如何", "钱", "借", "怎么", "款"]


def test_an_input_against_itself_has_no_mark_and_markup_is_text(say, light):
    text = ("a <b>good</b> film & more",)
    html = changed_words(comparison("imdb", text, text), say, light)
    assert marks(html) == [] and "<b>" not in html and "&lt;b&gt;good&lt;/b&gt; film &amp; more" in html


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_removed_words_are_orange_and_added_ones_blue(say, mode):
    look = theme(mode)
    html = changed_words(PAIR, say, look)
    assert f"--am-removed:{look.diverging[0]}" in html and f"--am-added:{look.diverging[-1]}" in html
    assert not set(look.classes) & set(re.findall("#[0-9a-f]{6}", html)), "rose and green are for the classes"


def test_marks_of_another_length_are_rejected(say, light):
    with pytest.raises(ValueError, match="15 tokens.*2"):
        changed_words(replace(PAIR, changed_after=np.array([True, False])), say, light)


@pytest.mark.browser
def test_picture(look, picture_of_html):
    theme, say, name = look
    picture_of_html(changed_words(PAIR, say, theme), f"changes_{name}", theme)
