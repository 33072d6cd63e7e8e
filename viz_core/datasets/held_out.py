"""Holds out validation from a publisher's train split, so that no text of it is trained on."""

import re
import unicodedata

import numpy as np
import pandas as pd

_NOT_LETTERS_OR_DIGITS = re.compile(r"[\W_]+")


def hold_out(rows: pd.DataFrame, held_out: np.ndarray, unlabelled: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Split labelled rows into `train`, `validation` and `duplicates`; leave out rows of `unlabelled`.

    `duplicates` are the held-out rows with a text that also occurs in train, compared as by
    `comparable`; the other held-out rows are validation. The index of each frame is its row
    numbers: from 0 in train, and from 0 in the held-out rows. Validation thus has a gap for every
    duplicate. `unlabelled` is left without the rows that have a text of validation, because
    teachers label it and encoders are pre-trained on it.

    Args:
        rows: The labelled rows.
        held_out: `(N,)`, True for the rows to hold out.
        unlabelled: The unlabelled rows.
    """
    train, others = (rows[part].reset_index(drop=True) for part in (~held_out, held_out))
    repeated = repeats_text(others, train)
    validation = others[~repeated]
    unlabelled = unlabelled[~repeats_text(unlabelled, validation)].reset_index(drop=True)
    return {"train": train, "validation": validation, "duplicates": others[repeated], "unlabelled": unlabelled}


def repeats_text(rows: pd.DataFrame, others: pd.DataFrame) -> np.ndarray:
    """`(N,)`: whether a text of a row (for a pair, either sentence) occurs in others, by `comparable`."""
    columns = [name for name in ("text", "text_b") if name in rows]
    known = {comparable(text) for name in columns for text in others[name]}
    repeated = np.zeros(len(rows), bool)
    for name in columns:
        repeated |= np.array([comparable(text) in known for text in rows[name]], bool)
    return repeated


def comparable(text: str) -> str:
    """The letters and digits of a text in compatibility form (NFKC), without case, for comparison."""
    return _NOT_LETTERS_OR_DIGITS.sub("", unicodedata.normalize("NFKC", text).casefold())
