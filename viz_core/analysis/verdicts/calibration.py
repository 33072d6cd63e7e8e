"""Whether a model's confidence matches its accuracy, and whether that takes any skill, in a sentence."""

from viz_core.analysis.verdicts.model import ranking
from viz_core.records import Health, Message
from viz_core.statistics.intervals import wilson

CALIBRATED = 0.05  # ECE: at 80% confidence, 75% to 85% are correct


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
    ece = health.cross_fitted["ece"]
    if ece > CALIBRATED:
        sentence = "over" if confidence / n > high else "under" if confidence / n < low else "mixed"
    elif ranking(health) in ("little", "clear"):
        sentence = "good"
    else:  # one: the share of a class
        sentence = "one" if filled.sum() == 1 else "chance"
    values = {"ece": ece, "confidence": confidence / n, "accuracy": hits / n, "n": n}
    return Message(f"health.calibration_{sentence}", values)
