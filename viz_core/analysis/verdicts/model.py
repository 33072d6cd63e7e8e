"""The verdict on a model: has it learned its task?

A decision table over measurements, and messages with reasons. It judges by the AUC rather than the
accuracy: the majority-class baseline can have a high accuracy, and the threshold may have been
tuned for another metric.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from viz_core.analysis.verdicts.heads import QUERY_INDEPENDENT, UNIFORM
from viz_core.records import Health, Message
from viz_core.statistics.intervals import wilson

NEAR_CHANCE = 0.55  # AUC: of 100 pairs of inputs with different labels, 5 more ranked correctly than by chance
CLEAR_AUC = 0.65  # AUC from which a model ranks better than chance without qualification
FEW = 10  # inputs outside the most frequent class: with fewer, no interval in closed form is to be trusted
CALIBRATED = 0.05  # ECE: at 80% confidence, 75% to 85% are correct
EVEN = 0.5  # decision threshold that was not tuned

Ranking = Literal["undecided", "reversed", "chance", "little", "clear"]
Predicts = Literal["one label", "several"]
Accuracy = Literal["below", "like", "above"]
Level = Literal["unclear", "none", "reversed", "some", "good"]


@dataclass(frozen=True)
class Case:
    """A row of the decision table: conditions, of which None fits everything, and their conclusion.

    Attributes:
        level: Whether the heads can be interpreted.
        verdict: Key of a sentence in the catalogues.
        doubt: Key of a caution added to a prediction and above a heat map; empty if there is none.
    """

    ranking: Ranking
    predicts: Predicts
    accuracy: Accuracy | None
    level: Level
    verdict: str
    doubt: str = ""


# fmt: off
CASES = (
    #    ranking      predicts     accuracy level       verdict               doubt
    Case("undecided", "one label", None,    "unclear",  "too_few_one_label",  "too_few"),
    Case("undecided", "several",   None,    "unclear",  "too_few",            "too_few"),
    Case("reversed",  "one label", None,    "reversed", "reversed_one_label", "one_label"),
    Case("reversed",  "several",   None,    "reversed", "reversed",           "reversed"),
    Case("chance",    "one label", None,    "none",     "collapsed",          "collapsed"),
    Case("chance",    "several",   None,    "none",     "near_chance",        "near_chance"),
    Case("little",    "one label", None,    "none",     "one_label",          "one_label"),
    Case("clear",     "one label", None,    "none",     "one_label",          "one_label"),
    Case("little",    "several",   "below", "some",     "little_below"),
    Case("little",    "several",   "like",  "some",     "little_like"),
    Case("little",    "several",   "above", "some",     "learned_little"),
    Case("clear",     "several",   "below", "some",     "clear_below"),
    Case("clear",     "several",   "like",  "some",     "clear_like"),
    Case("clear",     "several",   "above", "good",     "learned"),
)
# fmt: on


@dataclass(frozen=True)
class Skill:
    """Whether a model has learned its task.

    Attributes:
        level: Whether its heads can be interpreted.
        verdict: A single sentence.
        reasons: Strongest first, the AUC last.
        prediction, attention: What this means for a prediction (a few words) and for a heat map (a
            sentence); None for a model that has learned its task.
        baseline: A sentence beside a prediction, where the model tells the classes apart but its accuracy does not
            clearly beat always predicting the most frequent one.
    """

    level: Level
    verdict: Message
    reasons: tuple[Message, ...]
    prediction: Message | None = None
    attention: Message | None = None
    baseline: Message | None = None


def skill(health: Health) -> Skill:
    """Whether a model has learned to distinguish the classes: the case that fits, in words."""
    case = find_case(ranking(health), predicts(health), accuracy(health))
    values = _values(health)
    verdict, reasons = Message(f"health.{case.verdict}", values), _reasons(case, health)
    if not case.doubt:
        return Skill(case.level, verdict, reasons, baseline=_baseline(case, health))
    prediction, attention = (Message(f"health.{place}_{case.doubt}", values) for place in ("prediction", "attention"))
    return Skill(case.level, verdict, reasons, prediction, attention)


def find_case(ranking: Ranking, predicts: Predicts, accuracy: Accuracy) -> Case:
    """The row of CASES that fits."""
    (case,) = (
        case
        for case in CASES
        if case.ranking == ranking and case.predicts == predicts and case.accuracy in (accuracy, None)
    )
    return case


def ranking(health: Health) -> Ranking:
    """How well the model ranks inputs of different classes, as far as the interval of its AUC decides it.

    Undecided: too few inputs, or an interval that contains chance and a clear AUC (or a clear AUC
    of swapped labels).
    """
    auc, (low, high) = health.figures["auc"], health.auc_interval
    outside_majority = round(health.figures["n"] * (1 - health.figures["majority_accuracy"]))
    has_chance = low <= 0.5 <= high
    if outside_majority < FEW or (has_chance and (high >= CLEAR_AUC or low <= 1 - CLEAR_AUC)):
        return "undecided"
    if has_chance or 1 - NEAR_CHANCE < auc < NEAR_CHANCE:
        return "chance"
    if auc < 0.5:
        return "reversed"
    return "clear" if auc >= CLEAR_AUC else "little"


def predicts(health: Health) -> Predicts:
    """Whether all inputs get the same prediction."""
    return "one label" if max(health.predicted_shares) == 1 else "several"


def accuracy(health: Health) -> Accuracy:
    """Accuracy compared with the majority-class baseline, within its interval."""
    majority, (low, high) = health.figures["majority_accuracy"], health.accuracy_interval
    return "above" if low > majority else "below" if high < majority else "like"


def _reasons(case: Case, health: Health) -> tuple[Message, ...]:
    low, high = health.auc_interval
    key = "health.auc" if len(health.labels) == 2 else "health.auc_classes"
    auc = Message(key, {"auc": health.figures.auc, "low": low, "high": high})
    if case.ranking == "chance":
        return (*_constant_probability(health), *_last_layer(health), auc)
    if case.predicts == "one label":
        return (_why_one_label(health), auc)
    if case.ranking in ("undecided", "reversed"):
        return (auc,)
    return (*_about_accuracy(case, health), *_nearly_uniform(health), auc)


def _baseline(case: Case, health: Health) -> Message | None:
    if case.accuracy not in ("like", "below"):
        return None
    most_frequent = int(np.array(health.figures.confusion).sum(axis=1).argmax())
    values = {"accuracy": health.figures.accuracy, "majority": health.figures.majority_accuracy}
    return Message(f"health.baseline_{case.accuracy}", {**values, "label": _label(health, most_frequent)})


def _values(health: Health) -> dict[str, object]:
    """Values for all verdicts; a sentence takes those that it names."""
    figures = health.figures
    return {
        "what": Message("health.pairs" if health.pair else "health.texts", {"count": figures.n}),
        "label": _label(health, int(np.argmax(health.predicted_shares))),
        "classes": _classes(health),
        "auc": figures.auc,
        "auc_low": health.auc_interval[0],
        "auc_high": health.auc_interval[1],
        "accuracy": figures.accuracy,
        "low": health.accuracy_interval[0],
        "high": health.accuracy_interval[1],
        "majority": figures.majority_accuracy,
    }


def _label(health: Health, number: int) -> Message:
    return Message(f"rendering.label_{health.labels[number]}")


def _classes(health: Health) -> Message:
    if len(health.labels) != 2:
        return Message("health.the_classes", {"count": len(health.labels)})
    return Message("health.the_two_classes", {"first": _label(health, 0), "second": _label(health, 1)})


def _why_one_label(health: Health) -> Message:
    """Side of the threshold that all probabilities are on; with more than two classes there is none."""
    predicted, last = int(np.argmax(health.predicted_shares)), len(health.labels) - 1
    threshold = health.figures.threshold
    if threshold is None:
        return Message("health.always_likeliest", {"label": _label(health, predicted)})
    key = "health.threshold_always" if predicted == last else "health.threshold_never"
    return Message(key, {"threshold": threshold, "label": _label(health, last)})


def _about_accuracy(case: Case, health: Health) -> tuple[Message, ...]:
    """The accuracy if the verdict does not name it, or a tuned threshold if it is below the baseline."""
    if case.accuracy == "above":
        return (Message("health.accuracy_above", _values(health)),)
    threshold = health.figures.threshold
    if case.accuracy == "below" and threshold not in (EVEN, None):
        return (Message("health.tuned", {"threshold": threshold}),)
    return ()


def _constant_probability(health: Health) -> tuple[Message, ...]:
    """A reason if the predicted probability hardly depends on the input."""
    low, high = health.spread
    if high - low > 0.1:
        return ()
    values = {"label": _label(health, health.tracked_class), "low": low, "high": high}
    return (Message("health.constant_probability", values),)


def _nearly_uniform(health: Health) -> tuple[Message, ...]:
    """A warning if most heads spread their weight almost uniformly."""
    if health.heads is None:
        return ()
    uniform = np.minimum(health.heads.statistics["entropy"], health.heads.statistics["entropy_cls"]) >= UNIFORM
    count, rows = int(uniform.sum()), health.heads.rows
    if 2 * count <= uniform.size:
        return ()
    return (Message("health.nearly_uniform", {"count": count, "all": uniform.size, "rows": rows}),)


def _last_layer(health: Health) -> tuple[Message, ...]:
    """Meaning of the last layer's attention in an untrained model: uniform, or left from initialisation."""
    if health.heads is None:
        return ()
    entropy, dependence = (float(health.heads.statistics[name][-1].mean()) for name in ("entropy", "dependence"))
    if entropy >= UNIFORM or dependence <= QUERY_INDEPENDENT:
        return (Message("health.smooth", {"entropy": entropy, "dependence": dependence, "rows": health.heads.rows}),)
    return (Message("health.unlearned"),)


def calibration_remark(health: Health) -> Message | None:
    """Calibration on inputs that did not fit the temperature; None if it was not measured.

    Also None for a model with too few inputs to tell whether it has learned anything.
    """
    if health.cross_fitted is None or ranking(health) == "undecided":
        return None
    count = health.calibration.count
    filled, n = count > 0, int(count.sum())
    confidence, hits = (
        float(values[filled] @ count[filled]) for values in (health.calibration.confidence, health.calibration.accuracy)
    )
    low, high = wilson(round(hits), n)
    ece = health.cross_fitted["ece"]
    if ece > CALIBRATED:
        sentence = "over" if confidence / n > high else "under" if confidence / n < low else "mixed"
    elif ranking(health) in ("little", "clear"):
        sentence = "good"
    else:  # one: the share of a class
        sentence = "one" if filled.sum() == 1 else "chance"
    values = {"ece": ece, "points": 100 * ece, "confidence": confidence / n, "accuracy": hits / n, "n": n}
    return Message(f"health.calibration_{sentence}", values)
