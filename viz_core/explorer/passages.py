"""Inputs of a corpus, each shaded by what one query attends to: packs what `source/passages/` draws."""

from collections.abc import Sequence

import numpy as np

from viz_core.explorer.packed_sides import text_fields, token_fields
from viz_core.explorer.shared import appearance
from viz_core.language import Translator
from viz_core.records import Encoding
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme

DIGITS = 4  # decimals of a weight


def describe_passage(keys: Encoding, weights: np.ndarray, query: str, marked: int | None) -> dict:
    """One input.

    Args:
        keys: Its tokens, N.
        weights: Of the query on each of them, `(N,)`.
        query: Label of the query.
        marked: Index of the query, if it is one of the tokens.

    Raises:
        Failure: If a weight is not finite.
    """
    check_finite(weights)
    values = {"query": query, "marked": marked, "weights": np.asarray(weights, float).round(DIGITS).tolist()}
    return {**token_fields(keys), **text_fields(keys), **values}


def pack_passages(passages: Sequence[dict], say: Translator, theme: Theme) -> dict:
    """All inputs, of `describe_passage`, each also with its `tenth` and its `row`, from 1."""
    return {**appearance(say, theme, "explorer", "passages"), "passages": list(passages)}
