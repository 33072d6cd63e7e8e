"""What holds for the selected attention of any record."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.test_selection import explanation
from viz_core.analysis.selection import BLOCKS, SPECIAL_CHOICES, attention_map, token_weights
from viz_core.records import Encoding, Explanation


@st.composite
def records(draw) -> Explanation:
    """Random row-stochastic attention over a pair, with characters randomly grouped into words."""
    sizes = [draw(st.lists(st.integers(1, 3), min_size=1, max_size=4)) for _ in "ab"]  # characters of every word
    lengths = [sum(words) for words in sizes]
    word_numbers = [np.repeat(np.arange(len(words)), words) for words in sizes]
    first, second = len(sizes[0]), len(sizes[1])
    tokens = 3 + sum(lengths)
    special = np.zeros(tokens, bool)
    special[[0, lengths[0] + 1, -1]] = True
    offsets = np.zeros((tokens, 2), int)
    offsets[~special] = np.concatenate([np.stack([np.arange(n), np.arange(n) + 1], 1) for n in lengths])
    encoding = Encoding(
        texts=("abcdefghijkl"[: lengths[0]], "mnopqrstuvwx"[: lengths[1]]),
        tokens=("t",) * tokens,
        ids=np.arange(tokens),
        segments=np.repeat([0, 1], [lengths[0] + 2, lengths[1] + 1]),
        offsets=offsets,
        words=np.concatenate(
            [[0], 1 + word_numbers[0], [first + 1], first + 2 + word_numbers[1], [first + second + 2]]
        ),
        special=special,
        unknown=np.zeros(tokens, bool),
    )
    seed, layers, heads = draw(st.integers(0, 2**32 - 1)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    weights = np.random.default_rng(seed).random((layers, heads, tokens, tokens)) ** 4
    return explanation(encoding, weights / weights.sum(-1, keepdims=True))


CHOICE = st.none() | st.just(0)


@given(records(), CHOICE, CHOICE, st.sampled_from(["token", "word"]))
def test_rows_sum_to_one_by_token_and_by_word(record, layer, head, unit):
    whole = attention_map(record, layer, head, unit=unit)
    np.testing.assert_allclose(whole.weights.sum(1), 1, atol=1e-5)
    assert len(whole.queries) == (len(record.encoding.tokens) if unit == "token" else record.encoding.words[-1] + 1)
    for source in ("cls", "received"):
        assert token_weights(record, layer, head, unit, source).weights.sum() == pytest.approx(1, abs=1e-5)


@given(records(), CHOICE, CHOICE, st.sampled_from(["token", "word"]), st.sampled_from(SPECIAL_CHOICES))
def test_four_blocks_are_the_quarters_of_the_whole(record, layer, head, unit, special):
    parts = {block: attention_map(record, layer, head, special, block, unit) for block in BLOCKS}
    for part in parts.values():
        assert (
            part.weights.shape == (len(part.queries), len(part.keys)) == (len(part.query_groups), len(part.key_groups))
        )
        if special == "renormalised":
            np.testing.assert_allclose(part.weights.sum(1), 1, atol=1e-5)
    if special != "renormalised":
        quarters = [[parts["aa"].weights, parts["ab"].weights], [parts["ba"].weights, parts["bb"].weights]]
        np.testing.assert_array_equal(np.block(quarters), parts["all"].weights)


@given(records(), CHOICE, CHOICE)
def test_words_are_the_texts_in_order(record, layer, head):
    result = token_weights(record, layer, head, "word", special="hidden")
    for segment, text in enumerate(record.encoding.texts):
        words = [label for label, group in zip(result.labels, result.groups, strict=True) if group == segment]
        assert "".join(words) == text
    assert [
        result.texts[group][start:end] for group, (start, end) in zip(result.groups, result.spans, strict=True)
    ] == list(result.labels)


@given(records(), CHOICE, CHOICE)
def test_words_of_a_single_token_each_change_nothing(record, layer, head):
    encoding = Encoding(**{**vars(record.encoding), "words": np.arange(len(record.encoding.tokens))})
    single = explanation(encoding, record.attention)
    np.testing.assert_array_equal(
        attention_map(single, layer, head, unit="word").weights, attention_map(record, layer, head).weights
    )


@given(records(), CHOICE, CHOICE)
def test_a_word_receives_the_sum_of_its_tokens(record, layer, head):
    by_token = token_weights(record, layer, head, source="received").weights
    by_word = token_weights(record, layer, head, "word", "received").weights
    np.testing.assert_allclose(by_word, np.bincount(record.encoding.words, by_token), atol=1e-6)
