import re

import numpy as np
import pytest

from tests.rendering import examples
from viz_core.records import Encoding
from viz_core.rendering.token_table import token_table

REVIEW, PAIR, HOSTILE = (
    examples.encoding(*texts) for texts in ((examples.REVIEW,), examples.PAIR, (examples.HOSTILE,))
)


def rows(html):
    return [
        [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", html)[1:]
    ]


def test_a_row_per_token(say, light):
    table = rows(token_table(PAIR, say, light))
    assert len(table) == len(PAIR.tokens)
    assert table[2] == ["3", "呗", "[UNK]", str(PAIR.ids[2]), "A", "3", say("rendering.unknown_mark")]
    assert table[8][4] == "B" and table[0][1] == "[CLS]"


def test_segments_are_for_pairs_only(say, light):
    html = token_table(REVIEW, say, light)
    assert say("rendering.segment") not in html and rows(html)[1] == ["2", "The", "the", str(REVIEW.ids[1]), "2", ""]


def test_white_space_is_visible(say, light):
    space = Encoding(
        ("a b",),
        (" ",),
        np.array([5]),
        np.array([0]),
        np.array([(1, 2)]),
        np.array([0]),
        np.array([False]),
        np.array([False]),
    )
    assert rows(token_table(space, say, light))[0][1:3] == ["␣", "␣"]


def test_markup_is_escaped(say, light):
    html = token_table(HOSTILE, say, light)
    assert "<script" not in html and "<b>" not in html and "&amp;amp;" in html and "\\u202ekcab" in html


def test_the_table_scrolls(say, light):
    html = token_table(REVIEW, say, light)
    assert "max-height" in html and "position:sticky" in html


def test_lengths_are_checked(say, light):
    with pytest.raises(ValueError, match="15 tokens.*2"):
        token_table(Encoding(**{**vars(REVIEW), "ids": np.arange(2)}), say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_a_review(self, look, picture_of_html):
        theme, say, name = look
        picture_of_html(token_table(REVIEW, say, theme), f"token_table_review_{name}", theme)

    def test_of_a_pair(self, look, picture_of_html):
        theme, say, name = look
        picture_of_html(token_table(PAIR, say, theme), f"token_table_pair_{name}", theme)

    def test_of_hostile_tokens(self, say, light, picture_of_html):
        picture_of_html(token_table(HOSTILE, say, light), "token_table_hostile", light)
