"""The publishers' own corpora (make check-real)."""

from __future__ import annotations

import pytest

from viz_core import checkpoints
from viz_core.checkpoints import FOLDER
from viz_core.datasets.held_out import comparable
from viz_core.tasks import TASKS
from viz_core.training.prepare import fingerprint, prepare

pytestmark = pytest.mark.real

DUPLICATES = {"imdb": 20, "afqmc": 37}  # 20 reviews; 37 pairs with 34 sentences


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_corpus_is_the_publishers(task):
    assert task.corpus.verify() == []


def test_vocabulary_of_afqmc_has_1708_entries():
    task = TASKS["afqmc"]
    texts = [text for split in ("train", "validation", "duplicates") for text in task.texts(task.read(split))]
    assert task.build_tokenizer(texts, task.max_tokens).get_vocab_size() == 1_708


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_validation_repeats_no_text_of_train(task):
    texts = {split: set(map(comparable, task.texts(task.read(split)))) for split in ("train", "validation")}
    assert not texts["train"] & texts["validation"]
    validation, duplicates = task.read("validation").index, task.read("duplicates").index
    assert sorted([*validation, *duplicates]) == list(range(len(validation) + len(duplicates)))
    assert len(duplicates) == DUPLICATES[task.name]


def test_sentences_of_afqmc_in_train_and_in_the_rows_left_out():
    task = TASKS["afqmc"]
    texts = {split: set(map(comparable, task.texts(task.read(split)))) for split in ("train", "duplicates")}
    assert len(texts["train"] & texts["duplicates"]) == 34


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_train_is_what_the_shipped_models_were_trained_on(task):
    shipped = {info.metrics.entries["data_sha256"] for info in checkpoints.task_checkpoints(task.name, FOLDER)}
    assert shipped == {fingerprint(prepare(task, "full").train)}
