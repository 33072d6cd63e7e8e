"""The verdict on a model that translates, by its BLEU and that of the retrieval baseline."""

import pytest

from viz_core.analysis.verdicts.translation import beats_retrieval, translation_verdict
from viz_core.records import Message


@pytest.mark.parametrize(
    "numbers, beats, key",
    [
        ({"bleu": 29.5, "retrieval_bleu": 9.5}, True, "learned"),
        ({"bleu": 9.5, "retrieval_bleu": 9.5}, False, "not_learned"),
        ({"bleu": 29.5}, None, "not_compared"),
        ({}, None, "not_compared"),
    ],
)
def test_a_model_has_to_beat_the_retrieval_baseline(numbers, beats, key):
    assert beats_retrieval(numbers) is beats
    values = {"bleu": 29.5, "retrieval": 9.5} if beats else {"bleu": 9.5, "retrieval": 9.5} if beats is False else {}
    assert translation_verdict(numbers) == Message(f"translation_figures.{key}", values)
