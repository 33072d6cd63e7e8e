"""Chinese word segmentation with domain words, and the words of character tokens."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import text_encoder
from viz_core.text.words import DOMAIN_WORDS, chinese_words


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in chinese_words(text)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("花呗怎么还款", ["花呗", "怎么", "还款"]),
        ("花呗如何还钱", ["花呗", "如何", "还钱"]),
        ("借呗和网商贷", ["借呗", "和", "网商贷"]),
    ],
)
def test_domain_words_are_not_split(text, expected):
    assert words(text) == expected


def test_domain_word_list_has_no_duplicates():
    domain_words = DOMAIN_WORDS.read_text(encoding="utf-8").split()
    assert len(domain_words) == len(set(domain_words))


@given(st.text(alphabet="花呗怎么还款abc123 \n\u3000，。🙂", max_size=30))
def test_words_cover_the_text_without_gaps(text):
    spans = chinese_words(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(end == start for (_, end), (start, _) in pairwise(spans))


def test_characters_are_grouped_by_word_within_a_sentence():
    encoding = text_encoder("afqmc").encode("花呗怎么还款", "还钱")
    # [CLS] 花呗 怎么 还款 [SEP] 还钱 [SEP]
    assert encoding.words.tolist() == [0, 1, 1, 2, 2, 3, 3, 4, 5, 5, 6]
