"""Verdicts on a model's health and on its heads: what the figures mean, as messages with reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from viz_core.records import Health, Message

NEAR_CHANCE = 0.55  # AUC: of 100 pairs of inputs with different labels, 5 more ranked correctly than by chance
CLEAR_AUC = 0.65  # AUC from which a model ranks better than chance without qualification
CALIBRATED = 0.05  # ECE: at 80% confidence, 75% to 85% are correct
UNIFORM = 0.95  # relative entropy: with 30 tokens, as if the head attended to 30 ** 0.95 = 25 of them equally
QUERY_INDEPENDENT = 0.02  # dependence on the query: below this, all rows look the same
MOST = 0.5  # share of the weight: no other target can get more
ACROSS = 0.65  # share on the other sentence, which has about 0.45 of the tokens
SAME = 0.3  # share on the same character, one token out of about thirty
DUPLICATE = 0.95  # redundancy: the rows of both heads differ by 0.05 bit

# What a head may attend to, the most informative first, with the minimum share of the weight.
_TARGETS = {"same": SAME, "previous": MOST, "next": MOST, "self": MOST, "sep": MOST, "cls": MOST, "other": ACROSS}


@dataclass(frozen=True)
class Skill:
    """Whether a model has learned its task.

    level: whether its heads can be interpreted. verdict: a single sentence. reasons: strongest first, the AUC last.
    """

    level: Literal["none", "some", "good"]
    verdict: Message
    reasons: tuple[Message, ...]


@dataclass(frozen=True)
class HeadVerdict:
    """What a head does. layer, head: from 0. kind: as in the message key `health.head_<kind>`."""

    layer: int
    head: int
    kind: str
    message: Message


def skill(health: Health) -> Skill:
    """Whether a model has learned to distinguish the classes.

    Judged by AUC rather than accuracy: the majority-class baseline can have a high accuracy, and the threshold may have
    been tuned for another metric. Accuracy is one of the reasons.
    """
    auc = health.figures.auc
    if _is_near_chance(health):
        return Skill(
            "none",
            _collapse_message(health)
            if max(health.predicted_shares) == 1
            else Message("health.near_chance", {"auc": auc, "what": _inputs(health)}),
            (*_constant_probability(health), *_last_layer(health), _auc_message(health)),
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
        return Skill("none", _single_label_message(health), (*reasons, _auc_message(health)))
    return Skill(
        "good" if _beats_majority(health) and auc >= CLEAR_AUC else "some",
        Message("health.learned" if auc >= CLEAR_AUC else "health.learned_little", {"auc": auc}),
        (*_baseline_messages(health), *_nearly_uniform(health), _auc_message(health)),
    )


def calibration_remark(health: Health) -> Message:
    """Whether confidence matches accuracy, and whether that takes any skill."""
    ece, filled = health.figures.ece, health.calibration.count > 0
    if ece <= CALIBRATED:
        if filled.sum() == 1:
            return Message("health.calibration_one", {"confidence": float(health.calibration.confidence[filled][0])})
        kind = "chance" if _is_near_chance(health) else "good"
        return Message(f"health.calibration_{kind}", {"ece": ece})
    shares = health.calibration.count[filled] / health.calibration.count.sum()
    confidence, accuracy = (
        float(values[filled] @ shares) for values in (health.calibration.confidence, health.calibration.accuracy)
    )
    return Message(
        "health.calibration_over" if confidence > accuracy else "health.calibration_under",
        {"ece": ece, "confidence": confidence, "accuracy": accuracy},
    )


def head_verdicts(health: Health) -> tuple[HeadVerdict, ...]:
    """A sentence for each head with a recognisable pattern, layer by layer."""
    if health.heads is None:
        return ()
    return tuple(
        verdict
        for layer, head in np.ndindex(health.heads.statistics["entropy"].shape)
        if (verdict := _head(health, layer, head))
    )


def _head(health: Health, layer: int, head: int) -> HeadVerdict | None:
    values = {name: float(array[layer, head]) for name, array in health.heads.statistics.items()}

    def verdict(kind: str, value: float, **details: str) -> HeadVerdict:
        name = {"head": f"{layer + 1}.{head + 1}"}
        return HeadVerdict(layer, head, kind, Message(f"health.head_{kind}", {**name, **details, "value": value}))

    if values["entropy"] >= UNIFORM > values["entropy_cls"]:
        return verdict("chooses", values["entropy_cls"])
    if values["entropy"] >= UNIFORM:
        return verdict("uniform", values["entropy"])
    if duplicate := _duplicate(health, layer, head):
        other_layer, other_head, redundancy = duplicate
        return verdict("duplicate", redundancy, other=f"{other_layer + 1}.{other_head + 1}")
    for target, minimum in _TARGETS.items():
        if values.get(target, 0.0) >= minimum:
            return verdict(target, values[target])
    if values["dependence"] <= QUERY_INDEPENDENT:
        return verdict("query_independent", values["dependence"])
    return None


def _duplicate(health: Health, layer: int, head: int) -> tuple[int, int, float] | None:
    """Layer, index and redundancy of the most similar earlier head, if the redundancy is at least DUPLICATE."""
    heads = health.heads.statistics["entropy"].shape[1]
    number = layer * heads + head
    earlier = health.heads.redundancy[number, :number]
    if not earlier.size or earlier.max() < DUPLICATE:
        return None
    return *divmod(int(earlier.argmax()), heads), float(earlier.max())


def _is_near_chance(health: Health) -> bool:
    return health.figures.auc < NEAR_CHANCE or health.auc_interval[0] <= 0.5


def _inputs(health: Health) -> Message:
    return Message("health.pairs" if health.pair else "health.texts", {"count": health.figures.n})


def _label(health: Health, number: int) -> Message:
    return Message(f"rendering.label_{health.labels[number]}")


def _collapse_message(health: Health) -> Message:
    return Message(
        "health.collapsed", {"label": _label(health, int(np.argmax(health.predicted_shares))), "what": _inputs(health)}
    )


def _single_label_message(health: Health) -> Message:
    return Message(
        "health.one_label", {"label": _label(health, int(np.argmax(health.predicted_shares))), "what": _inputs(health)}
    )


def _beats_majority(health: Health) -> bool:
    return health.accuracy_interval[0] > health.figures.majority_accuracy


def _baseline_messages(health: Health) -> tuple[Message, ...]:
    """Accuracy compared with the majority-class baseline, within its confidence interval."""
    majority, (low, high) = health.figures.majority_accuracy, health.accuracy_interval
    key = (
        "health.accuracy_above"
        if low > majority
        else "health.accuracy_below"
        if high < majority
        else "health.accuracy_like"
    )
    comparison = Message(key, {"accuracy": health.figures.accuracy, "low": low, "high": high, "majority": majority})
    threshold = health.figures.threshold
    return (
        (comparison, Message("health.tuned", {"threshold": threshold}))
        if high < majority and threshold not in (0.5, None)
        else (comparison,)
    )


def _auc_message(health: Health) -> Message:
    low, high = health.auc_interval
    return Message("health.auc", {"auc": health.figures.auc, "low": low, "high": high})


def _constant_probability(health: Health) -> tuple[Message, ...]:
    """A reason if the predicted probability hardly depends on the input."""
    low, high = health.spread
    if high - low > 0.1:
        return ()
    return (
        Message(
            "health.constant_probability", {"label": _label(health, health.tracked_class), "low": low, "high": high}
        ),
    )


def _nearly_uniform(health: Health) -> tuple[Message, ...]:
    """A warning if most heads spread their weight almost uniformly."""
    if health.heads is None:
        return ()
    uniform = np.minimum(health.heads.statistics["entropy"], health.heads.statistics["entropy_cls"]) >= UNIFORM
    count = int(uniform.sum())
    return (
        (Message("health.nearly_uniform", {"count": count, "all": uniform.size}),) if 2 * count > uniform.size else ()
    )


def _last_layer(health: Health) -> tuple[Message, ...]:
    """What the attention in the last layer of an untrained model means: uniform, or left over from initialisation."""
    if health.heads is None:
        return ()
    entropy, dependence = (float(health.heads.statistics[name][-1].mean()) for name in ("entropy", "dependence"))
    if entropy >= UNIFORM or dependence <= QUERY_INDEPENDENT:
        return (Message("health.smooth", {"entropy": entropy, "dependence": dependence}),)
    return (Message("health.unlearned"),)
