"""The registry of tasks."""

from __future__ import annotations

import ast
from pathlib import Path

import pandas as pd
import pytest

from tests.tiny import text_encoder
from viz_core.datasets import aligned_pairs, behavioural_tests, sample
from viz_core.models.kinds import KINDS
from viz_core.records import Failure, Message
from viz_core.tasks import TASKS, TRANSLATION_TASKS, get_task

PROJECT = Path(__file__).parents[1]
NAMES = [*TASKS, *TRANSLATION_TASKS]
# A task's entry, its corpus and its page; no other module depends on which tasks exist.
TASK_FILES = {f"viz_core/{package}/{task}.py" for package in ("tasks", "datasets") for task in NAMES}
TASK_FILES.add("pages/shared/tasks.py")


def strings(file: Path) -> set[str]:
    """All strings of a module except docstrings, in lower case."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    scopes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {node.body[0].value for node in nodes if isinstance(node, scopes) and ast.get_docstring(node)}
    return {
        node.value.lower()
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings
    }


def test_tasks_are_mentioned_only_in_their_own_files():
    files = [PROJECT / "app.py", *(PROJECT / "viz_core").rglob("*.py"), *(PROJECT / "pages").rglob("*.py")]
    files_with_tasks = {
        file.relative_to(PROJECT).as_posix()
        for file in files
        if "node_modules" not in file.parts
        if any(task in text for text in strings(file) for task in NAMES)
    }
    assert files_with_tasks == TASK_FILES


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_the_files_of_a_task_exist_and_its_entry_is_valid(task):
    assert task.corpus.name == task.name and len(task.labels) > 1 and task.citation
    assert task.sample and all((sample.FOLDER / file).exists() for file in task.sample)
    assert task.behavioural_test_file is None or (behavioural_tests.FOLDER / task.behavioural_test_file).exists()
    assert task.slices in (None, "negation", "overlap") and "small" in task.presets
    for preset in task.presets.values():
        assert preset.kind in KINDS and preset.kind != "encoder_decoder"
        assert set(preset.on_sample) <= set(vars(preset.recipe))


@pytest.mark.parametrize("task", TRANSLATION_TASKS.values(), ids=list(TRANSLATION_TASKS))
def test_the_entry_of_a_translation_is_valid(task):
    assert task.corpus.name == task.name and task.citation and "small" in task.presets
    assert task.sample and all((sample.FOLDER / file).exists() for file in task.sample)
    assert task.aligned_file is None or (aligned_pairs.FOLDER / task.aligned_file).exists()
    assert task.behavioural_tests() == () and get_task(task.name) is task
    for preset in task.presets.values():
        assert preset.kind == "encoder_decoder" and set(preset.on_sample) <= set(vars(preset.recipe))
        assert preset.recipe.best == "bleu"


def test_no_task_has_the_name_of_another():
    assert not set(TASKS) & set(TRANSLATION_TASKS)


def test_every_file_of_our_own_texts_belongs_to_a_task():
    files = [file for task in [*TASKS.values(), *TRANSLATION_TASKS.values()] for file in task.sample]
    assert sorted(files) == sorted(file.name for file in sample.FOLDER.glob("*.jsonl"))
    files = [task.behavioural_test_file for task in TASKS.values() if task.behavioural_test_file]
    assert sorted(files) == sorted(file.name for file in behavioural_tests.FOLDER.glob("*.jsonl"))
    files = [task.aligned_file for task in TRANSLATION_TASKS.values() if task.aligned_file]
    assert sorted(files) == sorted(file.name for file in aligned_pairs.FOLDER.glob("*.jsonl"))


def test_an_unknown_task_is_reported_with_the_available_ones():
    with pytest.raises(Failure) as failure:
        get_task("poems")
    assert failure.value.message == Message("tasks.unknown", {"name": "poems", "known": NAMES})


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_the_sample_can_be_read_without_the_corpus(task):
    frame = task.read("test", "sample")
    assert task.pair == ("text_b" in frame)
    assert len(task.texts(frame)) == len(frame) * (2 if task.pair else 1)
    with pytest.raises(Failure, match="datasets.missing"):
        task.read("test", "full")


def test_examples_are_aligned_and_missing_labels_are_minus_one():
    frame = pd.DataFrame({"text": ["花呗", "借呗还款"], "text_b": ["还", "花"], "label": [1, 0]}, index=[7, 3])
    task, text = TASKS["afqmc"], text_encoder("afqmc")
    examples = task.examples(frame, text)
    assert examples.labels.tolist() == [1, 0]
    assert examples.lengths.tolist() == [3 + 3, 3 + 5]
    assert examples.segments[0].tolist() == [0, 0, 0, 0, 1, 1]
    assert task.examples(frame.drop(columns="label"), text).labels.tolist() == [-1, -1]


def test_examples_of_a_translation_are_source_and_target():
    task = TRANSLATION_TASKS["tatoeba"]
    frame = pd.DataFrame({"text": ["我们去。"], "text_b": ["We go."]})
    examples = task.examples(frame, task.text_encoder(task.build_tokenizer(task.texts(frame) * 2, 16)))
    assert examples.segments[0].tolist() == [0] * 6 + [1] * 4 and examples.labels.tolist() == [-1]
