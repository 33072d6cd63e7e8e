"""The tokenizer of two languages, and texts made of its tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.text.building import build_translation_tokenizer
from viz_core.text.joining import join_with_spans
from viz_core.text.tokenizer import TextEncoder

TEXTS = ["我们明天去学校，好吗？", 'We don\'t go to school tomorrow, Tom. Do we? "Yes!"']


@pytest.fixture(scope="module")
def encoder() -> TextEncoder:
    return TextEncoder(build_translation_tokenizer(TEXTS, max_tokens=64, min_count=1))


def surfaces(encoder: TextEncoder, text: str) -> list[str]:
    encoding = encoder.encode(text)
    return [encoding.surface(i) for i in range(1, len(encoding.tokens) - 1)]


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("我们去 学校？", ["我", "们", "去", "学", "校", "？"]),
        ("We don't go.", ["We", "don't", "go", "."]),
        ("Tom’s “tea”…", ["Tom’s", "“", "tea", "”", "…"]),
        ("去Tom家买3.50元", ["去", "Tom", "家", "买", "3", ".", "50", "元"]),
        ("a--b 'c' $5", ["a", "-", "-", "b", "'", "c", "'", "$", "5"]),
    ],
)
def test_characters_words_and_punctuation_are_tokens_with_offsets(encoder, text, tokens):
    assert surfaces(encoder, text) == tokens


def test_words_are_known_whatever_their_case_and_apostrophe(encoder):
    known = encoder.encode("DON'T Don’t we TOM")
    assert known.tokens[1:-1] == ("don't", "don't", "we", "tom") and not known.unknown.any()
    assert encoder.encode("我 DVD 校").unknown.tolist() == [False, False, True, False, False]


def test_rare_tokens_are_unknown():
    tokenizer = build_translation_tokenizer(["我们 go go", "我 home"], max_tokens=8)
    assert sorted(set(tokenizer.get_vocab()) - {"[PAD]", "[UNK]", "[CLS]", "[SEP]"}) == ["go", "我"]


def test_a_pair_is_source_and_target(encoder):
    (ids,), (segments,) = encoder.ids(["我去。"], ["We go."])
    tokens = " ".join(encoder.token(int(index)) for index in ids)
    assert tokens == "[CLS] 我 去 [UNK] [SEP] we go . [SEP]"
    assert segments.tolist() == [0] * 5 + [1] * 4


@pytest.mark.parametrize(
    "tokens, text",
    [
        (["we", "go", ",", "tom", "."], "we go, tom."),
        (['"', "yes", ",", '"', "he", "said", '"', "no", "!", '"'], '"yes," he said "no!"'),
        (["(", "a", ")", "costs", "$", "5", "."], "(a) costs $5."),
        (["我", "们", "，", "明", "天", "去", "。"], "我们，明天去。"),
        (["汤", "tom", "3", "个"], "汤 tom 3 个"),
        ([], ""),
    ],
)
def test_tokens_become_a_text_as_it_is_written(tokens, text):
    assert join_with_spans(tokens)[0] == text


@given(st.lists(st.sampled_from([*"我们，。？", "we", "don't", "go", *',.?!"();$'])))
def test_the_text_has_the_same_tokens_again(encoder, tokens):
    text = join_with_spans(tokens)[0]
    assert not tokens or [surface.lower() for surface in surfaces(encoder, text)] == tokens


@given(st.lists(st.sampled_from([*"我们去，？", "we", "don't", "go", *',.?!"'])), st.integers(0, 9))
def test_produced_tokens_are_an_encoding_with_offsets_into_their_text(encoder, tokens, read):
    ids = [int(encoder.encode(token).ids[1]) for token in tokens]
    encoding = encoder.decode(ids, read)
    assert encoding.texts == (join_with_spans(tokens)[0],) and encoding.tokens == ("[CLS]", *tokens[:read])
    assert [encoding.surface(index) for index in range(1, len(encoding.tokens))] == tokens[:read]
    assert encoding.special.tolist() == [True] + [False] * len(tokens[:read]) and not encoding.unknown.any()
    assert len(encoder.decode(ids).tokens) == len(tokens) + 1
