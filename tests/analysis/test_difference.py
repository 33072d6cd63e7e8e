"""Comparison of two inputs, computed by hand."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from tests.tiny import text_encoder
from viz_core.analysis.difference import (
    attention_difference,
    common_subsequence,
    compare,
    mean_absolute_difference,
    most_changed_head,
)
from viz_core.records import Explanation, Message


def explanation(attention: np.ndarray | None = None, *texts: str, task: str = "imdb", **others) -> Explanation:
    encoding = text_encoder(task).encode(*texts)
    tokens = len(encoding.tokens)
    attention = np.full((1, 2, tokens, tokens), 1 / tokens, np.float32) if attention is None else attention
    return Explanation(
        **{
            **dict(
                model="tiny",
                task=task,
                encoding=encoding,
                labels=("negative", "positive"),
                probabilities=np.array([0.75, 0.25]),
                threshold=0.5,
                attention=attention,
                pooling="cls",
            ),
            **others,
        }
    )


def test_new_words_are_marked_and_the_others_are_aligned():
    comparison = compare(
        explanation(None, "a good film"), explanation(None, "not a good story", probabilities=np.array([0.5, 0.5]))
    )
    # [CLS] a good film [SEP] against [CLS] not a good story [SEP]
    assert comparison.pairs.tolist() == [[0, 0], [1, 2], [2, 3], [3, 4], [4, 5]]
    assert comparison.replaced.tolist() == [False, False, False, True, False], "story stands in the place of film"
    assert comparison.changed_before.tolist() == [False, False, False, True, False]
    assert comparison.changed_after.tolist() == [False, True, False, False, True, False]
    assert comparison.shift.tolist() == [-0.25, 0.25]


def test_the_middle_of_a_common_subsequence_is_the_longest():
    assert common_subsequence("abcbdab", "bdcaba") == [(1, 0), (4, 1), (5, 3), (6, 4)], "bdab: none has five"
    assert common_subsequence("abc", "abc") == [(0, 0), (1, 1), (2, 2)]
    assert common_subsequence("abxc", "abc") == [(0, 0), (1, 1), (3, 2)]
    assert common_subsequence("abc", "") == common_subsequence("abc", "xyz") == []
    assert len(common_subsequence("aaaa", "aa")) == 2


@pytest.mark.parametrize("seed", range(20))
def test_no_longer_common_subsequence_exists(seed):
    """Against every subset of the shorter list."""
    random = np.random.default_rng(seed)
    before, after = (random.integers(0, 3, size).tolist() for size in random.integers(0, 8, 2))
    pairs = common_subsequence(before, after)
    assert all(before[row] == after[column] for row, column in pairs)
    assert all(a < b and c < d for (a, c), (b, d) in pairwise(pairs))
    longest = max(
        len(picked)
        for size in range(len(before) + 1)
        for picked in combinations(before, size)
        if contains(after, picked)
    )
    assert len(pairs) == longest


def contains(items, picked):
    rest = iter(items)
    return all(item in rest for item in picked)


def test_tokens_elsewhere_are_moved_also_to_the_other_sentence():
    comparison = compare(
        explanation(None, "花呗", "还款", task="afqmc"), explanation(None, "还款", "花呗", task="afqmc")
    )
    # [CLS] 花 呗 [SEP] 还 款 [SEP] against [CLS] 还 款 [SEP] 花 呗 [SEP]
    assert comparison.pairs.tolist() == [[0, 0], [4, 1], [5, 2], [3, 3], [1, 4], [2, 5], [6, 6]]
    assert comparison.moved.tolist() == [False, True, True, False, True, True, False]
    assert not comparison.changed_before.any() and not comparison.changed_after.any()


def test_a_word_that_moved_within_its_sentence():
    comparison = compare(explanation(None, "a good film"), explanation(None, "good film A"))
    assert comparison.pairs.tolist() == [[0, 0], [2, 1], [3, 2], [1, 3], [4, 4]], "upper and lower case are equal"
    assert comparison.moved.tolist() == [False, False, False, True, False]


def test_of_two_equal_words_one_moved_and_one_is_new():
    comparison = compare(explanation(None, "a good film"), explanation(None, "good film a a"))
    assert comparison.moved.tolist() == [False, False, False, True, False]
    assert np.flatnonzero(comparison.changed_after).tolist() == [4]


@pytest.mark.parametrize(
    ("before", "after", "replaced"),
    [
        ("a good film", "a bad film", [[2, 2]]),
        ("a good film it was", "a bad film it is", [[2, 2], [5, 5]]),
        ("a good old film", "a bad new film", [[2, 2], [3, 3]]),
        ("a good film", "a very bad film", []),  # nobody knows which of two stands for one
        ("a good film", "a film bad", []),  # nothing stands where good stood
        ("a good story it was not", "not good story it was bad", []),  # not moved, so a has no word in its place
    ],
)
def test_words_that_replace_as_many_others_are_aligned_by_position(before, after, replaced):
    comparison = compare(explanation(None, before), explanation(None, after))
    assert comparison.pairs[comparison.replaced].tolist() == replaced
    assert not set(comparison.pairs[comparison.replaced][:, 1]) - set(np.flatnonzero(comparison.changed_after))


def test_words_are_replaced_within_their_sentence_and_special_tokens_by_none():
    comparison = compare(explanation(None, "花", "呗款", task="afqmc"), explanation(None, "借呗", "还款", task="afqmc"))
    # [CLS] 花 [SEP] 呗 款 [SEP] against [CLS] 借 呗 [SEP] 还 款 [SEP]: 呗 moved, so neither 借 nor 还 has a partner
    assert comparison.pairs.tolist() == [[0, 0], [3, 2], [2, 3], [4, 5], [5, 6]] and not comparison.replaced.any()


def test_a_replaced_word_is_part_of_the_difference_under_both_names():
    # [CLS] good [SEP] against [CLS] bad [SEP]: the query that was replaced attends to itself no longer.
    before = np.broadcast_to(np.eye(3, dtype=np.float32), (1, 2, 3, 3)).copy()
    after = before.copy()
    after[0, 1, 1] = [0.75, 0, 0.25]
    comparison = compare(explanation(before, "good"), explanation(after, "bad"))
    difference = attention_difference(comparison, 0, 1)
    assert difference.queries == difference.keys == ("[CLS]", "good→bad", "[SEP]")
    np.testing.assert_allclose(difference.weights, [[0, 0, 0], [0.75, -1, 0.25], [0, 0, 0]])
    np.testing.assert_allclose(mean_absolute_difference(comparison), [[0, 2 / 9]])


def test_unknown_words_match_only_if_spelled_alike():
    comparison = compare(explanation(None, "a zebra film"), explanation(None, "a tiger film"))
    assert comparison.changed_after.tolist() == [False, False, True, False, False]
    assert not compare(explanation(None, "a zebra"), explanation(None, "a zebra")).changed_after.any()


def test_the_difference_is_after_minus_before_over_the_common_tokens():
    # [CLS] good [SEP] and [CLS] not good [SEP]; only the second head changes.
    before = np.zeros((1, 2, 3, 3), np.float32)
    before[0, :, :, 0] = 1
    after = np.zeros((1, 2, 4, 4), np.float32)
    after[0, :, :, 0] = 1
    after[0, 1, 2] = [0.25, 0.5, 0.25, 0]
    comparison = compare(explanation(before, "good"), explanation(after, "not good"))
    assert most_changed_head(comparison) == (0, 1)
    np.testing.assert_allclose(mean_absolute_difference(comparison), [[0, 1 / 9]])
    difference = attention_difference(comparison, 0, 1)
    assert difference.queries == difference.keys == ("[CLS]", "good", "[SEP]") and difference.query_groups.tolist() == [
        -1,
        0,
        -1,
    ]
    np.testing.assert_allclose(difference.weights, [[0, 0, 0], [-0.75, 0.25, 0], [0, 0, 0]])  # 0.5 went to "not"
    assert difference.signed
    assert difference.title.values["where"] == Message("analysis.of_head", {"layer": 1, "head": 2})  # counted from 1
    assert not attention_difference(comparison, 0, 0).weights.any()


def test_an_input_does_not_differ_from_itself(checkpoints_dir):
    from viz_core import checkpoints
    from viz_core.analysis.explain import explain

    same = explain(checkpoints.load("imdb", "tiny"), "not a good film")
    comparison = compare(same, same)
    assert not attention_difference(comparison, 1, 1).weights.any() and not comparison.shift.any()
    assert not comparison.changed_before.any() and len(comparison.pairs) == len(same.encoding.tokens)


def test_inputs_of_different_models_are_rejected():
    good = explanation(None, "good")
    with pytest.raises(ValueError, match="imdb/tiny against imdb/other"):
        compare(good, replace(good, model="other"))
