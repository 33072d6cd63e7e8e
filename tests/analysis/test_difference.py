"""Comparison of two inputs, computed by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.tiny import text_encoder
from viz_core.analysis.difference import attention_difference, compare, most_changed_head
from viz_core.records import Explanation


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
    assert comparison.pairs.tolist() == [[0, 0], [1, 2], [2, 3], [4, 5]]
    assert comparison.changed_before.tolist() == [False, False, False, True, False]
    assert comparison.changed_after.tolist() == [False, True, False, False, True, False]
    assert comparison.shift.tolist() == [-0.25, 0.25]


def test_tokens_match_only_within_their_sentence():
    comparison = compare(
        explanation(None, "花呗", "还款", task="afqmc"), explanation(None, "还款", "花呗", task="afqmc")
    )
    assert comparison.pairs.tolist() == [[0, 0], [3, 3], [6, 6]]  # [CLS], [SEP], [SEP]


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
    difference = attention_difference(comparison, 0, 1)
    assert difference.queries == difference.keys == ("[CLS]", "good", "[SEP]") and difference.query_groups.tolist() == [
        -1,
        0,
        -1,
    ]
    np.testing.assert_allclose(difference.weights, [[0, 0, 0], [-0.75, 0.25, 0], [0, 0, 0]])  # 0.5 went to "not"
    assert difference.signed
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
