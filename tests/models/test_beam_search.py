"""The tree of a beam search with the toy model whose probabilities are known."""

import math

import pytest

from tests.models.test_decoding import BEGIN, END, VOCABULARY, A, B, advance, start
from viz_core.models.beam_search import Node, beam_search, grow_tree, hypothesis_at, leaves
from viz_core.models.decoding import Vocabulary, likeliest, steps


def tree(width: int, limit: int = 5, **options) -> list[list[Node]]:
    return list(grow_tree(advance, start(), VOCABULARY, limit, width, **options))


def chances(nodes: list[Node]) -> list[float]:
    return [round(math.exp(node.log_probability), 6) for node in nodes]


def test_the_tree_of_a_beam_of_two_by_hand():
    """First b (0.6) and a (0.4), no end; then a. (0.36), b. (0.24); both have ended."""
    first, second = tree(2)
    assert [(node.parent, node.token, node.depth) for node in first] == [(-1, B, 1), (-1, A, 1)]
    assert [(node.parent, node.token, node.depth) for node in second] == [(1, END, 2), (0, END, 2)]
    assert chances(first) == [0.6, 0.4] and chances(second) == [0.36, 0.24]
    nodes = [*first, *second]
    assert leaves(nodes, END) == [2, 3] and hypothesis_at(nodes, 2, END).tokens == (A,)


def test_runners_up_are_considered_and_do_not_survive():
    """Of six continuations of b and a, the third and the fourth: ba and bb with 0.6 · 0.3 each."""
    first, second = tree(2, runners_up=2)
    assert all(node.survives for node in first)
    assert [node.survives for node in second] == [True, True, False, False] and chances(second)[2:] == [0.18, 0.18]
    plain = [node for level in tree(2) for node in level]
    assert [node for level in (first, second) for node in level if node.survives] == plain


def test_a_beam_becomes_narrower_when_a_sequence_ends():
    """a. and b. end at once; then only the third goes on, and ends or is cut off."""
    levels = tree(3, limit=3)
    assert [sum(node.survives for node in level) for level in levels] == [2, 3, 1]
    nodes = [node for level in levels for node in level]
    assert [hypothesis_at(nodes, leaf, END) for leaf in leaves(nodes, END)] == beam_search(
        advance, start(), VOCABULARY, 3, 3
    )


def test_forced_tokens_are_the_only_ones_considered_there():
    first, second = tree(4, limit=2, forced={0: A})
    assert [(node.token, math.exp(node.log_probability)) for node in first] == [(A, pytest.approx(0.4))]
    assert {node.parent for node in second} == {0} and chances(second)[0] == 0.36
    assert [token for _, token in steps(advance, start(), VOCABULARY, 5, likeliest, {0: A})] == [A, END]


def test_the_log_probabilities_of_steps_are_those_of_the_model():
    (first, token), (second, end) = steps(advance, start(), VOCABULARY, 5, likeliest, {})
    assert (token, end) == (B, END)
    assert first.exp().tolist() == pytest.approx([0, 0, 0.4, 0.6]) and second.exp()[END] == pytest.approx(0.4)


def test_steps_stop_at_the_limit_and_a_forced_token_may_be_excluded():
    assert [token for _, token in steps(advance, start(), Vocabulary(BEGIN, 9, (BEGIN,)), 2, likeliest, {})] == [B, END]
    ((chance, token),) = steps(advance, start(), VOCABULARY, 1, likeliest, {0: BEGIN})
    assert token == BEGIN and chance[BEGIN] == -math.inf
