"""Tokens of other people's tokenizers: as the library has them, with offsets, words and segments of our own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from tests.adapters.tiny_networks import byte_pairs, wordpiece
from viz_core.adapters.text_encoder import AdaptedTextEncoder
from viz_core.records import Failure

BERT, ROBERTA = (AdaptedTextEncoder(build(), 32) for build in (wordpiece, byte_pairs))


def surfaces(encoding):
    return [encoding.surface(i) for i in range(len(encoding.ids))]


def test_pieces_of_a_word_share_its_number_and_special_tokens_stand_alone():
    encoding = BERT.encode("The film is unbelievably good, don't sat")
    assert encoding.tokens[:8] == ("[CLS]", "the", "film", "is", "un", "##bel", "##iev", "##ably")
    assert surfaces(encoding)[1:8] == ["The", "film", "is", "un", "bel", "iev", "ably"]
    assert encoding.words.tolist() == [0, 1, 2, 3, 4, 4, 4, 4, 5, 6, 7, 8, 9, 10, 11]
    assert np.flatnonzero(encoding.special).tolist() == [0, 14]


def test_a_pair_has_two_segments_and_its_words_go_on():
    encoding = BERT.encode("the cat", "the cat sat")
    assert encoding.tokens == ("[CLS]", "the", "cat", "[SEP]", "the", "cat", "sat", "[SEP]")
    assert encoding.segments.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert encoding.words.tolist() == list(range(8)) and BERT.second_segment == 1
    assert encoding.offsets[4:7].tolist() == [[0, 3], [4, 7], [8, 11]]


def test_of_a_pair_in_one_segment_we_know_the_text_of_each_token():
    encoding = ROBERTA.encode("cat", "cat sat")
    assert encoding.tokens == ("<s>", "cat", "</s>", "</s>", "cat", "␣sat", "</s>")
    assert encoding.segments.tolist() == [0, 0, 0, 0, 1, 1, 1] and ROBERTA.second_segment == 0
    assert surfaces(encoding)[1:6] == ["cat", "</s>", "</s>", "cat", "sat"]


def test_bytes_are_shown_as_characters_or_named_if_they_are_parts_of_one():
    encoding = ROBERTA.encode("cat é")
    assert encoding.tokens == ("<s>", "cat", "␣", "<0xC3>", "<0xA9>", "</s>")
    assert surfaces(encoding)[3:5] == ["é", "é"] and encoding.words.tolist() == [0, 1, 2, 2, 2, 3]
    assert encoding.notices == ()


def test_unknown_tokens_are_named_in_a_notice():
    encoding = BERT.encode("the 花 sat")
    assert encoding.unknown.tolist() == [False, False, True, False, False]
    assert [notice.key for notice in encoding.notices] == ["text.unknown"]


def test_long_texts_are_truncated_and_a_notice_says_so():
    encoder = AdaptedTextEncoder(wordpiece(), 8)
    encoding = encoder.encode("the cat sat on the mat the cat")
    assert len(encoding.ids) == 8 == encoder.max_tokens and encoding.special[-1]
    assert [(n.key, n.values["count"]) for n in encoding.notices] == [("text.truncated", 2)]


@pytest.mark.parametrize("text, key", [("  ", "text.blank"), ("\ud83c", "text.not_unicode")])
def test_a_text_without_tokens_is_refused(text, key):
    with pytest.raises(Failure) as failure:
        BERT.encode(text)
    assert failure.value.message.key == key


def test_a_slow_tokenizer_is_refused():
    class Slow:
        is_fast = False

    with pytest.raises(Failure) as failure:
        AdaptedTextEncoder(Slow(), 8, "old")
    assert failure.value.message.key == "adapters.slow_tokenizer"


@pytest.mark.parametrize("build", [wordpiece, byte_pairs])
@given(st.text("the cat sat é花\u0301\t.🙂", min_size=1, max_size=12), st.text("cat é.", max_size=6))
def test_ids_are_those_of_the_library_and_offsets_lie_in_the_text(build, text, text_b):
    tokenizer: PreTrainedTokenizerFast = build()
    encoder = AdaptedTextEncoder(tokenizer, 64)
    pair = (text, text_b) if text_b.strip() else (text,)
    if not text.strip():
        return
    try:
        encoding = encoder.encode(*pair)
    except Failure as failure:  # nothing but what the normaliser drops
        assert failure.message.key == "text.no_words"
        return
    assert encoding.ids.tolist() == tokenizer(*pair).input_ids
    for i in np.flatnonzero(~encoding.special):
        start, end = encoding.offsets[i]
        assert 0 <= start < end <= len(pair[encoding.segments[i]])
    assert (np.diff(encoding.words) >= 0).all() and set(np.diff(encoding.words)) <= {0, 1}
