"""Two inputs token beside token: worked out by hand."""

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


def test_the_word_that_came_is_marked_and_the_others_are_paired():
    found = compare(
        explanation(None, "a good film"), explanation(None, "not a good story", probabilities=np.array([0.5, 0.5]))
    )
    # [CLS] a good film [SEP] against [CLS] not a good story [SEP]
    assert found.pairs.tolist() == [[0, 0], [1, 2], [2, 3], [4, 5]]
    assert found.changed_before.tolist() == [False, False, False, True, False]
    assert found.changed_after.tolist() == [False, True, False, False, True, False]
    assert found.shift.tolist() == [-0.25, 0.25]


def test_a_token_is_the_same_only_in_its_own_sentence():
    found = compare(explanation(None, "花呗", "还款", task="afqmc"), explanation(None, "还款", "花呗", task="afqmc"))
    assert found.pairs.tolist() == [[0, 0], [3, 3], [6, 6]]  # [CLS], [SEP], [SEP]


def test_unknown_words_are_the_same_where_they_are_spelled_alike():
    found = compare(explanation(None, "a zebra film"), explanation(None, "a tiger film"))
    assert found.changed_after.tolist() == [False, False, True, False, False]
    assert not compare(explanation(None, "a zebra"), explanation(None, "a zebra")).changed_after.any()


def test_the_difference_is_after_minus_before_over_the_common_tokens():
    # [CLS] good [SEP] and [CLS] not good [SEP]; the second head alone changes.
    before = np.zeros((1, 2, 3, 3), np.float32)
    before[0, :, :, 0] = 1
    after = np.zeros((1, 2, 4, 4), np.float32)
    after[0, :, :, 0] = 1
    after[0, 1, 2] = [0.25, 0.5, 0.25, 0]
    found = compare(explanation(before, "good"), explanation(after, "not good"))
    assert most_changed_head(found) == (0, 1)
    map_ = attention_difference(found, 0, 1)
    assert map_.queries == map_.keys == ("[CLS]", "good", "[SEP]") and map_.query_groups.tolist() == [-1, 0, -1]
    np.testing.assert_allclose(map_.weights, [[0, 0, 0], [-0.75, 0.25, 0], [0, 0, 0]])  # 0.5 went to "not"
    assert map_.signed
    assert not attention_difference(found, 0, 0).weights.any()


def test_an_input_against_itself_differs_in_nothing(checkpoints_dir):
    from viz_core import checkpoints
    from viz_core.analysis.explain import explain

    one = explain(checkpoints.load("imdb", "tiny"), "not a good film")
    found = compare(one, one)
    assert not attention_difference(found, 1, 1).weights.any() and not found.shift.any()
    assert not found.changed_before.any() and len(found.pairs) == len(one.encoding.tokens)


def test_inputs_of_two_models_are_refused():
    one = explanation(None, "good")
    with pytest.raises(ValueError, match="imdb/tiny against imdb/other"):
        compare(one, replace(one, model="other"))
