"""The examples of an epoch, according to the recipe."""

from __future__ import annotations

from viz_core.recipes import Recipe
from viz_core.records import Examples
from viz_core.training.prepare import Prepared, concatenate, swap_sentences
from viz_core.training.teacher import distillation_examples


def build_train_set(prepared: Prepared, recipe: Recipe) -> Examples:
    """The labelled texts, with those that the recipe derives from them."""
    if recipe.teacher == "ngrams":
        return distillation_examples(prepared.train, prepared.unlabelled, recipe.pieces, recipe.seed)
    return concatenate(prepared.train, swap_sentences(prepared.train)) if recipe.swap else prepared.train


def train_set_rows(recipe: Recipe, train: int, unlabelled: int) -> int:
    """The number of rows of `build_train_set`, from the numbers of labelled and unlabelled rows."""
    if recipe.teacher == "ngrams":
        return (train + unlabelled) * (2 if recipe.pieces else 1)
    return train * (2 if recipe.swap else 1)
