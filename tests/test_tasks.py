"""The registry of tasks."""

from __future__ import annotations

import ast
from pathlib import Path

import pandas as pd
import pytest

from tests.tiny import text_encoder
from viz_core.datasets import behavioural_tests, sample
from viz_core.records import Failure, Message
from viz_core.tasks import TASKS, task_named

PROJECT = Path(__file__).parents[1]
# The entry of a task and its corpus, and what the pages know of it; nobody else needs to know which tasks there are.
OF_A_TASK = {f"viz_core/{room}/{task}.py" for room in ("tasks", "datasets") for task in TASKS}
OF_A_TASK.add("pages/shared/tasks.py")


def strings(file: Path) -> set[str]:
    """All strings of a module that are no docstrings, in lower case."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {node.body[0].value for node in nodes if isinstance(node, documented) and ast.get_docstring(node)}
    return {
        node.value.lower()
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings
    }


def test_no_task_is_named_outside_its_own_files():
    files = [PROJECT / "app.py", *(PROJECT / "viz_core").rglob("*.py"), *(PROJECT / "pages").rglob("*.py")]
    naming = {
        file.relative_to(PROJECT).as_posix()
        for file in files
        if "node_modules" not in file.parts
        if any(task in text for text in strings(file) for task in TASKS)
    }
    assert naming == OF_A_TASK


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_the_entry_of_a_task_names_what_there_is(task):
    assert task.corpus.name == task.name and len(task.labels) > 1 and task.citation
    assert task.sample and all((sample.FOLDER / file).exists() for file in task.sample)
    assert task.behavioural_test_file is None or (behavioural_tests.FOLDER / task.behavioural_test_file).exists()
    assert task.slices in (None, "negation", "overlap") and "small" in task.presets
    for preset in task.presets.values():
        assert preset.kind == "encoder" and set(preset.on_sample) <= set(vars(preset.recipe))


def test_no_file_of_the_samples_or_the_behavioural_tests_is_left_out():
    named = [file for task in TASKS.values() for file in task.sample]
    assert sorted(named) == sorted(file.name for file in sample.FOLDER.glob("*.jsonl"))
    named = [task.behavioural_test_file for task in TASKS.values() if task.behavioural_test_file]
    assert sorted(named) == sorted(file.name for file in behavioural_tests.FOLDER.glob("*.jsonl"))


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
