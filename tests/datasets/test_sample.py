"""The corpus that ships with the project: large enough, balanced, and nothing of train in what it is judged by."""

from __future__ import annotations

import pandas as pd
import pytest

from viz_core.datasets.sample import read_sample

COLUMNS = {"imdb": ["text", "label"], "afqmc": ["text", "text_b", "label"]}
SPLITS = ("train", "validation", "test")


@pytest.fixture(params=list(COLUMNS))
def task(request):
    return request.param


def splits(task: str) -> dict[str, pd.DataFrame]:
    return {split: read_sample(task, split) for split in SPLITS}


def test_has_at_least_400_rows_in_the_columns_of_the_real_corpus(task):
    frames = splits(task)
    assert sum(map(len, frames.values())) >= 400
    assert all(list(frame) == COLUMNS[task] for frame in frames.values())
    assert read_sample(task, "unlabelled").empty


def test_classes_are_balanced_in_every_split(task):
    for frame in splits(task).values():
        assert frame["label"].value_counts().to_dict() == {0: len(frame) / 2, 1: len(frame) / 2}


def test_no_row_is_empty_or_occurs_twice(task):
    rows = pd.concat(splits(task))
    texts = rows[COLUMNS[task][:-1]]
    assert not texts.duplicated().any()
    assert texts.map(lambda text: bool(text.strip())).all(axis=None)
    if task == "afqmc":
        assert (rows["text"] != rows["text_b"]).all()


def test_no_text_of_train_occurs_in_the_held_out_splits(task):
    sets = {split: set().union(*(frame[column] for column in COLUMNS[task][:-1])) for split, frame in splits(task).items()}
    assert not sets["train"] & sets["validation"]
    assert not sets["train"] & sets["test"]
    assert not sets["validation"] & sets["test"]


def test_reading_hands_out_a_copy(task):
    frame = read_sample(task, "train")
    frame["label"] = -1
    assert set(read_sample(task, "train")["label"]) == {0, 1}
