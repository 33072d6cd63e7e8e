"""Carves validation out of a publisher's train split, without the rows that repeat a text of what remains."""

import re
import unicodedata

import numpy as np
import pandas as pd

_NOT_LETTERS_OR_DIGITS = re.compile(r"[\W_]+")


def hold_out(rows: pd.DataFrame, held_out: np.ndarray) -> dict[str, pd.DataFrame]:
    """`train`, `validation` and `duplicates` of labelled rows.

    Args:
        held_out: `(N,)`, True for the rows held out from train; those with a text that also occurs
            in train, compared as by `comparable`, are `duplicates`, the others validation. The
            index of each frame is its row numbers: train's from 0, and those of the held-out rows
            from 0, so that validation keeps its numbers, with a gap for every duplicate.
    """
    train, others = (rows[part].reset_index(drop=True) for part in (~held_out, held_out))
    repeated = repeats_text(others, train)
    return {"train": train, "validation": others[~repeated], "duplicates": others[repeated]}


def repeats_text(rows: pd.DataFrame, train: pd.DataFrame) -> np.ndarray:
    """`(N,)`: whether a row has a text (of a pair, either sentence) that occurs in train, compared by `comparable`."""
    columns = [name for name in ("text", "text_b") if name in rows]
    known = {comparable(text) for name in columns for text in train[name]}
    repeated = np.zeros(len(rows), bool)
    for name in columns:
        repeated |= np.array([comparable(text) in known for text in rows[name]], bool)
    return repeated


def comparable(text: str) -> str:
    """The letters and digits of a text, in compatibility form (NFKC) and without case: equal for equal contents."""
    return _NOT_LETTERS_OR_DIGITS.sub("", unicodedata.normalize("NFKC", text).casefold())
