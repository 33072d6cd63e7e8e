"""What an epoch of training learns from, by the recipe."""

from __future__ import annotations

from viz_core.records import Examples
from viz_core.training.prepare import Prepared, swapped, together
from viz_core.training.presets import Recipe
from viz_core.training.teacher import taught


def learned(prepared: Prepared, recipe: Recipe) -> Examples:
    """The labelled texts, with those that the recipe makes of them."""
    if recipe.teacher == "ngrams":
        return taught(prepared.train, prepared.unlabelled, recipe.pieces, recipe.seed)
    return together(prepared.train, swapped(prepared.train)) if recipe.swap else prepared.train


def learned_rows(prepared: Prepared, recipe: Recipe) -> int:
    """How many they are, without making them."""
    if recipe.teacher == "ngrams":
        return (len(prepared.train) + len(prepared.unlabelled)) * (2 if recipe.pieces else 1)
    return len(prepared.train) * (2 if recipe.swap else 1)
