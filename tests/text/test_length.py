"""Long texts: cut where they enter, with a notice; two long texts of a pair are truncated without their rests."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from viz_core.language import LANGUAGES, Translator, has_sentence
from viz_core.records import Message
from viz_core.text.building import build_character_tokenizer, build_word_tokenizer
from viz_core.text.length import MAX_CHARACTERS, cut_notices, cut_text, is_cut
from viz_core.text.notices import MAX_QUOTED
from viz_core.text.tokenizer import TextEncoder

WORDS = TextEncoder(build_word_tokenizer(["good film"], max_tokens=8, min_count=1))
CHARACTERS = TextEncoder(build_character_tokenizer(["花呗借"], max_tokens=9))


def test_a_text_is_cut_at_the_limit_and_not_before():
    whole = "字" * MAX_CHARACTERS
    assert cut_text(whole) is whole and not is_cut(whole) and cut_notices([whole]) == ()
    assert cut_text(whole + "还") == whole and is_cut(whole + "还")


def test_an_encoded_text_ends_at_the_limit_and_says_so():
    encoding = WORDS.encode("花" * 1_000_000)
    assert encoding.texts == ("花" * MAX_CHARACTERS,) and len(encoding.tokens) == 3
    values = {"where": Message("text.the_text"), "typed": 1_000_000, "limit": MAX_CHARACTERS}
    assert encoding.notices[0] == Message("text.cut", values)
    assert has_sentence(encoding.notices[0])


def test_the_sentence_that_is_cut_is_named():
    notices = CHARACTERS.encode("花呗", "借" * (MAX_CHARACTERS + 1)).notices
    assert [notice.values["where"].values for notice in notices if notice.key == "text.cut"] == [{"number": "B"}]


def test_a_batch_is_cut_like_single_texts():
    long = "good " * MAX_CHARACTERS
    (ids,), _ = WORDS.ids([long])
    np.testing.assert_array_equal(ids, WORDS.encode(long).ids)
    (first,), (first_segments,) = CHARACTERS.ids(["花" * (MAX_CHARACTERS + 5)], ["呗"])
    assert (first.shape, first_segments.tolist()) == ((9,), [0] * 7 + [1] * 2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_notice_quotes_the_beginning_of_a_long_token(language):
    (notice,) = WORDS.encode("x" * 500).notices
    assert notice.values["tokens"] == ["x" * (MAX_QUOTED - 1) + "…"]
    assert len(Translator(language)(notice)) < 200


TEXTS = st.text(alphabet="花呗借 ab\u0301\u00ad", max_size=30).filter(lambda text: any(c in "花呗借ab" for c in text))


@given(TEXTS, TEXTS)
def test_a_pair_is_truncated_as_the_library_truncates_it(a, b):
    plain = Tokenizer.from_str(CHARACTERS._file)
    plain.normalizer = CHARACTERS._tokenizer.normalizer
    expected = plain.encode(a, b)
    encoding = CHARACTERS.encode(a, b)
    assert (encoding.ids.tolist(), encoding.segments.tolist()) == (expected.ids, expected.type_ids)
    (ids,), _ = CHARACTERS.ids([a], [b])
    assert ids.tolist() == expected.ids


def test_two_long_texts_of_a_pair_have_no_further_encodings():
    """The library would keep 2,857 × 2,857 of them."""
    pair = CHARACTERS._shorten_pair("花" * MAX_CHARACTERS, "呗" * (MAX_CHARACTERS - 1))
    assert list(map(len, pair)) == [10, 9]
    assert len(CHARACTERS.encode("花" * MAX_CHARACTERS, "呗" * MAX_CHARACTERS).tokens) == 9
