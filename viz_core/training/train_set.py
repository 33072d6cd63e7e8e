"""The examples of an epoch, according to the recipe."""

from __future__ import annotations

import torch

from viz_core.recipes import Recipe
from viz_core.records import Examples
from viz_core.tasks import Task
from viz_core.training.prepare import Prepared, concatenate, swap_sentences
from viz_core.training.teacher import distillation_examples


def build_train_set(
    task: Task, data: str, prepared: Prepared, recipe: Recipe, device: torch.device | str = "cpu"
) -> Examples:
    """The labelled inputs, with those that the recipe derives from them. prepared: the subset of the corpus `data` that
    the recipe uses. device: where teachers that are models compute."""
    if recipe.teachers:
        return distillation_examples(task, data, prepared, recipe, device)
    return concatenate(prepared.train, swap_sentences(prepared.train)) if recipe.swap else prepared.train


def train_set_rows(recipe: Recipe, train: int, unlabelled: int) -> int:
    """The number of rows of `build_train_set`, from the numbers of labelled and unlabelled rows."""
    rows = train
    if recipe.teachers:
        rows = (train + unlabelled) * (2 if recipe.pieces else 1) + recipe.augmentation
    return rows * (2 if recipe.swap else 1)
