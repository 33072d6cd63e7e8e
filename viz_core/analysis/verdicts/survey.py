"""What stands out among the heads of a survey, as messages, each with its number, interval and control.

No name is given beyond the criterion that is measured, and nothing is said where nothing stands out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from viz_core.records import CorpusStatistic, HeadImportance, HeadSurvey, Message

GAIN = 0.4  # of what a head could have beyond its control, at the lower end of the interval
EVEN = 0.95  # relative entropy: with 30 tokens, as if the head attended to 30 ** 0.95 = 25 of them equally
NAMED = 4  # heads with numbers in a sentence
FEW = 100  # inputs: a smaller corpus is called small

# Criteria that a head can stand out by, the most informative first.
CRITERIA = (
    *("same", "induction", "duplicate", "previous", "next", "self", "other"),
    *("punctuation", "first", "sep", "cls"),
)


@dataclass(frozen=True)
class Standout:
    """Heads that stand out by one criterion.

    Attributes:
        criterion: Of CRITERIA; `even` for heads that spread their weight evenly, `idle` for those
            without which the loss stays the same.
        heads: Layer and head, from 0, the most pronounced first.
        message: The sentence.
    """

    criterion: str
    heads: tuple[tuple[int, int], ...]
    message: Message


def standouts(
    survey: HeadSurvey, importance: HeadImportance | None = None, only: tuple[int, int] | None = None
) -> tuple[Standout, ...]:
    """What stands out, a sentence for each criterion; empty if nothing does.

    Args:
        importance: Of these heads, if it has been measured.
        only: Layer and head of the only one that the sentences are about, by default all.
    """
    among = np.ones(survey.shape, bool) if only is None else _only(survey.shape, only)
    found = []
    for name in CRITERIA:
        if statistic := survey.statistics.get(name):
            gains = _gains(statistic)
            found.append(_standout(name, statistic, _order(gains, among & (gains >= GAIN))))
    entropy = survey.statistics["entropy"]
    found.append(_standout("even", entropy, _order(entropy.mean, among & (entropy.interval[..., 0] >= EVEN))))
    if importance is not None:
        found.append(_idle(importance, among))
    return tuple(standout for standout in found if standout.heads)


def _only(shape: tuple[int, int], head: tuple[int, int]) -> np.ndarray:
    chosen = np.zeros(shape, bool)
    chosen[head] = True
    return chosen


def _gains(statistic: CorpusStatistic) -> np.ndarray:
    """Share `(L, H)` of the way from the control to a weight of 1 that the lower end of the interval has come."""
    control = np.maximum(statistic.uniform, statistic.shuffled if statistic.shuffled.size else 0)
    return (statistic.interval[..., 0] - control) / np.maximum(1 - control, 1e-9)


def _order(values: np.ndarray, chosen: np.ndarray) -> tuple[tuple[int, int], ...]:
    """The chosen heads, those with the largest values first."""
    order = [divmod(int(place), values.shape[1]) for place in np.argsort(-values, axis=None, kind="stable")]
    return tuple(head for head in order if chosen[head])


def _standout(name: str, statistic: CorpusStatistic, heads: Sequence[tuple[int, int]]) -> Standout:
    values: dict[str, object] = {
        "what": Message(f"heads.stands_{name}"),
        "heads": [of_head(statistic, head) for head in heads[:NAMED]] + _further(len(heads)),
        "uniform": statistic.uniform,
    }
    key = "heads.even" if name == "even" else "heads.stands"
    if statistic.shuffled.size and heads:
        key = "heads.stands_shuffled"
        values["shuffled"] = float(max(statistic.shuffled[head] for head in heads[:NAMED]))
    return Standout(name, tuple(heads), Message(key, values))


def _further(count: int) -> list[Message]:
    return [Message("heads.further", {"count": count - NAMED})] if count > NAMED else []


def of_head(statistic: CorpusStatistic, head: tuple[int, int]) -> Message:
    """A head with its mean and interval."""
    low, high = statistic.interval[head].tolist()
    name = head_name(*head)
    return Message("heads.of_head", {"head": name, "mean": float(statistic.mean[head]), "low": low, "high": high})


def head_name(layer: int, head: int) -> str:
    """`layer.head`, both from 1."""
    return f"{layer + 1}.{head + 1}"


def _idle(importance: HeadImportance, among: np.ndarray) -> Standout:
    """Heads without which the loss is the same, as far as the interval says."""
    low, high = importance.loss_interval[..., 0], importance.loss_interval[..., 1]
    change = np.abs(importance.loss_change)
    heads = _order(-change, among & (low <= 0) & (high >= 0))
    names = [head_name(*head) for head in heads[:NAMED]] + _further(len(heads))
    largest = float(max((max(-low[head], high[head]) for head in heads), default=0.0))
    return Standout("idle", heads, Message("heads.idle", {"heads": names, "largest": largest}))
