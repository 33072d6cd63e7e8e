"""The examples of an epoch, according to the recipe.

In a distillation (Hinton et al. 2015) an encoder learns what teachers predict, also for unlabelled
inputs and short pieces of all texts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch

from viz_core.recipes import NGRAMS, Recipe
from viz_core.records import Examples
from viz_core.tasks import Task
from viz_core.text.tokenizer import TextEncoder
from viz_core.training.model_teacher import model_probabilities
from viz_core.training.ngram_teacher import ngram_probabilities
from viz_core.training.prepare import Prepared, concatenate, swap_sentences, training_rows, unlabelled_rows

SHORTEST, LONGEST = 3, 80  # tokens of a piece
_TEXTS_AT_ONCE = 500  # the offsets of all tokens of a corpus would be gigabytes

Piece = tuple[int, int]  # positions of its first token and of the one after its last, in `[CLS] … [SEP]`


@dataclass(frozen=True, eq=False)
class Inputs:
    """Inputs for teachers to label.

    Attributes:
        examples: The inputs as the student reads them.
        texts: Returns the same rows as columns `text` and, for pairs, `text_b`, for teachers with a
            tokenizer of their own; it may take a while.
    """

    examples: Examples
    texts: Callable[[], pd.DataFrame]


def distillation_examples(
    task: Task, data: str, prepared: Prepared, recipe: Recipe, device: torch.device | str = "cpu"
) -> Examples:
    """Build the examples of a distillation, with `targets`.

    In this order: the labelled inputs, the unlabelled ones, a short piece of each text and the
    augmentation of the task, as far as the recipe has them. With `swap` each of these parts is
    followed by its pairs with the sentences exchanged.

    The target is what the teacher predicts; with several teachers it is the mean of their
    probabilities. For a labelled input it is the mean of this and the label. The `labels` are the
    likelier classes.

    An n-gram teacher has not seen the label of a labelled input (`ngram_probabilities`). A model
    that was trained on the input has, so these targets are closer to the labels than the others.

    Args:
        task: The task.
        data: `full` or `sample`.
        prepared: The subset of the corpus `data` that the recipe uses.
        recipe: The settings.
        device: Where teachers that are models compute.
    """
    parts = _inputs(task, data, prepared, recipe)
    examples = [part.examples for part in parts]
    probabilities = np.mean([_ask(teacher, task, parts, recipe, device) for teacher in recipe.teachers], axis=0)
    labels = np.concatenate([part.labels for part in examples])
    labelled = labels >= 0
    targets = probabilities.copy()
    targets[labelled] = (targets[labelled] + np.eye(len(task.labels))[labels[labelled]]) / 2
    targets = targets.astype(np.float32)
    ids = [row for part in examples for row in part.ids]
    segments = [row for part in examples for row in part.segments]
    return Examples(ids, segments, targets.argmax(1), targets)


def _inputs(task: Task, data: str, prepared: Prepared, recipe: Recipe) -> list[Inputs]:
    """The parts of the train set, the labelled one first."""

    def read(split: str) -> pd.DataFrame:
        frame = task.read(split, data)
        rows = training_rows if split == "train" else unlabelled_rows
        return frame.iloc[rows(len(frame), recipe)]

    whole = [Inputs(prepared.train, lambda: read("train")), Inputs(prepared.unlabelled, lambda: read("unlabelled"))]
    parts = list(whole)
    if recipe.pieces:
        parts.append(_cut(whole, prepared, recipe.seed))
    if recipe.augmentation and task.augmentation:
        corpus = pd.concat([part.texts() for part in whole], ignore_index=True)
        made = task.augmentation(corpus, recipe.augmentation, np.random.default_rng(recipe.seed))
        parts.append(Inputs(task.examples(made, prepared.text), lambda: made))
    return [_in_both_orders(part) for part in parts] if recipe.swap else parts


def _cut(whole: list[Inputs], prepared: Prepared, seed: int) -> Inputs:
    """Cut a piece out of each text."""
    ids = [row for part in whole for row in part.examples.ids]
    pieces = draw_pieces(ids, seed)
    fragments = piece_ids(ids, pieces)

    def texts() -> pd.DataFrame:
        written = [text for part in whole for text in part.texts()["text"]]
        return pd.DataFrame({"text": piece_texts(written, pieces, prepared.text)})

    segments = [np.zeros(len(row), np.int8) for row in fragments]
    return Inputs(Examples(fragments, segments, np.full(len(fragments), -1)), texts)


def _in_both_orders(part: Inputs) -> Inputs:
    def texts() -> pd.DataFrame:
        frame = part.texts()
        return pd.concat([frame, frame.rename(columns={"text": "text_b", "text_b": "text"})], ignore_index=True)

    return Inputs(concatenate(part.examples, swap_sentences(part.examples)), texts)


def _ask(teacher: str, task: Task, parts: list[Inputs], recipe: Recipe, device: torch.device | str) -> np.ndarray:
    """Ask a teacher for its probabilities `(N, C)` for all parts."""
    if teacher == NGRAMS:
        others = [row for part in parts[1:] for row in part.examples.ids]
        return ngram_probabilities(parts[0].examples, others, recipe.seed)
    name = teacher.partition("/")[2]
    read = [model_probabilities(task, name, part.texts(), torch.device(device), recipe.precision) for part in parts]
    return np.concatenate(read)


def draw_pieces(ids: Sequence[np.ndarray], seed: int) -> list[Piece]:
    """Draw a random piece of each text; as many have 3 to 9 tokens as 9 to 27."""
    random = np.random.default_rng(seed)
    lengths = np.exp(random.uniform(np.log(SHORTEST), np.log(LONGEST + 1), len(ids))).astype(int)
    offsets = random.random(len(ids))
    pieces = []
    for row, length, offset in zip(ids, lengths, offsets, strict=True):
        tokens = len(row) - 2
        length = min(length, tokens)
        start = 1 + int(offset * (tokens - length + 1))
        pieces.append((start, start + length))
    return pieces


def piece_ids(ids: Sequence[np.ndarray], pieces: Sequence[Piece]) -> list[np.ndarray]:
    """The ids `[CLS] … [SEP]` of each piece."""
    return [np.concatenate([row[:1], row[start:end], row[-1:]]) for row, (start, end) in zip(ids, pieces, strict=True)]


def piece_texts(texts: Sequence[str], pieces: Sequence[Piece], encoder: TextEncoder) -> list[str]:
    """The text of each piece as written, from its first token to its last.

    Args:
        texts: The whole texts.
        pieces: A piece of each.
        encoder: The tokenizer of the ids from which the pieces were drawn.
    """
    result = []
    for first in range(0, len(texts), _TEXTS_AT_ONCE):
        part = slice(first, first + _TEXTS_AT_ONCE)
        for text, (start, end), spans in zip(texts[part], pieces[part], encoder.offsets(texts[part]), strict=True):
            result.append(text[spans[start][0] : spans[end - 1][1]] if start < end else "")
    return result


def build_train_set(
    task: Task, data: str, prepared: Prepared, recipe: Recipe, device: torch.device | str = "cpu"
) -> Examples:
    """Build the train set: the labelled inputs, and those that the recipe derives from them.

    Args:
        task: The task.
        data: `full` or `sample`.
        prepared: The subset of the corpus `data` that the recipe uses.
        recipe: The settings.
        device: Where teachers that are models compute.
    """
    if recipe.teachers:
        return distillation_examples(task, data, prepared, recipe, device)
    return concatenate(prepared.train, swap_sentences(prepared.train)) if recipe.swap else prepared.train


def train_set_rows(recipe: Recipe, train: int, unlabelled: int) -> int:
    """The number of rows of `build_train_set`, from the numbers of labelled and unlabelled rows."""
    rows = train
    if recipe.teachers:
        rows = (train + unlabelled) * (2 if recipe.pieces else 1) + recipe.augmentation
    return rows * (2 if recipe.swap else 1)
