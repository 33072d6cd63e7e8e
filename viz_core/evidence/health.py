"""The evidence `health`: the record `Health` of a model, from its validation split."""

from dataclasses import asdict

import numpy as np

from viz_core.analysis.evaluation.health import compute_health
from viz_core.analysis.heads.profile import OF_PAIRS, STATISTICS
from viz_core.evidence.evidence_input import EvidenceInput, Progress
from viz_core.evidence.results import six_digits
from viz_core.records import Calibration, Figures, HeadProfile, Health, Slice

NAME = "health"
_LATER = ("punctuation",)  # a statistic that files of earlier versions, and those of texts without any, do not have


def compute(data: EvidenceInput, progress: Progress) -> dict:
    """The result to store, see `to_result`."""
    health = compute_health(
        data.checkpoint,
        data.examples,
        data.frame["text"].tolist(),
        data.frame["text_b"].tolist() if data.checkpoint.task.pair else None,
        progress,
    )
    return to_result(health)


def to_result(health: Health) -> dict:
    """The record as numbers and lists, under the keys of the file."""
    values = asdict(health)
    values["answered"] = values.pop("predicted_shares")  # the key in existing files
    return {name: _to_plain(value) for name, value in values.items()}


def read(result: dict | None) -> Health | None:
    """The record of a stored result (`results.read_result`); None if there is no result or it is damaged."""
    result = result or {}
    try:
        curve, heads = result["calibration"], result["heads"]
        return Health(
            labels=tuple(result["labels"]),
            pair=result["pair"],
            figures=Figures.from_dict(result["figures"]),
            accuracy_interval=tuple(result["accuracy_interval"]),
            auc_interval=tuple(result["auc_interval"]),
            predicted_shares=tuple(result["answered"]),
            spread=tuple(result["spread"]),
            calibration=Calibration(**{name: np.asarray(values, np.float64) for name, values in curve.items()}),
            slices=tuple(Slice(**entry) for entry in result["slices"]),
            heads=None if heads is None else _read_heads(heads, result["pair"]),
            cross_fitted=Figures.from_dict(result["cross_fitted"]) if result.get("cross_fitted") else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _read_heads(heads: dict, pair: bool) -> HeadProfile:
    names = [
        name
        for name in STATISTICS
        if (pair or name not in OF_PAIRS) and (name not in _LATER or name in heads["statistics"])
    ]
    return HeadProfile(
        heads["rows"],
        {name: np.asarray(heads["statistics"][name], np.float64) for name in names},
        heads["pair_rows"],
        np.asarray(heads["redundancy"], np.float64),
        {name: float(value) for name, value in heads.get("uniform", {}).items() if name in names},
    )


def _to_plain(value: object) -> object:
    """Arrays and tuples as lists, floats with six digits. NaN, as in empty bins, becomes null when it is written."""
    if isinstance(value, np.ndarray):
        return _to_plain(value.tolist())
    if isinstance(value, dict):
        return {name: _to_plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_plain(item) for item in value]
    return six_digits(value) if isinstance(value, float) else value
