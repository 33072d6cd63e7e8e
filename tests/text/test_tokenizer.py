"""Tokenizers and offsets, with vocabularies small enough to number by hand."""

import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import REVIEWS, text_encoder
from viz_core.language import has_sentence
from viz_core.records import Failure, Message
from viz_core.text.building import build_character_tokenizer, build_word_tokenizer
from viz_core.text.notices import MAX_LISTED
from viz_core.text.tokenizer import TextEncoder

# WordLevel numbers words by frequency, then alphabetically: "b" (2), then "a" and "c" (1 each).
WORDS = TextEncoder(build_word_tokenizer(["b b a c"], max_tokens=8, min_count=1))
CHARACTERS = TextEncoder(build_character_tokenizer(["花呗花\u3000v1"], max_tokens=8))


def surfaces(encoding) -> list[str]:
    return [encoding.surface(i) for i in range(len(encoding.tokens))]


def test_words_have_special_tokens_ids_and_offsets():
    encoding = WORDS.encode("B, c!")
    assert encoding.tokens == ("[CLS]", "b", "c", "[SEP]")
    assert encoding.ids.tolist() == [2, 4, 6, 3]
    assert encoding.segments.tolist() == [0, 0, 0, 0]
    assert encoding.offsets.tolist() == [[0, 0], [0, 1], [3, 4], [0, 0]]
    assert encoding.special.tolist() == [True, False, False, True]
    assert encoding.words.tolist() == [0, 1, 2, 3]
    assert encoding.notices == ()


def test_markup_and_punctuation_separate_words_and_count_in_offsets():
    encoding = WORDS.encode("a<br /><br/>B--c")
    assert encoding.tokens[1:-1] == ("a", "b", "c")
    assert surfaces(encoding)[1:-1] == ["a", "B", "c"]
    assert encoding.offsets[2].tolist() == [12, 13]


def test_accents_and_digits_are_parts_of_words():
    assert surfaces(WORDS.encode("Amélie 2 naïve don't"))[1:-1] == ["Amélie", "2", "naïve", "don", "t"]


def test_rare_words_are_not_in_the_vocabulary():
    text = TextEncoder(build_word_tokenizer(["often often often often often", "seldom " * 4], max_tokens=8))
    assert text.vocabulary == 5
    assert text.encode("often seldom").ids.tolist() == [2, 4, 1, 3]


def test_pair_of_characters_has_two_segments():
    encoding = CHARACTERS.encode("花呗", "V1\u3000")
    assert encoding.tokens == ("[CLS]", "花", "呗", "[SEP]", "v", "1", "\u3000", "[SEP]")
    assert encoding.segments.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert encoding.offsets[4:7].tolist() == [[0, 1], [1, 2], [2, 3]]
    assert encoding.surface(4) == "V"
    assert not encoding.unknown.any()


def test_every_character_is_a_token_including_line_breaks_and_emoji():
    encoding = CHARACTERS.encode("花\n🙂é呗")
    assert surfaces(encoding)[1:-1] == ["花", "\n", "🙂", "é", "呗"]
    assert encoding.unknown.tolist() == [False, False, True, True, True, False, False]


def test_typed_names_of_special_tokens_are_text():
    encoding = CHARACTERS.encode("[SEP]")
    assert surfaces(encoding)[1:-1] == ["[", "S", "E", "P", "]"]
    assert encoding.special.tolist() == [True, False, False, False, False, False, True]
    assert WORDS.encode("[SEP] b [CLS]").tokens == ("[CLS]", "[UNK]", "b", "[UNK]", "[SEP]")


def truncated_part(sentence: str, count: int, typed: int) -> Message:
    return Message("text.truncated_part", {"sentence": sentence, "count": count, "typed": typed})


@pytest.mark.parametrize(
    "pair, read, parts",
    [  # 8 tokens, of which [CLS] and [SEP] twice: 5 characters are read
        (("花" * 2, "呗" * 10), [2, 3], [truncated_part("B", 7, 10)]),
        (("花" * 10, "呗"), [4, 1], [truncated_part("A", 6, 10)]),
        (("花" * 4, "呗" * 9), [2, 3], [truncated_part("A", 2, 4), truncated_part("B", 6, 9)]),
    ],
)
def test_the_longer_sentence_is_truncated_first_with_a_notice_that_names_it(pair, read, parts):
    encoding = CHARACTERS.encode(*pair)
    assert [int((encoding.segments[~encoding.special] == segment).sum()) for segment in (0, 1)] == read
    assert encoding.notices == (Message("text.truncated_pair", {"parts": parts, "limit": 8}),)


def test_the_notice_of_a_truncated_pair_in_both_languages():
    (notice,) = CHARACTERS.encode("花" * 4, "呗" * 9).notices
    assert has_sentence(notice)


def test_a_truncated_text_has_a_notice():
    encoding = WORDS.encode("a b " * 5)
    assert encoding.notices == (Message("text.truncated", {"count": 4, "read": 6, "typed": 10, "limit": 8}),)


def test_unknown_tokens_are_listed_once_as_typed():
    encoding = WORDS.encode("Zebra b zebra Zebra")
    assert encoding.tokens[1] == "[UNK]"
    assert encoding.notices == (Message("text.unknown", {"count": 3, "tokens": ["Zebra", "zebra"], "more": ""}),)


def test_unknown_tokens_beyond_a_limit_are_counted():
    text = TextEncoder(build_word_tokenizer(["b"], max_tokens=40, min_count=1))
    (notice,) = text.encode(" ".join(f"w{i}" for i in range(MAX_LISTED + 3))).notices
    assert len(notice.values["tokens"]) == MAX_LISTED
    assert notice.values["more"] == Message("text.and_more", {"count": 3})


@pytest.mark.parametrize(
    "text, key",
    [
        ("", "text.blank"),
        (" \n\t\u3000", "text.blank"),
        ("?!… 🙂", "text.no_words"),
        ("<br /><br />", "text.no_words"),
        ("a\ud83d", "text.not_unicode"),
    ],
)
def test_a_text_without_tokens_is_a_failure(text, key):
    with pytest.raises(Failure) as failure:
        WORDS.encode(text)
    assert failure.value.message.key == key
    assert failure.value.message.values["where"] == Message("text.the_text")


@pytest.mark.parametrize("pair, name", [(("花", " "), "B"), (("", "花"), "A")])
def test_an_empty_sentence_of_a_pair_is_named(pair, name):
    with pytest.raises(Failure) as failure:
        CHARACTERS.encode(*pair)
    assert failure.value.message.values["where"] == Message("text.sentence", {"number": name})


def test_an_unpaired_surrogate_is_reported_with_its_position():
    with pytest.raises(Failure) as failure:
        CHARACTERS.encode("花呗\udc00")
    assert failure.value.message.values["position"] == 3


def test_a_very_long_text_is_truncated():
    encoding = text_encoder("imdb").encode("good film " * 1_900)  # 19,000 characters
    assert len(encoding.tokens) == 16
    assert encoding.notices[0].values["typed"] == 3_800
    pair = text_encoder("afqmc").encode("花呗" * 9_000, "还")
    assert pair.segments.tolist().count(1) == 2


def test_a_saved_tokenizer_gives_the_same_tokens(tmp_path):
    text = text_encoder("imdb")
    text.save(tmp_path / "tokenizer.json")
    loaded = TextEncoder.load(tmp_path / "tokenizer.json")
    assert loaded.encode(REVIEWS[0]).ids.tolist() == text.encode(REVIEWS[0]).ids.tolist()
    assert (loaded.vocabulary, loaded.max_tokens) == (text.vocabulary, 16)


def test_a_batch_is_encoded_like_single_texts():
    ids, segments = CHARACTERS.ids(["花呗", "花" * 9], ["呗", "v"])
    for row, row_segments, pair in zip(ids, segments, [("花呗", "呗"), ("花" * 9, "v")], strict=True):
        encoding = CHARACTERS.encode(*pair)
        assert row.tolist() == encoding.ids.tolist()
        assert row_segments.tolist() == encoding.segments.tolist()


TEXTS = st.text(alphabet=string.ascii_letters + string.digits + " .,<>/[]\n\u3000花呗éß🙂", min_size=1, max_size=40)


@pytest.mark.parametrize("text", [text_encoder("imdb"), CHARACTERS], ids=["words", "characters"])
@given(typed=TEXTS)
def test_offsets_point_into_the_text(text, typed):
    try:
        encoding = text.encode(typed)
    except Failure:
        return
    content = np.flatnonzero(~encoding.special)
    previous_end = 0
    for i in content:
        start, end = encoding.offsets[i]
        assert previous_end <= start < end <= len(typed)
        previous_end = end
        assert encoding.unknown[i] or encoding.surface(i).lower() == encoding.tokens[i]
    assert len(encoding.tokens) <= text.max_tokens
    assert (np.diff(encoding.words) >= 0).all() and encoding.words[0] == 0
