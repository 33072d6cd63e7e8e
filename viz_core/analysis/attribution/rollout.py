"""Attention rollout: which input tokens contribute to a position when attention is followed through all layers?

Abnar and Zuidema 2020, "Quantifying Attention Flow in Transformers", section 3, https://arxiv.org/abs/2005.00928.
"""

from __future__ import annotations

import numpy as np


def rollout(attention: np.ndarray) -> np.ndarray:
    """`(T, T)` from attention `(L, H, T, T)`; row = position after the last layer, column = input token.

    Each layer contributes half the identity, for the residual connection, and half the mean over heads. The product is
    A_L … A_2 A_1, with the first layer on the right. Rows sum to 1.
    """
    T = attention.shape[-1]
    product = np.eye(T, dtype=np.float32)
    for layer in attention:
        product = (0.5 * layer.mean(0) + 0.5 * np.eye(T, dtype=np.float32)) @ product
    return product


def classifier_row(matrix: np.ndarray, pooling: str) -> np.ndarray:
    """The row `(T,)` of a matrix `(T, T)` that the classifier reads: that of [CLS], or the mean over all rows."""
    return matrix[0] if pooling == "cls" else matrix.mean(0)
