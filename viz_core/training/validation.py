"""Measures a model during training with the weights that its checkpoint stores.

All figures are therefore those of the file.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from torch import nn

from viz_core.analysis.evaluation.metrics import best_threshold, fit_temperature, metrics
from viz_core.checkpoints import Settings
from viz_core.models.batch import batched_logits
from viz_core.models.protocol import Network
from viz_core.records import Examples, calibrate, calibrate_log


class Stopped(Exception):
    """The evaluation was asked to stop."""


class Measured(NamedTuple):
    """The result of an evaluation.

    Attributes:
        figures: Figures during training, with the settings of the start.
        settings: Settings with which the checkpoint is saved.
        saved_figures: Figures with these settings, for `metrics.json`.
    """

    figures: dict
    settings: Settings
    saved_figures: dict


class Validation(Protocol):
    """What an evaluation during training computes on the validation rows."""

    def __len__(self) -> int:
        """Number of rows."""

    def measure(self, model: Network, settings: Settings, should_stop: Callable[[], bool]) -> Measured:
        """Measure a model.

        Args:
            model: The model, in eval mode.
            settings: The settings of the start.
            should_stop: Whether to stop.

        Raises:
            Stopped: If `should_stop` becomes true before the measurement is complete.
            FloatingPointError: If the model computes no numbers.
        """


@dataclass(frozen=True, eq=False)
class ClassificationValidation:
    """Logits of the validation rows, to which temperature and, if requested, threshold are fitted."""

    examples: Examples
    fit_threshold: bool

    def __len__(self) -> int:
        return len(self.examples)

    def measure(self, model: Network, settings: Settings, should_stop: Callable[[], bool]) -> Measured:
        """Measure a model on the validation rows."""
        labels = self.examples.labels
        logits = validation_logits(model, self.examples, should_stop)
        if not np.isfinite(logits).all():
            raise FloatingPointError("the logits are not finite")
        figures = validation_figures(logits, labels, settings)
        return Measured(figures, *fit_calibration(logits, labels, settings, self.fit_threshold))


def half_precision_copy(model: Network) -> nn.Module:
    """Copy a model in eval mode, with weights rounded to half precision as a checkpoint stores them.

    Draws no random number.
    """
    model = copy.deepcopy(model).eval()
    model.load_state_dict({name: tensor.half().float() for name, tensor in model.state_dict().items()})
    return model


def stop_check(should_stop: Callable[[], bool]) -> Callable[[int, int], None]:
    """A function of (rows done, all rows) that raises Stopped if `should_stop` is true before the end."""

    def check(done: int, total: int) -> None:
        if done < total and should_stop():
            raise Stopped

    return check


def validation_logits(model: Network, examples: Examples, should_stop: Callable[[], bool]) -> np.ndarray:
    """Logits `(N, C)` in the order of the examples.

    Raises:
        Stopped: If `should_stop` becomes true before they are complete.
    """
    check = stop_check(should_stop)
    check(0, len(examples))
    return batched_logits(model, examples.ids, examples.segments, progress=check)


def validation_figures(logits: np.ndarray, labels: np.ndarray, settings: Settings) -> dict:
    """Figures during training, with the temperature and threshold of the start.

    Args:
        logits: `(N, C)`.
        labels: `(N,)`.
        settings: The settings of the start.
    """
    loss = -calibrate_log(logits, settings.temperature)[np.arange(len(labels)), labels].mean()
    return {
        "validation_loss": float(loss),
        **metrics(logits, labels, settings.temperature, settings.threshold).to_dict(),
    }


def fit_calibration(
    logits: np.ndarray, labels: np.ndarray, settings: Settings, fit_threshold: bool
) -> tuple[Settings, dict]:
    """Fit temperature and, for two classes, the threshold.

    Args:
        logits: `(N, C)`.
        labels: `(N,)`.
        settings: The settings of the start.
        fit_threshold: Whether to fit the threshold, too.

    Returns:
        The fitted settings, and the figures with them.
    """
    temperature, threshold = fit_temperature(logits, labels), settings.threshold
    if fit_threshold and threshold is not None:
        threshold = best_threshold(calibrate(logits, temperature)[:, -1], labels)
    return (
        replace(settings, temperature=temperature, threshold=threshold),
        {"split": "validation", **metrics(logits, labels, temperature, threshold).to_dict()},
    )
