"""The registry of tasks."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.tiny import text_encoder
from viz_core.records import Failure, Message
from viz_core.tasks import TASKS, task_named


def test_unknown_task_names_the_tasks_there_are():
    with pytest.raises(Failure) as failure:
        task_named("poems")
    assert failure.value.message == Message("tasks.unknown", {"name": "poems", "known": ["imdb", "afqmc"]})


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_sample_serves_where_the_corpus_is_not_at_hand(task):
    frame = task.read("test", "sample")
    assert task.pair == ("text_b" in frame)
    assert len(task.texts(frame)) == len(frame) * (2 if task.pair else 1)
    with pytest.raises(Failure, match="datasets.missing"):
        task.read("test", "full")


def test_examples_are_aligned_and_rows_without_labels_get_minus_one():
    frame = pd.DataFrame({"text": ["花呗", "借呗还款"], "text_b": ["还", "花"], "label": [1, 0]}, index=[7, 3])
    task, text = TASKS["afqmc"], text_encoder("afqmc")
    examples = task.examples(frame, text)
    assert examples.labels.tolist() == [1, 0]
    assert examples.lengths.tolist() == [3 + 3, 3 + 5]
    assert examples.segments[0].tolist() == [0, 0, 0, 0, 1, 1]
    assert task.examples(frame.drop(columns="label"), text).labels.tolist() == [-1, -1]
