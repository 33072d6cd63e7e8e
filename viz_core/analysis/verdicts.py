"""What the figures of a model's health mean, in plain words and with their reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from viz_core.records import Health, Message

NEAR_CHANCE = 0.55  # AUC: of 100 pairs of inputs with different labels, 5 more ranked right than a coin would
SOME = 0.65  # AUC from which on "it ranks better than chance" can be said without a but
CALIBRATED = 0.05  # ECE: says 80 % and is right 75 to 85 times of 100
UNIFORM = 0.95  # of maximal entropy: of 30 tokens, as if it looked at 30 ** 0.95 = 25 alike
FIXED = 0.02  # dependence on which token looks; rows that differ by less look like one row repeated
MOST = 0.5  # of the weight: no other place can get as much
ACROSS = 0.65  # on the other sentence, which has about 0.45 of the tokens
SAME = 0.3  # on the same character, one token of thirty
DUPLICATE = 0.95  # redundancy: the rows of both heads differ by 0.05 bit

# The places that a head may rest on, the more telling ones first, with the share of the weight from which on it does.
_PLACES = {"same": SAME, "previous": MOST, "next": MOST, "self": MOST, "sep": MOST, "cls": MOST, "other": ACROSS}


@dataclass(frozen=True)
class Skill:
    """level: whether anything can be read into the heads. verdict: in one sentence; reasons: why so, most telling first; how well it ranks is the last."""

    level: Literal["none", "some", "good"]
    verdict: Message
    reasons: tuple[Message, ...]


@dataclass(frozen=True)
class HeadVerdict:
    """layer, head: from 0. kind: what the head does, as the key of `health.head_<kind>`."""

    layer: int
    head: int
    kind: str
    message: Message


def skill(health: Health) -> Skill:
    """Whether a model has learned to tell its inputs apart.

    Accuracy alone does not tell: who always gives the most frequent answer is right as often as that occurs, and a
    threshold may be chosen for another end. So it is judged by how well it ranks (AUC), and accuracy becomes a remark.
    """
    auc = health.figures.auc
    if auc < NEAR_CHANCE or health.auc_interval[0] <= 0.5:
        return Skill(
            "none",
            _collapsed(health)
            if max(health.predicted_shares) == 1
            else Message("health.near_chance", {"auc": auc, "what": _inputs(health)}),
            (*_unmoved(health), *_smooth(health), _chance(health)),
        )
    if max(health.predicted_shares) == 1:
        reasons = (
            ()
            if health.figures.threshold is None
            else (
                Message(
                    "health.threshold",
                    {
                        "auc": auc,
                        "threshold": health.figures.threshold,
                        "label": _label(health, len(health.labels) - 1),
                    },
                ),
            )
        )
        return Skill("none", _one_answer(health), (*reasons, _chance(health)))
    return Skill(
        "good" if _beats_majority(health) and auc >= SOME else "some",
        Message("health.learned" if auc >= SOME else "health.learned_little", {"auc": auc}),
        (*_against_majority(health), *_even(health), _chance(health)),
    )


def calibration_remark(health: Health) -> Message:
    """Whether its confidence is what it says; and that it means little where the confidence is always the same."""
    ece, filled = health.figures.ece, health.calibration.count > 0
    if filled.sum() == 1:
        return Message("health.calibration_one", {"confidence": float(health.calibration.confidence[filled][0])})
    if ece <= CALIBRATED:
        return Message("health.calibration_good", {"ece": ece})
    shares = health.calibration.count[filled] / health.calibration.count.sum()
    says, is_right = (
        float(values[filled] @ shares) for values in (health.calibration.confidence, health.calibration.accuracy)
    )
    return Message(
        "health.calibration_over" if says > is_right else "health.calibration_under",
        {"ece": ece, "confidence": says, "accuracy": is_right},
    )


def head_verdicts(health: Health) -> tuple[HeadVerdict, ...]:
    """What can be said of each head in a sentence, layer by layer; of some there is nothing to say."""
    if health.heads is None:
        return ()
    return tuple(
        verdict
        for layer, head in np.ndindex(health.heads.statistics["entropy"].shape)
        if (verdict := _head(health, layer, head))
    )


def _head(health: Health, layer: int, head: int) -> HeadVerdict | None:
    found = {name: float(values[layer, head]) for name, values in health.heads.statistics.items()}
    name = {"head": f"{layer + 1}.{head + 1}"}
    if found["entropy"] >= UNIFORM > found["entropy_cls"]:
        return HeadVerdict(
            layer, head, "chooses", Message("health.head_chooses", {**name, "value": found["entropy_cls"]})
        )
    if found["entropy"] >= UNIFORM:
        return HeadVerdict(layer, head, "uniform", Message("health.head_uniform", {**name, "value": found["entropy"]}))
    if twin := _twin(health, layer, head):
        return HeadVerdict(
            layer,
            head,
            "duplicate",
            Message("health.head_duplicate", {**name, "other": f"{twin[0] + 1}.{twin[1] + 1}", "value": twin[2]}),
        )
    for place, least in _PLACES.items():
        if found.get(place, 0.0) >= least:
            return HeadVerdict(layer, head, place, Message(f"health.head_{place}", {**name, "value": found[place]}))
    if found["dependence"] <= FIXED:
        return HeadVerdict(
            layer, head, "fixed", Message("health.head_query_independent", {**name, "value": found["dependence"]})
        )
    return None


def _twin(health: Health, layer: int, head: int) -> tuple[int, int, float] | None:
    """The earlier head that this one repeats, and how much it does."""
    heads = health.heads.statistics["entropy"].shape[1]
    number = layer * heads + head
    before = health.heads.redundancy[number, :number]
    if not before.size or before.max() < DUPLICATE:
        return None
    return *divmod(int(before.argmax()), heads), float(before.max())


def _inputs(health: Health) -> Message:
    return Message("health.pairs" if health.pair else "health.texts", {"count": health.figures.n})


def _label(health: Health, number: int) -> Message:
    return Message(f"rendering.label_{health.labels[number]}")


def _collapsed(health: Health) -> Message:
    return Message(
        "health.collapsed", {"label": _label(health, int(np.argmax(health.predicted_shares))), "what": _inputs(health)}
    )


def _one_answer(health: Health) -> Message:
    return Message(
        "health.one_label", {"label": _label(health, int(np.argmax(health.predicted_shares))), "what": _inputs(health)}
    )


def _beats_majority(health: Health) -> bool:
    return health.accuracy_interval[0] > health.figures.majority_accuracy


def _against_majority(health: Health) -> tuple[Message, ...]:
    """Whether it is right more often than always giving the most frequent answer, beyond what so few inputs leave open."""
    majority, (low, high) = health.figures.majority_accuracy, health.accuracy_interval
    key = (
        "health.accuracy_above"
        if low > majority
        else "health.accuracy_below"
        if high < majority
        else "health.accuracy_like"
    )
    told = Message(key, {"accuracy": health.figures.accuracy, "low": low, "high": high, "majority": majority})
    threshold = health.figures.threshold
    return (
        (told, Message("health.tuned", {"threshold": threshold}))
        if high < majority and threshold not in (0.5, None)
        else (told,)
    )


def _chance(health: Health) -> Message:
    low, high = health.auc_interval
    return Message("health.auc", {"auc": health.figures.auc, "low": low, "high": high})


def _unmoved(health: Health) -> tuple[Message, ...]:
    """Where the answer's probability is the same whatever is typed."""
    low, high = health.spread
    if high - low > 0.1:
        return ()
    return (
        Message(
            "health.constant_probability", {"label": _label(health, health.tracked_class), "low": low, "high": high}
        ),
    )


def _even(health: Health) -> tuple[Message, ...]:
    """Where most heads spread their weight almost evenly: a warning to whoever is about to read them."""
    if health.heads is None:
        return ()
    even = np.minimum(health.heads.statistics["entropy"], health.heads.statistics["entropy_cls"]) >= UNIFORM
    count = int(even.sum())
    return (Message("health.nearly_uniform", {"count": count, "all": even.size}),) if 2 * count > even.size else ()


def _smooth(health: Health) -> tuple[Message, ...]:
    """Why the deep attention of a model that learned nothing is so even, where it is."""
    if health.heads is None:
        return ()
    even, dependent = (float(health.heads.statistics[name][-1].mean()) for name in ("entropy", "dependence"))
    if even >= UNIFORM or dependent <= FIXED:
        return (Message("health.smooth", {"entropy": even, "dependence": dependent}),)
    return (Message("health.unlearned"),)
