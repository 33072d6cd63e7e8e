"""Tokens of other people's tokenizers: as the library has them, with offsets, words and segments of our own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from tests.adapters.tiny_networks import byte_pairs, wordpiece
from viz_core.adapters.text_encoder import AdaptedTextEncoder
from viz_core.records import Failure
from viz_core.text.chat import ChatFrame

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
    assert surfaces(encoding)[3:5] == ["é", "<0xA9>"] and encoding.offsets[3:5].tolist() == [[4, 5], [5, 5]]
    assert encoding.words.tolist() == [0, 1, 2, 2, 2, 3]
    assert encoding.notices == ()


def test_a_space_that_is_not_in_the_text_takes_no_character():
    """SentencePiece puts one before a text; of Chinese it is a token of its own."""
    tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), ("▁", -1.0), ("今天", -2.0), ("好", -3.0)], 0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    encoder = AdaptedTextEncoder(PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>"), 16)
    encoding = encoder.encode("今天 好")
    assert encoding.tokens == ("▁", "今天", "▁", "好")
    assert surfaces(encoding)[1::2] == ["今天", "好"] and surfaces(encoding)[0] == "▁"
    assert encoding.words.tolist() == [0, 0, 1, 1]


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
@settings(max_examples=30)
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
        assert 0 <= start <= end <= len(pair[encoding.segments[i]])
    for number, typed in enumerate(pair):  # in order, without overlaps, and nothing but white space is left out
        spans = encoding.offsets[(encoding.segments == number) & ~encoding.special]
        assert (np.diff(spans.ravel()) >= 0).all()
        covered = "".join(typed[start:end] for start, end in spans)
        if build is byte_pairs:
            assert "".join(covered.split()) == "".join(typed.split())
    assert (np.diff(encoding.words) >= 0).all() and set(np.diff(encoding.words)) <= {0, 1}


def special(encoding):
    return [encoding.surface(i) for i in np.flatnonzero(encoding.special)]


def test_a_marker_that_was_typed_is_special_and_keeps_its_place_in_the_text():
    encoding = ROBERTA.encode("cat</s><pad> sat")
    assert special(encoding) == ["<s>", "</s>", "<pad>", "</s>"] and encoding.notices == ()
    assert encoding.offsets.tolist() == [[0, 0], [0, 3], [3, 7], [7, 12], [13, 16], [0, 0]]
    assert encoding.words.tolist() == [0, 1, 2, 3, 4, 5] and encoding.groups.tolist() == [-1, 0, -1, -1, 0, -1]
    assert encoding.typed.tolist() == [False, True, True, True, True, False]


def test_an_unknown_token_is_no_marker_unless_its_name_was_typed():
    encoding = BERT.encode("the 花 [UNK] [MASK]")
    assert special(encoding) == ["[CLS]", "[UNK]", "[MASK]", "[SEP]"] and encoding.unknown.sum() == 1
    assert [notice.key for notice in encoding.notices] == ["text.unknown"]


def test_a_marker_that_was_written_is_in_the_text_and_is_read_again_as_one():
    encoder = AdaptedTextEncoder(byte_pairs(), 32)
    ids = [1, *encoder.encode("cat").ids[1:2].tolist(), 2]
    longer = encoder.extend(encoder.encode("sat").first(2), ids)
    assert longer.texts == ("sat<pad>cat</s>",) and special(longer) == ["<s>", "<pad>", "</s>"]
    again = encoder.encode(longer.texts[0])
    assert again.ids.tolist()[:-1] == longer.ids.tolist() and again.special.tolist()[:-1] == longer.special.tolist()


def test_in_a_chat_all_that_the_template_adds_is_special_and_nothing_else():
    encoder = AdaptedTextEncoder(byte_pairs(), 64)
    encoder.frame = ChatFrame(("<pad>user\n", "</s>a:"))
    encoding = encoder.encode("<pad>user\nuser\na:cat</s>a: cat")
    assert special(encoding) == ["<s>", "<pad>", *"user\n", "</s>", *"a:", "</s>"]
    text = [encoding.surface(i) for i in np.flatnonzero(~encoding.special)]
    assert text == [*"user\na:", "cat", "cat"]
    boundaries = np.flatnonzero(np.diff(encoding.special.astype(int))) + 1
    assert (np.diff(encoding.words)[boundaries - 1] == 1).all(), "no word is partly a marker"
    assert special(encoder.encode("user: cat")) == ["<s>", "</s>"]
