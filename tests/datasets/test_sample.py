"""The sample corpora: size, balance, and no overlap of train with validation and test."""

import json

import pandas as pd
import pytest

from viz_core.datasets import sample
from viz_core.datasets.held_out import comparable
from viz_core.datasets.sample import read_sample
from viz_core.tasks import TRANSLATION, all_tasks, get_task

COLUMNS = {"imdb": ["text", "label"], "afqmc": ["text", "text_b", "label"], "thucnews": ["text", "label"]}
SPLITS = ("train", "validation", "test")


@pytest.fixture(params=list(COLUMNS))
def task(request):
    return request.param


def splits(task: str) -> dict[str, pd.DataFrame]:
    return {split: get_task(task).read(split, "sample") for split in SPLITS}


def test_sample_has_at_least_400_rows_with_the_columns_of_the_real_corpus(task):
    frames = splits(task)
    assert sum(map(len, frames.values())) >= 400
    assert all(list(frame) == COLUMNS[task] for frame in frames.values())
    assert get_task(task).read("unlabelled", "sample").empty


def test_classes_are_balanced_in_every_split(task):
    for frame in splits(task).values():
        classes = range(len(get_task(task).labels))
        assert frame["label"].value_counts().to_dict() == {label: len(frame) / len(classes) for label in classes}


def test_no_row_is_empty_or_occurs_twice(task):
    rows = pd.concat(splits(task))
    texts = rows[COLUMNS[task][:-1]]
    assert not texts.duplicated().any()
    assert texts.map(lambda text: bool(text.strip())).all(axis=None)
    if task == "afqmc":
        assert (rows["text"] != rows["text_b"]).all()


def test_no_text_of_train_occurs_in_the_held_out_splits(task):
    sets = {
        split: set().union(*(frame[column] for column in COLUMNS[task][:-1])) for split, frame in splits(task).items()
    }
    assert not sets["train"] & sets["validation"]
    assert not sets["train"] & sets["test"]
    assert not sets["validation"] & sets["test"]


def test_each_read_returns_a_copy(task):
    frame = get_task(task).read("train", "sample")
    frame["label"] = -1
    assert set(get_task(task).read("train", "sample")["label"]) == set(range(len(get_task(task).labels)))


def test_labels_are_names_or_numbers_of_classes(tmp_path, monkeypatch):
    """Of every ten rows of a class the ninth is validation and the tenth is test."""
    monkeypatch.setattr(sample, "FOLDER", tmp_path)
    classes = ["bad", "2", "good", 0]  # 0 is bad, 2 is good
    rows = [{"sentence1": f"a{i}", "sentence2": f"b{i}", "label": classes[i % 4]} for i in range(40)]
    for number in range(2):
        lines = [json.dumps(row) + "\n" for row in rows[20 * number : 20 * (number + 1)]]
        (tmp_path / f"{number}.jsonl").write_text("".join(lines), encoding="utf-8")

    def split(name):
        return read_sample(("0.jsonl", "1.jsonl"), ("bad", "neither", "good"), name)

    assert list(split("train")) == ["text", "text_b", "label"] and str(split("train")["label"].dtype) == "int8"
    assert split("train")["text"].tolist()[:3] == ["a0", "a1", "a2"] and len(split("train")) == 32
    assert split("validation")["text"].tolist() == ["a16", "a17", "a36", "a37"]
    assert split("test")["text_b"].tolist() == ["b18", "b19", "b38", "b39"]
    assert split("test")["label"].tolist() == [2, 0, 2, 0]


@pytest.mark.parametrize("task", all_tasks(TRANSLATION).values(), ids=list(all_tasks(TRANSLATION)))
def test_pairs_to_translate_have_no_sentence_twice(task):
    frames = {split: task.read(split, "sample") for split in SPLITS}
    assert {split: len(frame) for split, frame in frames.items()} == {"train": 320, "validation": 40, "test": 40}
    assert task.read("unlabelled", "sample").empty
    pairs = pd.concat(frames.values())
    assert list(pairs) == ["text", "text_b"]
    for column in pairs:
        assert pairs[column].map(comparable).is_unique and pairs[column].map(len).between(4, 90).all()
    assert pairs["text"].str.contains("[一-龥]").all() and pairs["text_b"].str.fullmatch(r"[A-Za-z ',.;:?!-]+").all()
