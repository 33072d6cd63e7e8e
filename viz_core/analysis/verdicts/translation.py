"""Verdicts on a translation model: does it beat the retrieval baseline, and do its heads align words?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from viz_core.records import Message, WordAlignment
from viz_core.records.alignment import QUERIES


def beats_retrieval(numbers: Mapping[str, float]) -> bool | None:
    """Whether greedy translations have a higher BLEU than the retrieval baseline; None if not measured.

    The baseline takes the translations of the most similar training sentences.

    Args:
        numbers: Measurements on a split, by name.
    """
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


Level = Literal["better", "unclear", "worse"]


@dataclass(frozen=True)
class AlignmentVerdict:
    """Whether single heads align words.

    Attributes:
        level: Whether they align better than the diagonal, beyond doubt.
        verdict: The same in a sentence with the figures.
        reasons: Further facts, in order of weight.
    """

    level: Level
    verdict: Message
    reasons: tuple[Message, ...]


def alignment_verdict(alignment: WordAlignment) -> AlignmentVerdict:
    """Judge whether single heads align words better than the diagonal.

    The level follows from the 95% interval of the gain over the diagonal, with heads selected on
    other pairs: the lowest of many error rates would nearly always beat the diagonal.
    """
    _, low, high = alignment.gain
    level: Level = "better" if low > 0 else "worse" if high < 0 else "unclear"
    best = alignment.best
    values = {
        "head": best.name,
        "rate": best.error_rate,
        "low": best.low,
        "high": best.high,
        "diagonal": alignment.of("diagonal").error_rate,
        "random": alignment.of("random").error_rate,
    }
    links = Message("alignment.links", {"precision": best.precision, "recall": best.recall})
    reasons = (links, _mean(alignment), _leave_one_out(alignment), _query(alignment), _selection(alignment))
    return AlignmentVerdict(level, Message(f"alignment.verdict_{level}", values), reasons)


def _mean(alignment: WordAlignment) -> Message:
    rate = _best_mean(alignment)
    kind = "better" if rate < alignment.best.error_rate else "worse"
    return Message(f"alignment.mean_{kind}", {"rate": rate})


def _best_mean(alignment: WordAlignment) -> float:
    """The mean over all heads with the lower error rate of the two queries."""
    return min(alignment.mean(query).error_rate for query in QUERIES)


def _leave_one_out(alignment: WordAlignment) -> Message:
    rate = alignment.of("leave_one_out").error_rate
    attention = min(alignment.best.error_rate, _best_mean(alignment))
    kind = "better" if rate < attention else "worse"
    return Message(f"alignment.leave_one_out_{kind}", {"rate": rate})


def _query(alignment: WordAlignment) -> Message:
    """Which of the two queries aligns, and how well the other one does at best."""
    best = alignment.best
    other = min(score.error_rate for query in QUERIES if query != best.query for score in alignment.heads(query))
    return Message(f"alignment.by_{best.query}", {"rate": other})


def _selection(alignment: WordAlignment) -> Message:
    gain, low, high = (100 * value for value in alignment.gain)
    count = sum(len(alignment.heads(query)) for query in QUERIES)
    values = {"count": count, "rate": alignment.selected, "gain": gain, "low": low, "high": high}
    return Message("alignment.selected", values)
