"""What was changed in an input: marked in the text, and nowhere else."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from tests.tiny import text_encoder
from viz_core.analysis.difference import compare
from viz_core.records import Comparison, Explanation
from viz_core.rendering.changes import changed_words


def comparison(task: str, before: tuple[str, ...], after: tuple[str, ...]) -> Comparison:
    def explained(texts: tuple[str, ...]) -> Explanation:
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

    return compare(explained(before), explained(after))


PAIR = comparison("afqmc", ("花呗怎么还款", "花呗如何还钱"), ("花呗怎么还款", "借呗怎么还款"))


def marks(html: str) -> list[str]:
    return re.findall("<mark>(.*?)</mark>", html)


def test_words_that_touch_are_one_mark_and_the_text_stays_whole(say, light):
    found = changed_words(comparison("imdb", ("a good film",), ("not a very bad film!",)), say, light)
    assert marks(found) == ["good", "not", "very bad"]
    assert "a <mark>good</mark> film" in found and "<mark>not</mark> a <mark>very bad</mark> film!" in found


def test_of_a_pair_each_sentence_has_its_letter(say, light):
    found = changed_words(PAIR, say, light)
    assert found.count('class="letter a"') == found.count('class="letter b"') == 2
    assert marks(found) == ["花", "如何", "钱", "借", "怎么", "款"]


def test_an_input_against_itself_has_no_mark_and_markup_is_text(say, light):
    text = ("a <b>good</b> film & more",)
    found = changed_words(comparison("imdb", text, text), say, light)
    assert marks(found) == [] and "<b>" not in found and "&lt;b&gt;good&lt;/b&gt; film &amp; more" in found


def test_marks_that_do_not_fit_are_refused(say, light):
    with pytest.raises(ValueError, match="15 tokens, against 2 marks"):
        changed_words(replace(PAIR, changed_after=np.array([True, False])), say, light)


@pytest.mark.browser
def test_picture(look, picture_of_html):
    theme, say, name = look
    picture_of_html(changed_words(PAIR, say, theme), f"changes_{name}", theme)
