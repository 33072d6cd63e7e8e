"""Whether a model's confidence matches its accuracy, and whether that takes any skill, in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from viz_core.analysis.verdicts.model import ranking
from viz_core.records import Health, Message
from viz_core.statistics.intervals import wilson

CALIBRATED = 0.05  # ECE: at 80% confidence, 75% to 85% are correct


@dataclass(frozen=True)
class Case:
    """A row of the decision table: conditions, of which None fits everything, and the key of the sentence.

    calibrated: whether the ECE is small. skilled: whether the model ranks above chance. bins: how many bins of
    confidence hold inputs, 1 or 2 (several). direction: 1 where the mean confidence is above the interval of the
    accuracy, -1 below, 0 within.
    """

    calibrated: bool
    skilled: bool | None
    bins: int | None
    direction: int | None
    sentence: str


CASES = (
    #    calibrated skilled bins direction sentence
    Case(True, True, None, None, "good"),
    Case(True, False, 1, None, "one"),  # the share of a class
    Case(True, False, 2, None, "chance"),
    Case(False, None, None, 1, "over"),
    Case(False, None, None, -1, "under"),
    Case(False, None, None, 0, "mixed"),
)


def calibration_remark(health: Health) -> Message | None:
    """What was measured of a model's calibration on inputs that did not fit its temperature; None if nothing was.

    Nothing is also said of a model with too few inputs to tell whether it has learned anything.
    """
    if health.cross_fitted is None or ranking(health) == "undecided":
        return None
    count = health.calibration.count
    filled, n = count > 0, int(count.sum())
    confidence, hits = (
        float(values[filled] @ count[filled]) for values in (health.calibration.confidence, health.calibration.accuracy)
    )
    low, high = wilson(round(hits), n)
    sentence = find_sentence(
        calibrated=health.cross_fitted.ece <= CALIBRATED,
        skilled=ranking(health) in ("little", "clear"),
        bins=min(int(filled.sum()), 2),
        direction=int(confidence / n > high) - int(confidence / n < low),
    )
    return Message(
        f"health.calibration_{sentence}",
        {"ece": health.cross_fitted.ece, "confidence": confidence / n, "accuracy": hits / n, "n": n},
    )


def find_sentence(calibrated: bool, skilled: bool, bins: int, direction: int) -> str:
    """The sentence of the row of CASES that fits."""
    (case,) = (
        case
        for case in CASES
        if case.calibrated == calibrated
        and case.skilled in (skilled, None)
        and case.bins in (bins, None)
        and case.direction in (direction, None)
    )
    return case.sentence
