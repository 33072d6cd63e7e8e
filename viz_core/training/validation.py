"""Measures a model during training with the weights that its checkpoint stores, so that all figures are those of the file."""

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
    """figures: during training, with the settings of the start.

    Attributes:
        settings: With which the checkpoint is saved.
        saved_figures: With these settings, for `metrics.json`.
    """

    figures: dict
    settings: Settings
    saved_figures: dict


class Validation(Protocol):
    """What an evaluation during training computes, on the validation rows."""

    def __len__(self) -> int:
        """Number of rows."""

    def measure(self, model: Network, settings: Settings, should_stop: Callable[[], bool]) -> Measured:
        """model: in eval mode.

        Raises:
            Stopped: If `should_stop` becomes true before it is complete, and FloatingPointError if
                the model computes no numbers.
        """


@dataclass(frozen=True, eq=False)
class ClassificationValidation:
    """Logits of the validation rows; temperature and, if requested, decision threshold are fitted to them."""

    examples: Examples
    fit_threshold: bool

    def __len__(self) -> int:
        return len(self.examples)

    def measure(self, model: Network, settings: Settings, should_stop: Callable[[], bool]) -> Measured:
        labels = self.examples.labels
        logits = validation_logits(model, self.examples, should_stop)
        if not np.isfinite(logits).all():
            raise FloatingPointError("the logits are not finite")
        figures = validation_figures(logits, labels, settings)
        return Measured(figures, *fit_calibration(logits, labels, settings, self.fit_threshold))


def half_precision_copy(model: Network) -> nn.Module:
    """A copy in eval mode with the weights rounded to half precision, as a checkpoint stores them; draws no random number."""
    model = copy.deepcopy(model).eval()
    model.load_state_dict({name: tensor.half().float() for name, tensor in model.state_dict().items()})
    return model


def stop_check(should_stop: Callable[[], bool]) -> Callable[[int, int], None]:
    """A function of the rows done and of all rows that raises Stopped if `should_stop` is true before the end."""

    def check(done: int, total: int) -> None:
        if done < total and should_stop():
            raise Stopped

    return check


def validation_logits(model: Network, examples: Examples, should_stop: Callable[[], bool]) -> np.ndarray:
    """`(N, C)` logits in the order of the examples.

    Raises:
        Stopped: If `should_stop` becomes true before they are complete.
    """
    check = stop_check(should_stop)
    check(0, len(examples))
    return batched_logits(model, examples.ids, examples.segments, progress=check)


def validation_figures(logits: np.ndarray, labels: np.ndarray, settings: Settings) -> dict:
    """Figures during training, with the temperature and threshold of the start.

    Args:
        logits: `(N, C)`; labels: `(N,)`.
    """
    loss = -calibrate_log(logits, settings.temperature)[np.arange(len(labels)), labels].mean()
    return {
        "validation_loss": float(loss),
        **metrics(logits, labels, settings.temperature, settings.threshold).to_dict(),
    }


def fit_calibration(
    logits: np.ndarray, labels: np.ndarray, settings: Settings, fit_threshold: bool
) -> tuple[Settings, dict]:
    """The settings with fitted temperature (and, for two classes, threshold), and the figures with them.

    Args:
        logits: `(N, C)`; labels: `(N,)`.
    """
    temperature, threshold = fit_temperature(logits, labels), settings.threshold
    if fit_threshold and threshold is not None:
        threshold = best_threshold(calibrate(logits, temperature)[:, -1], labels)
    return (
        replace(settings, temperature=temperature, threshold=threshold),
        {"split": "validation", **metrics(logits, labels, temperature, threshold).to_dict()},
    )
