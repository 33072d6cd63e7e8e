"""Rows of a person's own table: which column is what, what is in them, and how they are split."""

from viz_core.datasets.own.columns import Columns, guess_columns
from viz_core.datasets.own.splits import SPLITS, split_rows
from viz_core.datasets.own.understanding import FEWEST_ROWS, MOST_CLASSES, Understanding, understand

__all__ = [
    "FEWEST_ROWS",
    "MOST_CLASSES",
    "SPLITS",
    "Columns",
    "Understanding",
    "guess_columns",
    "split_rows",
    "understand",
]
