"""Packs texts into windows of one length, as language models are trained: no padding, every token is used."""

from collections.abc import Iterable

import numpy as np


def pack(texts: Iterable[np.ndarray], length: int) -> list[np.ndarray]:
    """Cut texts, one after another, into windows of `length` tokens; only the last may be shorter.

    The last token of a window is the first of the next one. A model that predicts the token after
    each thus predicts every token once, except the very first.

    Args:
        texts: Token ids, `(T,)` each.
        length: Tokens of a window, at least 2.
    """
    tokens = np.concatenate([np.empty(0, np.int32), *texts])
    return [tokens[start : start + length] for start in range(0, max(1, len(tokens) - 1), length - 1)]
