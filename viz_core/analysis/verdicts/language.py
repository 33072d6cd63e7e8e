"""Verdict on a language model: does it predict texts better than the words that most often followed?"""

from collections.abc import Mapping

from viz_core.records import Message


def beats_ngrams(numbers: Mapping[str, float]) -> bool | None:
    """Whether the perplexity is lower than that of the Kneser-Ney 5-gram; None if not measured.

    Args:
        numbers: Measurements on a split, by name.
    """
    if not {"perplexity", "kneser_ney_perplexity"} <= set(numbers):
        return None
    return numbers["perplexity"] < numbers["kneser_ney_perplexity"]


def language_verdict(numbers: Mapping[str, float]) -> Message:
    """The comparison in a sentence, or that it was not made."""
    better = beats_ngrams(numbers)
    if better is None:
        return Message("language_figures.not_compared")
    perplexity, ngrams = numbers["perplexity"], numbers["kneser_ney_perplexity"]
    values = {"perplexity": perplexity, "ngrams": ngrams, "gain": 1 - perplexity / ngrams}
    return Message("language_figures.learned" if better else "language_figures.not_learned", values)
