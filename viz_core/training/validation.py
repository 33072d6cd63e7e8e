"""How good a checkpoint is, from the weights as it holds them: every figure is one of the file."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.special import log_softmax

from viz_core.analysis.evaluation import best_threshold, fit_temperature, logits, metrics
from viz_core.checkpoints import Settings
from viz_core.models.encoder import Encoder
from viz_core.records import Examples

_AT_ONCE = 512  # examples; between two such parts an evaluation looks whether it shall stop


def as_shipped(encoder: Encoder) -> Encoder:
    """A copy in eval mode with the weights as a checkpoint holds them, in half precision; nothing random is drawn for it."""
    shipped = copy.deepcopy(encoder).eval()
    shipped.load_state_dict({name: tensor.half().float() for name, tensor in shipped.state_dict().items()})
    return shipped


def validation_scores(encoder: Encoder, examples: Examples, stop: Callable[[], bool]) -> np.ndarray | None:
    """`(N, C)` logits in the order of the examples; None where `stop` says so before they are complete."""
    result = np.zeros((len(examples), encoder.config.classes), np.float32)
    order = np.argsort(examples.lengths, kind="stable")
    for start in range(0, len(order), _AT_ONCE):
        if stop():
            return None
        rows = order[start:start + _AT_ONCE]
        part = Examples([examples.ids[i] for i in rows], [examples.segments[i] for i in rows], examples.labels[rows])
        result[rows] = logits(encoder, part)
    return result


def validation_figures(scores: np.ndarray, labels: np.ndarray) -> dict:
    """As they are while training goes on: not calibrated, the likelier class being the answer."""
    loss = -log_softmax(scores, axis=1)[np.arange(len(labels)), labels].mean()
    return {"validation_loss": float(loss), **metrics(scores, labels, temperature=1.0, threshold=0.5)}


def calibrated(scores: np.ndarray, labels: np.ndarray, settings: Settings, fit_threshold: bool) -> tuple[Settings, dict]:
    """The settings with temperature (and threshold) fitted, and the figures with them."""
    temperature = fit_temperature(scores, labels)
    positive = 1 / (1 + np.exp((scores[:, 0] - scores[:, 1]) / temperature))
    threshold = best_threshold(positive, labels) if fit_threshold else 0.5
    return (replace(settings, temperature=temperature, threshold=threshold),
            {"split": "validation", **metrics(scores, labels, temperature, threshold)})
