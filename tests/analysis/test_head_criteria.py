"""Which keys are related to a query, and the weight on them, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from viz_core.analysis.head_criteria import relations, to_special, weight_on

# [CLS] a b [SEP] b a a [SEP]
TOKENS = ("[CLS]", "a", "b", "[SEP]", "b", "a", "a", "[SEP]")
SEGMENTS, SPECIAL = np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([token[0] == "[" for token in TOKENS])


def pairs(name: str, *sentence) -> list[tuple[int, int]]:
    return list(zip(*map(np.ndarray.tolist, relations(*sentence)[name]), strict=True))


def test_the_same_token_of_the_other_text():
    assert pairs("same", TOKENS, SEGMENTS, SPECIAL) == [(1, 5), (1, 6), (2, 4), (4, 2), (5, 1), (6, 1)]


def test_neighbours_and_special_tokens():
    sentence = TOKENS[:4], SEGMENTS[:4], SPECIAL[:4]
    assert pairs("previous", *sentence) == [(1, 0), (2, 1), (3, 2)] and pairs("next", *sentence)[0] == (0, 1)
    assert pairs("self", *sentence) == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert pairs("cls", *sentence) == [(query, 0) for query in range(4)]
    assert pairs("sep", *sentence) == [(query, 3) for query in range(4)]
    assert len(pairs("sep", TOKENS, SEGMENTS, SPECIAL)) == 8 * 2, "both of a pair"


NEIGHBOURS = {"self", "previous", "next"}


@pytest.mark.parametrize(
    ("tokens", "segments", "special", "names"),
    [
        (["[CLS]", "a", "a", "[SEP]"], [0] * 4, [1, 0, 0, 1], {*NEIGHBOURS, "cls", "sep"}),
        (["[CLS]", "a", "[SEP]", "b", "[SEP]"], [0, 0, 0, 1, 1], [1, 0, 1, 0, 1], {*NEIGHBOURS, "cls", "sep"}),
        (["a", "b"], [0, 0], [0, 0], NEIGHBOURS),
        (["a", "<sep>"], [0, 0], [0, 1], {*NEIGHBOURS, "sep"}),
        (["a"], [0], [0], {"self"}),
    ],
    ids=["one text", "nothing in common", "no special tokens", "no [CLS]", "a single token"],
)
def test_relations_without_a_pair_of_tokens_are_left_out(tokens, segments, special, names):
    assert set(relations(tokens, np.array(segments), np.array(special, bool))) == names


def test_weights_are_means_over_the_queries_that_have_a_related_key():
    """Token 1 gives 0.5 to the equal tokens 5 and 6 together, tokens 2 and 6 give 1 each, the others nothing."""
    attention = np.zeros((1, 2, 8, 8))
    attention[0, 1, 1, [5, 6, 7]] = 0.2, 0.3, 0.5
    attention[0, 1, 2, 4] = attention[0, 1, 6, 1] = 1
    same = relations(TOKENS, SEGMENTS, SPECIAL)["same"]
    np.testing.assert_allclose(weight_on(attention, same), [[0, (0.5 + 1 + 0 + 0 + 1) / 5]])


def test_between_two_sentences_there_are_special_keys():
    """Queries x y over the keys [CLS] a [SEP]."""
    attention = np.array([[0.5, 0.25, 0.25], [0.25, 0, 0.75]])
    related = to_special(2, np.array([True, False, True]))
    assert {name: float(weight_on(attention, relation)) for name, relation in related.items()} == {
        "cls": 0.375,
        "sep": 0.5,
    }


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
