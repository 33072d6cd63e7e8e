"""The numbers behind the pictures, as files."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import pandas as pd

from viz_core.records import AttentionMap, Attribution, Explanation, HeadImportance, PruneCurve, TokenWeights


def map_csv(attention: AttentionMap) -> str:
    """A heat map as CSV: one line per query, one column per key, both numbered from 1 since tokens repeat."""
    frame = pd.DataFrame(attention.weights, index=_numbered(attention.queries), columns=_numbered(attention.keys))
    return _csv(frame, "query \\ key")


def weights_csv(weights: TokenWeights) -> str:
    """One line per token or word: the label, numbered from 1, and its weight."""
    frame = pd.DataFrame({"weight": weights.weights}, index=_numbered(weights.labels))
    return _csv(frame, "token")


def attributions_csv(attributions: Sequence[Attribution]) -> str:
    """One line per token, special ones too: the label, numbered from 1, and the value that each method gives it."""
    frame = pd.DataFrame({one.method: one.values for one in attributions}, index=_numbered(attributions[0].labels))
    return _csv(frame, "token")


def explanation_npz(explanation: Explanation) -> bytes:
    """All arrays of an explanation, named as in the records, and its model, task, texts, tokens and labels. Of more than two
    classes the threshold is NaN."""
    encoding, file = explanation.encoding, io.BytesIO()
    np.savez_compressed(
        file,
        model=explanation.model,
        task=explanation.task,
        pooling=explanation.pooling,
        attention=explanation.attention,
        probabilities=explanation.probabilities,
        labels=np.array(explanation.labels),
        threshold=np.nan if explanation.threshold is None else explanation.threshold,
        texts=np.array(encoding.texts),
        tokens=np.array(encoding.tokens),
        ids=encoding.ids,
        segments=encoding.segments,
        offsets=encoding.offsets,
        words=encoding.words,
        special=encoding.special,
        unknown=encoding.unknown,
    )
    return file.getvalue()


def importance_csv(importance: HeadImportance) -> str:
    """One line per head: what changes without it with both ends of the interval, and its Taylor scores."""
    found = {
        f"{measure}_{part}": values
        for measure in ("accuracy", "loss")
        for part, values in zip(
            ("change", "low", "high"),
            (getattr(importance, f"{measure}_change"), *np.moveaxis(getattr(importance, f"{measure}_interval"), -1, 0)),
            strict=True,
        )
    }
    found |= {"taylor": importance.taylor, "taylor_per_layer": importance.taylor_per_layer}
    names = [f"{layer + 1}.{head + 1}" for layer, head in np.ndindex(importance.taylor.shape)]
    return _csv(pd.DataFrame({name: np.ravel(values) for name, values in found.items()}, index=names), "head")


def prune_csv(curve: PruneCurve) -> str:
    """One line per number of masked heads: accuracy and loss, the least important first and in each random order."""
    found = {measure: getattr(curve, measure) for measure in ("accuracy", "loss")}
    found |= {
        f"random_{measure}_{number}": values
        for measure in ("accuracy", "loss")
        for number, values in enumerate(getattr(curve, f"random_{measure}"), 1)
    }
    return _csv(pd.DataFrame(found, index=curve.masked), "masked")


def _csv(frame: pd.DataFrame, corner: str) -> str:
    # Lines end as RFC 4180 wants it, on every system; only then is a cell with a carriage return put in quotes, too.
    return frame.to_csv(index_label=corner, float_format="%.6f", lineterminator="\r\n")


def _numbered(labels: tuple[str, ...]) -> list[str]:
    # The number also keeps a spreadsheet from running a token such as =1+1 as a formula.
    return [f"{number} {label}" for number, label in enumerate(labels, 1)]
