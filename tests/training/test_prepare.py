"""From a corpus to token ids: once, and only the rows that are asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tokenizers import Tokenizer

from viz_core.datasets import corpus
from viz_core.recipes import Recipe
from viz_core.records import Examples, Failure
from viz_core.tasks import TASKS
from viz_core.training import prepare as module
from viz_core.training.prepare import Prepared, concatenate, fingerprint, prepare, subset, swap_sentences


def same(one: Examples, other: Examples) -> bool:
    return (
        len(one) == len(other)
        and (one.labels == other.labels).all()
        and all(
            np.array_equal(a, b) and a.dtype == b.dtype
            for a, b in zip(one.ids + one.segments, other.ids + other.segments, strict=True)
        )
    )


def cached() -> list:
    return sorted((corpus.PROJECT / "data" / "cache").glob("tokens-*"))


@pytest.mark.parametrize("task, unlabelled", [("imdb", False), ("afqmc", True)])
def test_what_is_kept_is_what_was_made(monkeypatch, task, unlabelled):
    made = prepare(TASKS[task], "sample", unlabelled)
    assert len(cached()) == 1
    monkeypatch.setattr(Tokenizer, "train_from_iterator", None)  # a second time would need it
    kept = prepare(TASKS[task], "sample", unlabelled)
    assert all(same(getattr(made, split), getattr(kept, split)) for split in ("train", "validation", "unlabelled"))
    for text in ("A good film [SEP] indeed.", "花呗 A"):
        assert made.text.encode(text).ids.tolist() == kept.text.encode(text).ids.tolist()
    assert (made.text.vocabulary, made.text.max_tokens) == (kept.text.vocabulary, kept.text.max_tokens)
    assert fingerprint(made.train) == fingerprint(kept.train)


def test_ids_are_those_of_the_task(tmp_path):
    task = TASKS["afqmc"]
    prepared = prepare(task, "sample")
    assert same(prepared.validation, task.examples(task.read("validation", "sample"), prepared.text))
    assert len(prepared.unlabelled) == 0


def test_other_texts_get_tokens_of_their_own(monkeypatch):
    task = TASKS["imdb"]
    prepare(task, "sample")
    prepare(replace(task, max_tokens=32), "sample")
    read = type(task).read
    monkeypatch.setattr(type(task), "read", lambda self, split, data: read(self, split, data).iloc[1:])
    prepare(task, "sample")
    assert len(cached()) == 3


@pytest.mark.parametrize("damage", [lambda file: file.write_bytes(b"?"), lambda file: file.unlink()])
def test_what_is_damaged_or_gone_is_made_again(damage):
    made = prepare(TASKS["imdb"], "sample")
    damage(cached()[0])
    assert same(prepare(TASKS["imdb"], "sample").train, made.train) and len(cached()) == 1


def test_a_full_disk_does_not_matter(monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "save_file", full)
    assert len(prepare(TASKS["imdb"], "sample").train) == 384
    assert cached() == []


def test_a_corpus_that_is_not_at_hand_is_a_failure():
    with pytest.raises(Failure) as failure:
        prepare(TASKS["afqmc"], "full")
    assert failure.value.message.key == "training.no_data"


def test_validation_rows_of_one_class_measure_nothing():
    with pytest.raises(Failure) as failure:
        subset(prepare(TASKS["imdb"], "sample"), Recipe(validation_rows=1))
    assert (failure.value.message.key, failure.value.message.values) == ("training.one_class", {"rows": 1})


@pytest.mark.parametrize(
    "recipe, train, validation, unlabelled",
    [
        (Recipe(), 100, 40, 60),
        (Recipe(share=0.25), 25, 40, 15),
        (Recipe(train_rows=30), 30, 40, 60),
        (Recipe(share=0.25, train_rows=30), 25, 40, 15),
        (Recipe(share=0.5, train_rows=30), 30, 40, 30),
        (Recipe(train_rows=10_000, validation_rows=20), 100, 20, 60),
        (Recipe(share=1e-9), 1, 40, 0),
    ],
)
def test_so_many_rows_are_left(recipe, train, validation, unlabelled):
    def numbered(count: int) -> Examples:
        return Examples([np.array([i]) for i in range(count)], [np.array([0])] * count, np.arange(count))

    whole = Prepared(None, numbered(100), numbered(40), numbered(60))
    found = subset(whole, recipe)
    assert (len(found.train), len(found.validation), len(found.unlabelled)) == (train, validation, unlabelled)
    assert (
        found.train.labels.tolist()
        == [int(row[0]) for row in found.train.ids]
        == sorted(set(found.train.labels.tolist()))
    )
    assert same(subset(whole, recipe).train, found.train)
    if train == 25:
        assert not np.array_equal(subset(whole, replace(recipe, seed=1)).train.labels, found.train.labels)
        assert found.train.labels.max() > 50, "drawn from all of them, not the first"


def test_swapped_pair_by_hand():
    #                      CLS  a  b SEP  c SEP
    pairs = Examples([np.array([2, 7, 8, 3, 9, 3], np.int32)], [np.array([0, 0, 0, 0, 1, 1], np.int8)], np.array([1]))
    other = swap_sentences(pairs)
    assert other.ids[0].tolist() == [2, 9, 3, 7, 8, 3]
    assert other.segments[0].tolist() == [0, 0, 0, 1, 1, 1]
    assert other.labels.tolist() == [1]
    assert swap_sentences(other).ids[0].tolist() == pairs.ids[0].tolist()
    assert concatenate(pairs, other).labels.tolist() == [1, 1]


def test_swapping_reads_as_if_the_sentences_had_been_typed_the_other_way_round():
    task = TASKS["afqmc"]
    frame = task.read("train", "sample").head(20)
    text = task.text_encoder(task.build_tokenizer(task.texts(frame), task.max_tokens))
    other = task.examples(frame.rename(columns={"text": "text_b", "text_b": "text"}), text)
    ours = swap_sentences(task.examples(frame, text))
    for row, expected in zip(ours.ids + ours.segments, other.ids + other.segments, strict=True):
        assert row.tolist() == expected.tolist()
