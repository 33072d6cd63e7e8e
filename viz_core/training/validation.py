"""Measures a model during training with the weights that its checkpoint stores, so that all figures are those of the
file."""

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
    """The evaluation was asked to stop."""


def half_precision_copy(model: nn.Module) -> nn.Module:
    """A copy in eval mode with the weights rounded to half precision, as a checkpoint stores them; draws no random
    number."""
    model = copy.deepcopy(model).eval()
    model.load_state_dict({name: tensor.half().float() for name, tensor in model.state_dict().items()})
    return model


def validation_logits(model: nn.Module, examples: Examples, should_stop: Callable[[], bool]) -> np.ndarray | None:
    """`(N, C)` logits in the order of the examples; None if `should_stop` becomes true before they are complete."""

    def check(done: int, total: int) -> None:
        if done < total and should_stop():
            raise _Stopped

    if should_stop():
        return None
    try:
        return batched_logits(model, examples.ids, examples.segments, progress=check)
    except _Stopped:
        return None


def validation_figures(logits: np.ndarray, labels: np.ndarray, settings: Settings) -> dict:
    """Figures during training, with the temperature and threshold of the start. logits: `(N, C)`; labels: `(N,)`."""
    loss = -calibrate_log(logits, settings.temperature)[np.arange(len(labels)), labels].mean()
    return {
        "validation_loss": float(loss),
        **metrics(logits, labels, settings.temperature, settings.threshold).to_dict(),
    }


def fit_calibration(
    logits: np.ndarray, labels: np.ndarray, settings: Settings, fit_threshold: bool
) -> tuple[Settings, dict]:
    """The settings with fitted temperature (and, for two classes, threshold), and the figures with them.

    logits: `(N, C)`; labels: `(N,)`.
    """
    temperature, threshold = fit_temperature(logits, labels), settings.threshold
    if fit_threshold and threshold is not None:
        threshold = best_threshold(calibrate(logits, temperature)[:, -1], labels)
    return (
        replace(settings, temperature=temperature, threshold=threshold),
        {"split": "validation", **metrics(logits, labels, temperature, threshold).to_dict()},
    )
