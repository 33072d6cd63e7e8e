"""Which column is the text and which the label, guessed from names and contents."""

import pandas as pd
import pytest

from viz_core.datasets.own import Columns, guess_columns
from viz_core.records import Failure

TEXTS = [f"sentence number {number} about something" for number in range(6)]
LABELS = ["a", "b"] * 3


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"text": TEXTS, "label": LABELS}, Columns("text", "label")),
        ({"Label": LABELS, "Review": TEXTS}, Columns("Review", "Label")),
        ({"id": list("123456"), "评论": TEXTS, "情感": LABELS}, Columns("评论", "情感")),
        ({"x1": LABELS, "words": TEXTS}, Columns("words", "x1")),
        ({"sentence1": TEXTS, "sentence2": TEXTS, "label": LABELS}, Columns("sentence1", "label", "sentence2")),
        ({"text_a": TEXTS, "text_b": TEXTS, "y": LABELS}, Columns("text_a", "y", "text_b")),
        ({"premise": TEXTS, "hypothesis": TEXTS, "gold": LABELS}, Columns("premise", "gold", "hypothesis")),
        ({"句子1": TEXTS, "句子2": TEXTS, "标签": LABELS}, Columns("句子1", "标签", "句子2")),
        (
            {"text": TEXTS, "label": LABELS, "split": ["train", "dev", "test"] * 2},
            Columns("text", "label", "", "split"),
        ),
        ({"text": TEXTS, "label": LABELS, "split": list("uvwxyz")}, Columns("text", "label")),
    ],
)
def test_columns_are_guessed(columns, expected):
    assert guess_columns(pd.DataFrame(columns)) == expected


def test_one_column_is_refused():
    with pytest.raises(Failure, match="own.one_column"):
        guess_columns(pd.DataFrame({"text": TEXTS}))


@pytest.mark.parametrize(
    ("columns", "key"),
    [(Columns("text", "nowhere"), "own.no_column"), (Columns("text", "label", "text"), "own.column_twice")],
)
def test_columns_that_do_not_fit_are_refused(columns, key):
    with pytest.raises(Failure, match=key):
        columns.check(pd.DataFrame({"text": TEXTS, "label": LABELS}))
