"""The registry of tasks."""

import ast
import threading
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from tests.tiny import text_encoder
from viz_core.datasets import aligned_pairs, behavioural_tests, sample
from viz_core.models.kinds import KINDS
from viz_core.records import ELSEWHERE, Failure, Message
from viz_core.tasks import (
    CLASSIFICATION,
    TRANSLATION,
    Measure,
    OfKind,
    TaskKind,
    all_tasks,
    default_task,
    get_task,
    kind_of,
    register,
    unregister,
)

PROJECT = Path(__file__).parents[1]
NAMES = list(all_tasks())
# A task's entry, its corpus and its page; no other module depends on which tasks exist.
TASK_FILES = {f"viz_core/tasks/{task.replace('-', '_')}.py" for task in NAMES}
TASK_FILES |= {f"viz_core/datasets/{name.replace('-', '_')}.py" for name, task in all_tasks().items() if task.corpus}
TASK_FILES |= {"pages/shared/tasks.py", "viz_core/tasks/own/task.py"}  # the latter: what trainings may start from


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


@pytest.mark.parametrize("task", all_tasks().values(), ids=NAMES)
def test_the_files_of_a_task_exist_and_its_entry_is_valid(task):
    assert task.citation and get_task(task.name) is task
    assert (task.corpus is None) is (not task.sample) is (task.make_rows is not None)
    assert task.corpus is None or task.corpus.name == task.name
    assert all((sample.FOLDER / file).exists() for file in task.sample)
    assert task.behavioural_test_file is None or (behavioural_tests.FOLDER / task.behavioural_test_file).exists()
    assert task.aligned_file is None or (aligned_pairs.FOLDER / task.aligned_file).exists()
    assert task.slices in (None, "negation", "overlap") and "small" in task.presets
    assert (len(task.labels) > 1) is (task.kind is CLASSIFICATION)
    for preset in task.presets.values():
        assert (preset.kind == "encoder_decoder") is (task.kind is TRANSLATION)
        assert preset.kind in KINDS and set(preset.on_sample) <= set(vars(preset.recipe))
        assert task.kind.best_measure(preset.recipe.best, task.name)


def test_every_file_of_our_own_texts_belongs_to_a_task():
    files = {file for task in all_tasks().values() for file in task.sample}
    assert sorted(files) == sorted(file.name for file in sample.FOLDER.glob("*.jsonl"))
    files = [task.behavioural_test_file for task in all_tasks().values() if task.behavioural_test_file]
    assert sorted(files) == sorted(file.name for file in behavioural_tests.FOLDER.glob("*.jsonl"))
    files = [task.aligned_file for task in all_tasks().values() if task.aligned_file]
    assert sorted(files) == sorted(file.name for file in aligned_pairs.FOLDER.glob("*.jsonl"))


def test_a_task_may_come_and_go_while_others_read_the_registry():
    task, before = replace(get_task("imdb"), name="films"), all_tasks()
    stop, errors = threading.Event(), []

    def read() -> None:
        while not stop.is_set():
            try:
                assert list(all_tasks())[: len(NAMES)] == NAMES
            except Exception as error:
                errors.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(200):
        register(task)
        assert get_task("films") is task and "films" in all_tasks(CLASSIFICATION) and kind_of("films") is CLASSIFICATION
        unregister("films")
    stop.set()
    reader.join()
    assert not errors and all_tasks() == before and "films" not in all_tasks()


@pytest.mark.parametrize("name", [*NAMES, *ELSEWHERE])
def test_a_name_is_taken_once(name):
    with pytest.raises(ValueError, match=f"'{name}' is taken"):
        register(replace(get_task("imdb"), name=name))


def test_what_all_tasks_returns_is_not_the_registry():
    all_tasks().clear()
    assert list(all_tasks()) == NAMES


def test_the_default_task_is_the_first_of_its_kind():
    assert default_task(CLASSIFICATION).name == "imdb" and default_task(TRANSLATION).name == "tatoeba"
    assert [kind_of(name) for name in ELSEWHERE] == [CLASSIFICATION, TRANSLATION]


def test_a_record_of_a_kind_is_found_by_the_kind_or_by_a_task():
    records, poems = OfKind(), TaskKind("poems", "a poem", (), ())
    records.register(TRANSLATION, "translates")
    assert records.of(TRANSLATION) == records.of("tatoeba") == records.of("other_translation") == "translates"
    with pytest.raises(LookupError, match="a poem"):
        records.of(poems)
    assert OfKind(default="nothing").of(poems) == "nothing"
    records.register(poems, "rhymes")
    assert records.of(poems) == "rhymes" and records.of(TRANSLATION) == "translates"


@pytest.mark.parametrize("falls", [False, True])
def test_a_measure_says_which_of_two_values_is_better(falls):
    measure = Measure("perplexity", falls=falls)
    assert measure.is_better(1.0, 2.0) is falls and measure.is_better(2.0, 1.0) is not falls
    assert not measure.is_better(1.0, 1.0)


def test_the_best_checkpoint_is_chosen_by_a_measure_of_the_kind():
    assert TRANSLATION.best_measure("bleu", "tatoeba").name == "bleu"
    with pytest.raises(ValueError, match="best='bleu'.*imdb.*accuracy or auc or mcc"):
        CLASSIFICATION.best_measure("bleu", "imdb")
    with pytest.raises(ValueError, match="best='chrf'"):
        TRANSLATION.best_measure("chrf", "tatoeba")


def test_an_unknown_task_is_reported_with_the_available_ones():
    with pytest.raises(Failure) as failure:
        get_task("poems")
    assert failure.value.message == Message("tasks.unknown", {"name": "poems", "known": NAMES})


@pytest.mark.parametrize("task", all_tasks().values(), ids=NAMES)
def test_the_sample_can_be_read_without_the_corpus(task):
    frame = task.read("test", "sample")
    has_two = task.pair or task.kind.reads_target
    assert has_two == ("text_b" in frame)
    assert len(task.texts(frame)) == len(frame) * (2 if has_two else 1)
    with pytest.raises(Failure, match="datasets.missing" if task.corpus else "datasets.no_corpus"):
        task.read("test", "full")


def test_examples_are_aligned_and_missing_labels_are_minus_one():
    frame = pd.DataFrame({"text": ["花呗", "借呗还款"], "text_b": ["还", "花"], "label": [1, 0]}, index=[7, 3])
    task, text = get_task("afqmc"), text_encoder("afqmc")
    examples = task.examples(frame, text)
    assert examples.labels.tolist() == [1, 0]
    assert examples.lengths.tolist() == [3 + 3, 3 + 5]
    assert examples.segments[0].tolist() == [0, 0, 0, 0, 1, 1]
    assert task.examples(frame.drop(columns="label"), text).labels.tolist() == [-1, -1]


def test_examples_of_a_translation_are_source_and_target():
    task = get_task("tatoeba")
    frame = pd.DataFrame({"text": ["我们去。"], "text_b": ["We go."]})
    examples = task.examples(frame, task.text_encoder(task.build_tokenizer(task.texts(frame) * 2, 16)))
    assert examples.segments[0].tolist() == [0] * 6 + [1] * 4 and examples.labels.tolist() == [-1]
