"""Which keys are related to a query, and the weight on them, worked out by hand."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from viz_core.analysis.heads.criteria import (
    causal_relations,
    is_punctuation,
    measure_criteria,
    relations,
    separators,
    weight_on,
)

# [CLS] a b [SEP] b a a [SEP]
TOKENS = ("[CLS]", "a", "b", "[SEP]", "b", "a", "a", "[SEP]")
SEGMENTS, SPECIAL = np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([token[0] == "[" for token in TOKENS])


def pairs(name: str, *sentence) -> list[tuple[int, int]]:
    return list(zip(*map(np.ndarray.tolist, relations(*sentence)[name]), strict=True))


def test_the_same_token_of_the_other_text():
    assert pairs("same", TOKENS, SEGMENTS, SPECIAL) == [(1, 5), (1, 6), (2, 4), (4, 2), (5, 1), (6, 1)]


def test_neighbours_and_the_token_itself():
    sentence = TOKENS[:4], SEGMENTS[:4], SPECIAL[:4]
    assert pairs("previous", *sentence) == [(1, 0), (2, 1), (3, 2)] and pairs("next", *sentence)[0] == (0, 1)
    assert pairs("self", *sentence) == [(0, 0), (1, 1), (2, 2), (3, 3)]


NEIGHBOURS = {"self", "previous", "next"}


@pytest.mark.parametrize(
    ("tokens", "segments", "special", "names"),
    [
        (["[CLS]", "a", "a", "[SEP]"], [0] * 4, [1, 0, 0, 1], NEIGHBOURS),
        (["[CLS]", "a", "[SEP]", "b", "[SEP]"], [0, 0, 0, 1, 1], [1, 0, 1, 0, 1], NEIGHBOURS),
        (["[CLS]", "a", "[SEP]", "a", "[SEP]"], [0, 0, 0, 1, 1], [1, 0, 1, 0, 1], {*NEIGHBOURS, "same"}),
        (["a"], [0], [0], {"self"}),
    ],
    ids=["one text", "nothing in common", "a token in common", "a single token"],
)
def test_relations_without_a_pair_of_tokens_are_left_out(tokens, segments, special, names):
    assert set(relations(tokens, np.array(segments), np.array(special, bool))) == names


@pytest.mark.parametrize(
    ("special", "punctuation", "keys"),
    [
        ([1, 0, 0, 1, 0, 1], [0, 0, 1, 0, 0, 0], {"cls": [0], "sep": [3, 5], "punctuation": [2]}),
        ([1, 0, 1], [1, 0, 1], {"cls": [0], "sep": [2]}),
        ([0, 0, 1], [1, 0, 0], {"sep": [2], "punctuation": [0]}),
        ([0, 0], [0, 0], {}),
    ],
    ids=["a pair", "special tokens that look like punctuation", "no [CLS]", "none"],
)
def test_separators(special, punctuation, keys):
    sets = separators(np.array(special, bool), np.array(punctuation, bool))
    assert {name: part.tolist() for name, part in sets.items()} == keys


@pytest.mark.parametrize("token", [".", ",", "。", "，", "？", "##,", "...", "▁.", "␣.", "-"])
def test_punctuation(token):
    assert is_punctuation(token)


@pytest.mark.parametrize("token", ["", "▁", "a", ".a", "3", "+", "##s", "[UNK]", "ing"])
def test_no_punctuation(token):
    assert not is_punctuation(token)


# [CLS] a b a b b
REPEATED, FIRST = ("[CLS]", "a", "b", "a", "b", "b"), np.arange(6) == 0
EARLIER = {
    "first": [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0)],
    "duplicate": [(3, 1), (4, 2), (5, 2), (5, 4)],
    "induction": [(3, 2), (4, 3), (5, 3)],  # 5 itself follows the b at 4, but is no earlier token
}


def test_earlier_tokens_equal_to_the_query_and_those_after_them():
    found = causal_relations(REPEATED, FIRST)
    assert {name: [*zip(*map(np.ndarray.tolist, relation), strict=True)] for name, relation in found.items()} == EARLIER
    assert set(causal_relations(["a", "b"], np.zeros(2, bool))) == {"first"}
    assert causal_relations(["a"], np.zeros(1, bool)) == {}


def test_special_tokens_are_no_repetition():
    assert set(causal_relations(["[CLS]", "a", "[CLS]"], np.array([True, False, True]))) == {"first"}


def test_a_head_that_copies():
    """It gives 0.9 to what followed the last occurrence and 0.1 to the first token; without one, all to the first."""
    attention = np.zeros((1, 1, 6, 6))
    attention[..., 0] = 1
    for query, key in [(3, 2), (4, 3), (5, 3)]:
        attention[0, 0, query, [0, key]] = 0.1, 0.9
    names, segments = np.array(REPEATED), np.zeros(6, int)
    values = measure_criteria(attention, attention.mean(2), names, segments, FIRST, np.zeros(6, bool), "causal")
    measured = {name: value.item() for name, value in values.items()}
    assert measured == pytest.approx(
        {"induction": 0.9, "duplicate": 0, "first": 2.3 / 5, "previous": (1 + 0.9 + 0.9) / 5, "self": 1 / 6}
    )


def test_weights_are_means_over_the_queries_that_have_a_related_key():
    """Token 1 gives 0.5 to the equal tokens 5 and 6 together, tokens 2 and 6 give 1 each, the others nothing."""
    attention = np.zeros((1, 2, 8, 8))
    attention[0, 1, 1, [5, 6, 7]] = 0.2, 0.3, 0.5
    attention[0, 1, 2, 4] = attention[0, 1, 6, 1] = 1
    same = relations(TOKENS, SEGMENTS, SPECIAL)["same"]
    np.testing.assert_allclose(weight_on(attention, same), [[0, (0.5 + 1 + 0 + 0 + 1) / 5]])


@given(st.integers(0, 3), st.integers(1, 9), st.integers(1, 9))
def test_uniform_attention_gives_every_key_the_same(seed, first, second):
    """To a single key 1/T; of a tensor the same as of an array."""
    T = first + second
    tokens, segments = np.random.default_rng(seed).integers(0, 3, T), np.arange(T) >= first
    uniform = np.full((2, 3, T, T), 1 / T)
    for name, relation in relations(tokens, segments, np.arange(T) == 0).items():
        weights = weight_on(uniform, relation)
        keys = len(relation.keys) / len(np.unique(relation.queries))
        np.testing.assert_allclose(weights, np.full((2, 3), keys / T), err_msg=name)
        np.testing.assert_allclose(weight_on(torch.tensor(uniform), relation).numpy(), weights)
