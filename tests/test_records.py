"""Records that cross rooms: what they derive from what they hold."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from viz_core.records import Encoding, Examples, Explanation, Failure, Message, visible


def encoding() -> Encoding:
    """`[CLS] a b [SEP] ␣ [SEP]` of the pair "A b" and an ideographic space."""
    return Encoding(
        texts=("A b", "x\u3000"),
        tokens=("[CLS]", "a", "b", "[SEP]", "\u3000", "[SEP]"),
        ids=np.array([2, 4, 5, 3, 6, 3]),
        segments=np.array([0, 0, 0, 0, 1, 1]),
        offsets=np.array([[0, 0], [0, 1], [2, 3], [0, 0], [1, 2], [0, 0]]),
        words=np.arange(6),
        special=np.array([True, False, False, True, False, True]),
        unknown=np.zeros(6, bool),
    )


def explanation(probabilities: list[float], threshold: float) -> Explanation:
    labels = ("different", "same") if len(probabilities) == 2 else ("none", "one", "many")
    return Explanation(
        "tiny", "afqmc", encoding(), labels, np.array(probabilities), threshold, np.zeros((1, 1, 6, 6)), "cls"
    )


def test_surface_is_the_text_as_typed_and_special_tokens_keep_their_names():
    assert [encoding().surface(i) for i in range(6)] == ["[CLS]", "A", "b", "[SEP]", "\u3000", "[SEP]"]


def test_label_makes_white_space_visible():
    assert encoding().label(4) == "␣"
    assert visible("a b\n\r\t") == "a␣b↵↵⇥"


@pytest.mark.parametrize(
    "probabilities, threshold, answer",
    [
        ([0.6, 0.4], 0.5, 0),
        ([0.6, 0.4], 0.4, 1),  # from the threshold on
        ([0.3, 0.7], 0.71, 0),
        ([0.1, 0.5, 0.4], None, 1),
        ([0.2, 0.2, 0.6], None, 2),
    ],
)
def test_answer_is_the_last_of_two_classes_from_the_threshold_on_and_the_likeliest_of_more(
    probabilities, threshold, answer
):
    assert explanation(probabilities, threshold).predicted == answer


def test_examples_know_their_number_and_lengths():
    rows = [np.array([2, 4, 3]), np.array([2, 3])]
    examples = Examples(rows, [row * 0 for row in rows], np.array([0, 1]))
    assert len(examples) == 2
    assert examples.lengths.tolist() == [3, 2]


def test_failure_carries_its_message_and_names_its_values_in_a_log():
    failure = Failure("tasks.unknown", name="x", known=["imdb"])
    assert failure.message == Message("tasks.unknown", {"name": "x", "known": ["imdb"]})
    assert "tasks.unknown" in str(failure) and "imdb" in str(failure)


def test_records_are_frozen():
    with pytest.raises(FrozenInstanceError):
        Message("text.blank").key = "text.unknown"
