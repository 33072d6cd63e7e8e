"""Records: the values that they derive from their fields."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from tests.rendering import translations
from viz_core.records import (
    AttentionMap,
    Calibration,
    Encoding,
    Evaluation,
    Examples,
    Explanation,
    Failure,
    Figures,
    Health,
    Message,
    Metrics,
    show_whitespace,
    tracked_class,
)


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


def health(predicted_shares: tuple[float, ...]) -> Health:
    return Health(
        labels=("a", "b", "c")[: len(predicted_shares)],
        pair=False,
        figures=Figures(),
        accuracy_interval=(0.0, 1.0),
        auc_interval=(0.0, 1.0),
        predicted_shares=predicted_shares,
        spread=(0.0, 1.0),
        calibration=Calibration(*[np.zeros(15)] * 5),
        slices=(),
        heads=None,
    )


def test_surface_is_the_text_as_typed_and_special_tokens_keep_their_names():
    assert [encoding().surface(i) for i in range(6)] == ["[CLS]", "A", "b", "[SEP]", "\u3000", "[SEP]"]


def test_white_space_in_a_label_is_visible():
    assert encoding().label(4) == "␣"
    assert show_whitespace("a b\n\r\t") == "a␣b↵↵⇥"
    assert show_whitespace("co\u00adop\u00a0") == "co¬op␣"


@pytest.mark.parametrize(
    "probabilities, threshold, predicted",
    [
        ([0.6, 0.4], 0.5, 0),
        ([0.6, 0.4], 0.4, 1),  # from the threshold on
        ([0.3, 0.7], 0.71, 0),
        ([0.1, 0.5, 0.4], None, 1),
        ([0.2, 0.2, 0.6], None, 2),
    ],
)
def test_prediction_is_the_second_of_two_classes_from_the_threshold_on_and_the_most_probable_of_more(
    probabilities, threshold, predicted
):
    assert explanation(probabilities, threshold).predicted == predicted


@pytest.mark.parametrize(
    "predicted_shares, tracked",
    [((0.9, 0.1), 1), ((1.0, 0.0), 1), ((0.2, 0.5, 0.3), 1), ((0.6, 0.1, 0.3), 0), ((0.4, 0.2, 0.4), 0)],
)
def test_health_tracks_the_second_of_two_classes_and_the_most_predicted_of_more(predicted_shares, tracked):
    assert tracked_class(predicted_shares) == tracked
    assert health(predicted_shares).tracked_class == tracked


def test_examples_have_a_number_and_lengths():
    rows = [np.array([2, 4, 3]), np.array([2, 3])]
    examples = Examples(rows, [row * 0 for row in rows], np.array([0, 1]))
    assert len(examples) == 2
    assert examples.lengths.tolist() == [3, 2]


def test_failure_has_a_message_and_shows_its_values_in_a_log():
    failure = Failure("tasks.unknown", name="x", known=["imdb"])
    assert failure.message == Message("tasks.unknown", {"name": "x", "known": ["imdb"]})
    assert "tasks.unknown" in str(failure) and "imdb" in str(failure)


def test_records_are_frozen():
    with pytest.raises(FrozenInstanceError):
        Message("text.blank").key = "text.unknown"


def test_numbers_of_a_split_are_all_that_are_numbers():
    """Of the top level only if it is the test; values of other types count as unknown."""
    validation = {"split": "validation", "bleu": 29.5, "n": 40, "decoding": "greedy", "good": True}
    metrics = Metrics({"validation": validation, "bleu": 28.0, "split": "test", "confusion": [[1]]})
    assert metrics.numbers("validation") == {"bleu": 29.5, "n": 40}
    assert metrics.numbers("test") == {"bleu": 28.0}
    assert Metrics({**metrics.entries, "split": "validation"}).numbers("test") == {}
    assert Metrics({"validation": [1]}).numbers("validation") == {} == Metrics({}).numbers("test")


def test_what_a_translation_produces_is_a_position_ahead_of_what_it_reads():
    output = translations.translation().output_encoding
    assert [output.label(index) for index in range(7)] == ["we", "go", "to", "school", "tomorrow", ".", "[SEP]"]
    assert output.special.tolist() == [False] * 6 + [True] and output.words.tolist() == [1, 2, 3, 4, 5, 6, 7]
    cut_off = translations.translation(complete=False)
    assert cut_off.text == "we go to school tomorrow." and cut_off.target.tokens[-1] == "tomorrow"
    assert cut_off.output_encoding.label(5) == "." and not cut_off.output_encoding.special.any()
    first = translations.translation((), ("we",), (0,), complete=False)
    assert first.target.tokens == ("[CLS]",) and first.output_encoding.label(0) == "we"


def test_unreachable_keys_come_after_those_that_a_query_can_attend_to():
    map_ = AttentionMap(("a", "b"), ("a", "b"), np.eye(2), *np.zeros((2, 2)), Message("x"), reach=np.array([1, 2]))
    assert map_.unreachable.tolist() == [[False, True], [False, False]]
    assert not replace(map_, reach=None).unreachable.any()


@pytest.mark.parametrize("phase", [None, {}, "", "warm-up", 1])
def test_an_evaluation_of_an_unknown_phase_is_one_of_training(phase):
    assert Evaluation.from_dict({"phase": phase}).phase == Evaluation.from_dict({}).phase == "train"
    assert Evaluation.from_dict({"phase": "pretrain"}).phase == "pretrain"
