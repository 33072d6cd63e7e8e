"""From a corpus to cached token ids, and the rows of it that a recipe uses."""

from dataclasses import replace

import numpy as np
import pytest
from tokenizers import Tokenizer

from viz_core.datasets import corpus
from viz_core.recipes import Recipe
from viz_core.records import Examples, Failure
from viz_core.tasks import get_task
from viz_core.training import prepare as module
from viz_core.training.prepare import Prepared, concatenate, fingerprint, prepare, subset, swap_sentences


def same(first: Examples, second: Examples) -> bool:
    rows = zip(first.ids + first.segments, second.ids + second.segments, strict=True)
    return (
        len(first) == len(second)
        and (first.labels == second.labels).all()
        and all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in rows)
    )


def cache_files() -> list:
    return sorted((corpus.PROJECT / "data" / "cache").glob("tokens-*"))


@pytest.mark.parametrize("task, unlabelled", [("imdb", False), ("afqmc", True)])
def test_the_cache_returns_what_was_tokenised(monkeypatch, task, unlabelled):
    computed = prepare(get_task(task), "sample", unlabelled)
    assert len(cache_files()) == 1
    monkeypatch.setattr(Tokenizer, "train_from_iterator", None)  # tokenising again would need it
    cached = prepare(get_task(task), "sample", unlabelled)
    assert all(
        same(getattr(computed, split), getattr(cached, split)) for split in ("train", "validation", "unlabelled")
    )
    for text in ("A good film [SEP] indeed.", "花呗 A"):
        assert computed.text.encode(text).ids.tolist() == cached.text.encode(text).ids.tolist()
    assert (computed.text.vocabulary, computed.text.max_tokens) == (cached.text.vocabulary, cached.text.max_tokens)
    assert fingerprint(computed.train) == fingerprint(cached.train)


def test_ids_are_those_of_the_task(tmp_path):
    task = get_task("afqmc")
    prepared = prepare(task, "sample")
    assert same(prepared.validation, task.examples(task.read("validation", "sample"), prepared.text))
    assert len(prepared.unlabelled) == 0


def test_other_texts_have_a_cache_file_of_their_own(monkeypatch):
    task = get_task("imdb")
    prepare(task, "sample")
    prepare(replace(task, max_tokens=32), "sample")
    read = type(task).read
    monkeypatch.setattr(type(task), "read", lambda self, split, data: read(self, split, data).iloc[1:])
    prepare(task, "sample")
    assert len(cache_files()) == 3


@pytest.mark.parametrize("damage", [lambda file: file.write_bytes(b"?"), lambda file: file.unlink()])
def test_a_damaged_or_missing_cache_file_is_written_again(damage):
    computed = prepare(get_task("imdb"), "sample")
    damage(cache_files()[0])
    assert same(prepare(get_task("imdb"), "sample").train, computed.train) and len(cache_files()) == 1


def test_without_room_for_the_cache_it_is_prepared_all_the_same(monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "save_file", full)
    assert len(prepare(get_task("imdb"), "sample").train) == 384
    assert cache_files() == []


def test_a_missing_corpus_is_a_failure():
    with pytest.raises(Failure) as failure:
        prepare(get_task("afqmc"), "full")
    assert failure.value.message.key == "training.no_data"


def test_validation_rows_of_a_single_class_are_refused():
    with pytest.raises(Failure) as failure:
        subset(prepare(get_task("imdb"), "sample"), Recipe(validation_rows=1))
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
        (Recipe(unlabelled_rows=20), 100, 40, 20),
        (Recipe(share=0.25, unlabelled_rows=20), 25, 40, 15),
    ],
)
def test_a_recipe_uses_its_share_of_the_rows(recipe, train, validation, unlabelled):
    def number_rows(count: int) -> Examples:
        return Examples([np.array([i]) for i in range(count)], [np.array([0])] * count, np.arange(count))

    whole = Prepared(None, number_rows(100), number_rows(40), number_rows(60))
    used = subset(whole, recipe)
    assert (len(used.train), len(used.validation), len(used.unlabelled)) == (train, validation, unlabelled)
    labels = used.train.labels.tolist()
    assert labels == [int(row[0]) for row in used.train.ids] == sorted(set(labels))
    assert same(subset(whole, recipe).train, used.train)
    if train == 25:
        assert not np.array_equal(subset(whole, replace(recipe, seed=1)).train.labels, used.train.labels)
        assert used.train.labels.max() > 50, "drawn from all rows, not the first"


def test_swapped_pair_by_hand():
    #                      CLS  a  b SEP  c SEP
    pairs = Examples([np.array([2, 7, 8, 3, 9, 3], np.int32)], [np.array([0, 0, 0, 0, 1, 1], np.int8)], np.array([1]))
    other = swap_sentences(pairs)
    assert other.ids[0].tolist() == [2, 9, 3, 7, 8, 3]
    assert other.segments[0].tolist() == [0, 0, 0, 1, 1, 1]
    assert other.labels.tolist() == [1]
    assert swap_sentences(other).ids[0].tolist() == pairs.ids[0].tolist()
    assert concatenate(pairs, other).labels.tolist() == [1, 1]


def test_swapped_pairs_are_those_of_the_texts_in_the_other_order():
    task = get_task("afqmc")
    frame = task.read("train", "sample").head(20)
    text = task.text_encoder(task.build_tokenizer(task.texts(frame), task.max_tokens))
    other = task.examples(frame.rename(columns={"text": "text_b", "text_b": "text"}), text)
    swapped = swap_sentences(task.examples(frame, text))
    for row, expected in zip(swapped.ids + swapped.segments, other.ids + other.segments, strict=True):
        assert row.tolist() == expected.tolist()
