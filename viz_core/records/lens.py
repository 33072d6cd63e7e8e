"""What a model would have predicted after each of its layers.

Shapes: L layers, C classes, T positions of a translation. Row 0 is what the first layer reads, row L the last layer.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class ClassLens:
    """labels: names of the classes. logits, probabilities: `(L + 1, C)`, calibrated; the last row is the prediction."""

    labels: tuple[str, ...]
    logits: np.ndarray
    probabilities: np.ndarray


@dataclass(frozen=True, eq=False)
class TokenLens:
    """Of every position of a translation. read, outputs: the token that it reads, and the one that is produced, T each.

    likeliest: after each layer the likeliest next token, L + 1 tuples of T. probabilities, ranks: of the output,
    `(L + 1, T)`; rank 1 is the likeliest.
    """

    read: tuple[str, ...]
    outputs: tuple[str, ...]
    likeliest: tuple[tuple[str, ...], ...]
    probabilities: np.ndarray
    ranks: np.ndarray
