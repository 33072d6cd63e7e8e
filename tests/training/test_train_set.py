"""The examples of an epoch."""

from dataclasses import replace

import pytest

from tests.training.tiny import RECIPE, RecordingCallback, train_tiny
from viz_core.records import Failure
from viz_core.tasks import get_task
from viz_core.training.prepare import prepare, subset
from viz_core.training.settings import TrainingSettings
from viz_core.training.teacher import build_train_set, train_set_rows


@pytest.mark.parametrize(
    "task, recipe, times",
    [
        ("imdb", RECIPE, 1),
        ("afqmc", replace(RECIPE, swap=True), 2),
        ("imdb", replace(RECIPE, teacher="ngrams"), 1),
        ("imdb", replace(RECIPE, teacher="ngrams", pieces=True), 2),
        ("afqmc", replace(RECIPE, teacher="afqmc/small", swap=True), 2),
    ],
)
def test_the_number_of_rows_is_computed_without_the_rows(task, recipe, times):
    prepared = subset(prepare(get_task(task), "sample", recipe.uses_unlabelled), recipe)
    result = build_train_set(get_task(task), "sample", prepared, recipe)
    unlabelled = len(prepared.unlabelled) if recipe.teachers else 0
    assert len(result) == train_set_rows(recipe, len(prepared.train), len(prepared.unlabelled))
    assert len(result) == times * (len(prepared.train) + unlabelled)
    assert (result.targets is None) == (not recipe.teachers)


def test_the_inputs_that_a_task_makes_count():
    recipe = replace(RECIPE, teacher="ngrams", augmentation=50)
    prepared = subset(prepare(get_task("imdb"), "sample", recipe.uses_unlabelled), recipe)
    result = build_train_set(get_task("imdb"), "sample", prepared, recipe)
    assert len(result) == train_set_rows(recipe, len(prepared.train), len(prepared.unlabelled))
    assert len(result) == len(prepared.train) + 50


def test_a_training_with_a_teacher(tmp_path):
    callback = RecordingCallback()
    trainer, done = train_tiny(tmp_path, callback, "imdb", teacher="ngrams", pieces=True, epochs=6)
    assert done and trainer.best and callback.figures[-1]["loss"] < callback.figures[0]["loss"]


def test_a_request_for_a_teacher_that_does_not_fit_is_refused():
    with pytest.raises(Failure, match="bad_setting"):
        TrainingSettings("afqmc", recipe={"teacher": "ngrams", "swap": False})
