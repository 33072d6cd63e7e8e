"""The publishers' own corpora (make check-real)."""

from __future__ import annotations

import pytest

from viz_core.tasks import TASKS

pytestmark = pytest.mark.real


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_corpus_is_the_publishers(task):
    assert task.corpus.verify() == []


def test_vocabulary_of_afqmc_has_1708_entries():
    task = TASKS["afqmc"]
    texts = [text for split in ("train", "validation") for text in task.texts(task.read(split))]
    assert task.build_tokenizer(texts, task.max_tokens).get_vocab_size() == 1_708
