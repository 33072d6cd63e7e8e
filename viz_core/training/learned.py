"""What an epoch of training learns from, by the recipe."""

from __future__ import annotations

from viz_core.recipes import Recipe
from viz_core.records import Examples
from viz_core.training.prepare import Prepared, swapped, together
from viz_core.training.teacher import taught


def learned(prepared: Prepared, recipe: Recipe) -> Examples:
    """The labelled texts, with those that the recipe makes of them."""
    if recipe.teacher == "ngrams":
        return taught(prepared.train, prepared.unlabelled, recipe.pieces, recipe.seed)
    return together(prepared.train, swapped(prepared.train)) if recipe.swap else prepared.train


def learned_rows(recipe: Recipe, train: int, unlabelled: int) -> int:
    """How many they are, by the rows of both kinds that the recipe has drawn."""
    if recipe.teacher == "ngrams":
        return (train + unlabelled) * (2 if recipe.pieces else 1)
    return train * (2 if recipe.swap else 1)
