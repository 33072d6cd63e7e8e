"""The numbers behind the pictures, as files."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd

from viz_core.records import AttentionMap, Explanation, TokenWeights


def map_csv(attention: AttentionMap) -> str:
    """A heat map as CSV: one line per query, one column per key, both numbered from 1 since tokens repeat."""
    frame = pd.DataFrame(attention.weights, index=_numbered(attention.queries), columns=_numbered(attention.keys))
    return frame.to_csv(index_label="query \\ key", float_format="%.6f")


def weights_csv(weights: TokenWeights) -> str:
    """One line per token or word: the label, numbered from 1, and its weight."""
    frame = pd.DataFrame({"weight": weights.weights}, index=_numbered(weights.labels))
    return frame.to_csv(index_label="token", float_format="%.6f")


def explanation_npz(explanation: Explanation) -> bytes:
    """Everything of an explanation: attention `(L, H, T, T)`, tokens, ids, segments, offsets, words, probabilities."""
    encoding, file = explanation.encoding, io.BytesIO()
    np.savez_compressed(
        file, attention=explanation.attention, probabilities=explanation.probabilities,
        labels=np.array(explanation.labels), threshold=explanation.threshold, texts=np.array(encoding.texts),
        tokens=np.array(encoding.tokens), ids=encoding.ids, segments=encoding.segments, offsets=encoding.offsets,
        words=encoding.words, special=encoding.special, unknown=encoding.unknown)
    return file.getvalue()


def _numbered(labels: tuple[str, ...]) -> list[str]:
    # The number also keeps a spreadsheet from running a token such as =1+1 as a formula.
    return [f"{number} {label}" for number, label in enumerate(labels, 1)]
