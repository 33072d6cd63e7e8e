"""The evidence `health`: a model examined on its validation split. What it says is in `records.Health`."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from viz_core.analysis.head_profile import OF_PAIRS, STATISTICS
from viz_core.analysis.health import compute_health
from viz_core.evidence.evidence_input import EvidenceInput, Progress
from viz_core.evidence.results import six_digits
from viz_core.records import Calibration, Figures, HeadProfile, Health, Slice

NAME = "health"


def compute(subject: EvidenceInput, progress: Progress) -> dict:
    """The fields of a Health as plain numbers and lists."""
    frame = subject.frame
    found = compute_health(
        subject.checkpoint,
        subject.examples,
        frame["text"].tolist(),
        frame["text_b"].tolist() if subject.checkpoint.task.pair else None,
        progress,
    )
    values = asdict(found)
    values["answered"] = values.pop("predicted_shares")  # the name that files have always had
    return plain(values)


def read(found: dict | None) -> Health | None:
    """The record of what was kept; None where nothing was, or it is damaged."""
    try:
        curve, heads = found["calibration"], found["heads"]
        return Health(
            tuple(found["labels"]),
            found["pair"],
            Figures.from_dict(found["figures"]),
            tuple(found["accuracy_interval"]),
            tuple(found["auc_interval"]),
            tuple(found["answered"]),
            tuple(found["spread"]),
            Calibration(**{name: np.array(values, float) for name, values in curve.items()}),
            tuple(Slice(**one) for one in found["slices"]),
            None
            if heads is None
            else HeadProfile(
                heads["rows"],
                {
                    name: np.array(heads["statistics"][name], float)
                    for name in STATISTICS
                    if found["pair"] or name not in OF_PAIRS
                },
                heads["pair_rows"],
                np.array(heads["redundancy"], float),
            ),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def plain(value: object) -> object:
    """As JSON holds it; a figure that is none, such as the accuracy of an empty bin, becomes null when it is written."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return six_digits(value) if isinstance(value, float) else value
