"""What a classifier makes of the vectors that it reads: a linear layer, or one more before it, as on top of pre-trained
encoders. Read off after every layer (logit lens) and for the input (inside attention).

Shapes: N vectors, D model width, C classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import nn

from viz_core.analysis.inside.steps import ACTIVATIONS, linear
from viz_core.analysis.inside.streams import numbers
from viz_core.models.classifier import HiddenClassifier, NoClassifier

_ACTIVATIONS = {**ACTIVATIONS, "tanh": np.tanh}


@dataclass(frozen=True, eq=False)
class ClassifierSteps:
    """weight `(C, D)` and bias `(C,)` of the layer that computes the logits `(N, C)`. hidden, activated `(N, D)`: of
    the layer before it, with its activation by name; None, and an empty name, without such a layer."""

    weight: np.ndarray
    bias: np.ndarray
    logits: np.ndarray
    hidden: np.ndarray | None = None
    activated: np.ndarray | None = None
    activation: str = ""


def classify(classifier: nn.Module, pooled: np.ndarray) -> ClassifierSteps:
    """pooled: what the classifier reads, `(N, D)`. Without a classifier C is 0."""
    if isinstance(classifier, NoClassifier):
        return ClassifierSteps(*(np.zeros(shape, np.float32) for shape in ((0, pooled.shape[1]), 0, (len(pooled), 0))))
    if not isinstance(classifier, HiddenClassifier):
        weight, bias = numbers(classifier.weight), numbers(classifier.bias)
        return ClassifierSteps(weight, bias, linear(pooled, weight, bias))
    hidden = linear(pooled, numbers(classifier.hidden.weight), numbers(classifier.hidden.bias))
    activated = _ACTIVATIONS[classifier.activation](hidden)
    weight, bias = numbers(classifier.output.weight), numbers(classifier.output.bias)
    return ClassifierSteps(weight, bias, linear(activated, weight, bias), hidden, activated, classifier.activation)
