"""How good a checkpoint is, from the weights as it holds them: every figure is one of the file."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from torch import nn

from viz_core.analysis.evaluation import best_threshold, fit_temperature, metrics
from viz_core.checkpoints import Settings
from viz_core.models.batch import batched_logits
from viz_core.records import Examples, calibrate, calibrate_log


class _Stopped(Exception):
    """Somebody has asked the evaluation to stop."""


def as_shipped(model: nn.Module) -> nn.Module:
    """A copy in eval mode with the weights as a checkpoint holds them, in half precision; nothing random is drawn for it."""
    shipped = copy.deepcopy(model).eval()
    shipped.load_state_dict({name: tensor.half().float() for name, tensor in shipped.state_dict().items()})
    return shipped


def validation_scores(model: nn.Module, examples: Examples, stop: Callable[[], bool]) -> np.ndarray | None:
    """`(N, C)` logits in the order of the examples; None where `stop` says so before they are complete."""

    def look(done: int, total: int) -> None:
        if done < total and stop():
            raise _Stopped

    if stop():
        return None
    try:
        return batched_logits(model, examples.ids, examples.segments, progress=look)
    except _Stopped:
        return None


def validation_figures(scores: np.ndarray, labels: np.ndarray, settings: Settings) -> dict:
    """As they are while training goes on, with the temperature and the threshold that the training began with."""
    loss = -calibrate_log(scores, settings.temperature)[np.arange(len(labels)), labels].mean()
    return {
        "validation_loss": float(loss),
        **metrics(scores, labels, settings.temperature, settings.threshold).to_dict(),
    }


def calibrated(
    scores: np.ndarray, labels: np.ndarray, settings: Settings, fit_threshold: bool
) -> tuple[Settings, dict]:
    """The settings with temperature (and, of two classes, threshold) fitted, and the figures with them."""
    temperature, threshold = fit_temperature(scores, labels), settings.threshold
    if fit_threshold and threshold is not None:
        threshold = best_threshold(calibrate(scores, temperature)[:, -1], labels)
    return (
        replace(settings, temperature=temperature, threshold=threshold),
        {"split": "validation", **metrics(scores, labels, temperature, threshold).to_dict()},
    )
