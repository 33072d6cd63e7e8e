"""Recipes: invalid values are refused, and the presets of the courses have the settings of the courses."""

import pytest

from viz_core.recipes import Recipe
from viz_core.records import Failure
from viz_core.tasks import CLASSIFICATION, all_tasks, get_task
from viz_core.training.settings import TrainingSettings


def test_the_imdb_course_recipe():
    """Adam 1e-4 with weight decay 1e-5, batch 32, 5 epochs, on 10,000 reviews with 2,000 to validate."""
    recipe = get_task("imdb").presets["course"].recipe
    assert recipe == Recipe(
        lr=1e-4,
        weight_decay=1e-5,
        optimiser="adam",
        batch=32,
        epochs=5,
        train_rows=10_000,
        validation_rows=2_000,
        warmup=0.0,
        schedule="constant",
        best="accuracy",
    )


@pytest.mark.parametrize("preset", ["course", "collapsed"])
def test_the_afqmc_course_recipe(preset):
    """AdamW 2e-3 with weight decay 0.005, cosine, 40 epochs, patience 10."""
    recipe = get_task("afqmc").presets[preset].recipe
    assert (recipe.optimiser, recipe.lr, recipe.weight_decay) == ("adamw", 2e-3, 0.005)
    assert (recipe.schedule, recipe.warmup, recipe.epochs, recipe.patience) == ("cosine", 0.0, 40, 10)
    assert (recipe.share, recipe.train_rows, recipe.validation_rows) == (1.0, 0, 0)


def test_only_the_collapsed_preset_has_a_caution():
    with_caution = [
        (task, name)
        for task in all_tasks(CLASSIFICATION)
        for name, preset in get_task(task).presets.items()
        if preset.caution
    ]
    assert with_caution == [("afqmc", "collapsed")]


@pytest.mark.parametrize(
    "values, message",
    [
        (dict(epochs=0), r"epochs \(0\)"),
        (dict(batch=0), r"batch \(0\)"),
        (dict(lr=0.0), r"lr is 0\.0"),
        (dict(lr=float("nan")), "lr is nan"),
        (dict(lr="fast"), "lr is 'fast': it must be a number"),
        (dict(epochs=2.5), "epochs is 2.5: it must be a whole number"),
        (dict(epochs=True), "epochs is True"),
        (dict(optimiser="sgd"), "optimiser is 'sgd': it must be one of adamw, adam"),
        (dict(best=1), "best is 1: it must be a text"),
        (dict(schedule="step"), "schedule is 'step'"),
        (dict(evaluations=0), "evaluations is 0"),
        (dict(share=0.0), r"share is 0\.0"),
        (dict(share=1.5), r"share is 1\.5"),
        (dict(train_rows=-1), "train_rows is -1"),
        (dict(unlabelled_rows=-1), "unlabelled_rows is -1"),
        (dict(word_dropout=1.0), "word_dropout"),
        (dict(class_weights=1), "class_weights is 1: it must be true or false"),
        (dict(clip=-1.0), "clip"),
        (dict(seed=-1), "seed"),
        (dict(patience=-1), "patience"),
        (dict(warmup=1.0), "warmup"),
        (dict(r_drop=-1.0), "r_drop is -1"),
        (dict(precision="16"), "precision is '16': it must be one of auto, 32, bf16"),
        (dict(teacher="me"), "teacher is .me."),
        (dict(pieces=True), "only a teacher can label a piece"),
        (dict(teacher="imdb/"), "teacher is 'imdb/': it must be none, ngrams, or models as TASK/NAME"),
        (dict(teacher="none,ngrams"), "teacher is 'none,ngrams'"),
        (dict(teacher=1), "teacher is 1: it must be a text"),
        (dict(augmentation=9), "augmentation is 9: it needs a teacher"),
        (dict(teacher="ngrams", augmentation=-1), "augmentation is -1"),
        (dict(teacher="imdb/wide,ngrams", swap=True), "ngrams reads single texts, which swap cannot exchange"),
        (dict(teacher="ngrams", class_weights=True), "cannot be combined with class_weights"),
        (dict(r_drop=1.0, class_weights=True), "cannot be combined with class_weights"),
    ],
)
def test_invalid_recipes_are_refused_with_the_value(values, message):
    with pytest.raises(ValueError, match=message):
        Recipe(**values)


def test_unknown_settings_of_a_recipe_are_named():
    base = Recipe(lr=0.5)
    assert Recipe.from_dict({"epochs": 7}, base) == Recipe(lr=0.5, epochs=7)
    with pytest.raises(ValueError, match="colour, taste"):
        Recipe.from_dict({"taste": 1, "colour": 2})


@pytest.mark.parametrize("kind", ["bag", "tfidf"])
def test_what_reads_each_token_on_its_own_cannot_predict_masked_ones(kind):
    with pytest.raises(Failure, match="pretrain_epochs=2"):
        TrainingSettings("imdb", kind, recipe={"pretrain_epochs": 2})
    TrainingSettings("imdb", "bilstm", recipe={"pretrain_epochs": 2})
