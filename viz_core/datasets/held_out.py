"""Holds out validation from a publisher's train split, without rows whose text train repeats."""

import re
import unicodedata

import numpy as np
import pandas as pd

_NOT_LETTERS_OR_DIGITS = re.compile(r"[\W_]+")


def hold_out(rows: pd.DataFrame, held_out: np.ndarray) -> dict[str, pd.DataFrame]:
    """Split labelled rows into `train`, `validation` and `duplicates`.

    `duplicates` are the held-out rows with a text that also occurs in train, compared as by
    `comparable`; the other held-out rows are validation. The index of each frame is its row
    numbers: from 0 in train, and from 0 in the held-out rows. Validation thus has a gap for every
    duplicate.

    Args:
        rows: The labelled rows.
        held_out: `(N,)`, True for the rows to hold out.
    """
    train, others = (rows[part].reset_index(drop=True) for part in (~held_out, held_out))
    repeated = repeats_text(others, train)
    return {"train": train, "validation": others[~repeated], "duplicates": others[repeated]}


def repeats_text(rows: pd.DataFrame, train: pd.DataFrame) -> np.ndarray:
    """`(N,)`: whether a text of a row (for a pair, either sentence) occurs in train, by `comparable`."""
    columns = [name for name in ("text", "text_b") if name in rows]
    known = {comparable(text) for name in columns for text in train[name]}
    repeated = np.zeros(len(rows), bool)
    for name in columns:
        repeated |= np.array([comparable(text) in known for text in rows[name]], bool)
    return repeated


def comparable(text: str) -> str:
    """The letters and digits of a text in compatibility form (NFKC), without case, for comparison."""
    return _NOT_LETTERS_OR_DIGITS.sub("", unicodedata.normalize("NFKC", text).casefold())
