"""The verdict on a model that translates: does it beat the retrieval baseline?"""

from __future__ import annotations

from collections.abc import Mapping

from viz_core.records import Message


def beats_retrieval(numbers: Mapping[str, float]) -> bool | None:
    """Whether greedy translations have a higher BLEU than those of the most similar training sentences; None where one
    of them was not measured. numbers: measured on a split, by name."""
    if not {"bleu", "retrieval_bleu"} <= set(numbers):
        return None
    return numbers["bleu"] > numbers["retrieval_bleu"]


def translation_verdict(numbers: Mapping[str, float]) -> Message:
    """The comparison in a sentence, or that it was not made."""
    better = beats_retrieval(numbers)
    if better is None:
        return Message("translation_figures.not_compared")
    values = {"bleu": numbers["bleu"], "retrieval": numbers["retrieval_bleu"]}
    return Message("translation_figures.learned" if better else "translation_figures.not_learned", values)
