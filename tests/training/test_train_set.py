"""The examples of an epoch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.training.tiny import RECIPE, RecordingCallback, train_tiny, training
from viz_core.records import Failure
from viz_core.tasks import TASKS
from viz_core.training.prepare import prepare, subset
from viz_core.training.settings import TrainingSettings
from viz_core.training.train_set import build_train_set, train_set_rows


@pytest.mark.parametrize(
    "task, recipe, times",
    [
        ("imdb", RECIPE, 1),
        ("afqmc", replace(RECIPE, swap=True), 2),
        ("imdb", replace(RECIPE, teacher="ngrams"), 1),
        ("imdb", replace(RECIPE, teacher="ngrams", pieces=True), 2),
    ],
)
def test_the_number_of_rows_is_computed_without_the_rows(task, recipe, times):
    prepared = subset(prepare(TASKS[task], "sample", recipe.uses_unlabelled), recipe)
    result = build_train_set(prepared, recipe)
    unlabelled = len(prepared.unlabelled) if recipe.teacher != "none" else 0
    assert len(result) == train_set_rows(recipe, len(prepared.train), len(prepared.unlabelled))
    assert len(result) == times * (len(prepared.train) + unlabelled)
    assert (result.targets is None) == (recipe.teacher == "none")


def test_a_training_with_a_teacher(tmp_path):
    callback = RecordingCallback()
    trainer, done = train_tiny(tmp_path, callback, "imdb", teacher="ngrams", pieces=True, epochs=6)
    assert done and trainer.best and callback.figures[-1]["loss"] < callback.figures[0]["loss"]


def test_a_teacher_cannot_be_used_for_pairs():
    with pytest.raises(ValueError, match="teacher is ngrams: it reads single texts, but afqmc has pairs"):
        training("afqmc", replace(RECIPE, teacher="ngrams"))
    with pytest.raises(Failure, match="bad_setting"):
        TrainingSettings("afqmc", recipe={"teacher": "ngrams", "swap": False})
