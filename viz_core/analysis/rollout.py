"""Where does what stands at a position come from, when attention is followed down through all layers?

Rollout: Abnar and Zuidema 2020, "Quantifying Attention Flow in Transformers", section 3, https://arxiv.org/abs/2005.00928.
"""

from __future__ import annotations

import numpy as np


def rollout(attention: np.ndarray) -> np.ndarray:
    """`(T, T)` of attention `(L, H, T, T)`; row = the position after the last layer, column = the token it comes from.

    In each layer half of a position comes from itself, along the residual connection, and half through the mean of the
    heads. The first layer stands on the right: A_L … A_2 A_1. Rows sum to 1, as those of attention do.
    """
    T = attention.shape[-1]
    followed = np.eye(T, dtype=np.float32)
    for layer in attention:
        followed = (0.5 * layer.mean(0) + 0.5 * np.eye(T, dtype=np.float32)) @ followed
    return followed


def classifier_row(matrix: np.ndarray, pooling: str) -> np.ndarray:
    """The row `(T,)` of a matrix `(T, T)` that the classifier reads: of [CLS], or the mean of all rows."""
    return matrix[0] if pooling == "cls" else matrix.mean(0)
