"""Tokens that are Chinese words, as jieba finds them."""

import pytest
from tokenizers import Tokenizer

from viz_core.records import Failure
from viz_core.text.building import build_chinese_word_tokenizer
from viz_core.text.tokenizer import TextEncoder
from viz_core.text.tokenizer_file import read_tokenizer
from viz_core.text.words import chinese_words

TITLES = ["火箭成功发射", "火箭成功，发射 APP"]  # 火箭, 成功 and 发射 twice, the others once


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return build_chinese_word_tokenizer(TITLES, max_tokens=8)


@pytest.fixture(scope="module")
def encoder(tokenizer) -> TextEncoder:
    return TextEncoder(tokenizer, chinese_words)


def test_each_word_that_occurs_twice_is_a_token(tokenizer):
    assert set(tokenizer.get_vocab()) == {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "火箭", "成功", "发射"}


def test_tokens_are_words_with_offsets_and_a_group_each(encoder):
    encoding = encoder.encode("火箭 成功！")
    assert encoding.tokens == ("[CLS]", "火箭", "成功", "[UNK]", "[SEP]")  # no token for the space
    assert encoding.offsets.tolist() == [[0, 0], [0, 2], [3, 5], [5, 6], [0, 0]]
    assert encoding.words.tolist() == [0, 1, 2, 3, 4]


def test_unknown_words_are_named_whole(encoder):
    (notice,) = encoder.encode("火箭险胜").notices
    assert notice.key == "text.unknown" and notice.values["tokens"] == ["险胜"]


def test_many_titles_have_the_ids_of_each(encoder):
    ids, _ = encoder.ids(["发射火箭", "成功"])
    assert [row.tolist() for row in ids] == [encoder.encode(text).ids.tolist() for text in ("发射火箭", "成功")]


def test_the_saved_file_reads_alike(encoder, tmp_path):
    encoder.save(tmp_path / "tokenizer.json")
    assert read_tokenizer(tmp_path / "tokenizer.json").pre_tokenizer is None
    again = TextEncoder.load(tmp_path / "tokenizer.json", chinese_words)
    assert again.encode("火箭成功").ids.tolist() == encoder.encode("火箭成功").ids.tolist()


def test_long_titles_are_truncated_to_whole_words(encoder):
    encoding = encoder.encode("火箭" * 250)
    assert encoding.tokens == ("[CLS]", *["火箭"] * 6, "[SEP]")
    assert [notice.key for notice in encoding.notices] == ["text.truncated"]


def test_a_blank_title_is_refused(encoder):
    with pytest.raises(Failure, match="blank"):
        encoder.encode(" \u3000")
