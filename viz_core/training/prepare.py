"""From a task to tokenised examples, cached on disk for the next training."""

import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import tokenizers
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from viz_core.datasets import corpus
from viz_core.recipes import Recipe, Units
from viz_core.records import Examples, Failure
from viz_core.tasks import Task
from viz_core.text.tokenizer import TextEncoder
from viz_core.training.settings import Training
from viz_core.training.start import start_tokenizer

_VERSION = "2"  # version of the files in the cache
_LABELLED = ("train", "validation", "duplicates")  # together the publisher's train split
_EMPTY = Examples([], [], np.empty(0, np.int64))
_Build = Callable[[list[str]], Tokenizer]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A corpus as token ids, and its tokenizer.

    Attributes:
        text: The tokenizer.
        train: Labelled rows.
        validation: Labelled rows.
        unlabelled: Unlabelled rows; empty unless requested.
    """

    text: TextEncoder
    train: Examples
    validation: Examples
    unlabelled: Examples


def prepare(
    task: Task,
    data: str,
    unlabelled: bool = False,
    units: Units = "default",
    encoder: str = "",
    max_tokens: int | None = None,
) -> Prepared:
    """Read and tokenise a corpus.

    The vocabulary is that of the publisher's whole train split, the same for every share of it, or
    that of the pre-trained encoder. Nothing that is to be predicted for a held-out row enters it.

    Args:
        task: The task.
        data: `full` or `sample`.
        unlabelled: Whether to include the unlabelled texts.
        units: What a token is, as in a recipe.
        encoder: The encoder whose tokens are used instead; empty for none.
        max_tokens: Longest text in tokens, by default the task's.

    Raises:
        Failure: If the corpus is not available, naming the sample and the download.
    """
    splits = (*_LABELLED, "unlabelled") if unlabelled else _LABELLED
    try:
        frames = {split: task.read(split, data) for split in splits}
    except Failure as failure:
        if failure.message.key != "datasets.missing":
            raise
        raise Failure("training.no_data", reason=failure.message) from failure
    build, identity = _tokenizer_of(task, units, encoder, max_tokens or task.max_tokens)
    if task.make_rows:  # they may be a person's own: no copy of them is left behind
        return _tokenise(task, build, frames)[0]
    file = corpus.PROJECT / "data" / "cache" / f"tokens-{task.name}-{_key(identity, frames)}.safetensors"
    if cached := _read_cache(task, frames, file):
        return cached
    prepared, tokenizer = _tokenise(task, build, frames)
    _write_cache(prepared, tokenizer, file, "unlabelled" in splits)
    return prepared


def prepare_for(training: Training) -> Prepared:
    """Read and tokenise the corpus of a training.

    Raises:
        Failure: As for `prepare`.
    """
    recipe = training.recipe
    return prepare(
        training.task, training.data, recipe.uses_unlabelled, recipe.units, recipe.encoder, training.config.max_tokens
    )


def subset(prepared: Prepared, recipe: Recipe) -> Prepared:
    """The rows that a recipe uses, drawn by its seed, in their original order.

    Raises:
        Failure: If the validation rows are all of the same class.
    """
    train = prepared.train.at(training_rows(len(prepared.train), recipe))
    validation = prepared.validation.at(validation_rows(len(prepared.validation), recipe))
    if len(np.unique(validation.labels)) < 2 and validation.labels.min(initial=0) >= 0:
        raise Failure("training.one_class", rows=len(validation))
    unlabelled = prepared.unlabelled.at(unlabelled_rows(len(prepared.unlabelled), recipe))
    return Prepared(prepared.text, train, validation, unlabelled)


def training_rows(rows: int, recipe: Recipe) -> np.ndarray:
    """The positions of the labelled rows that a recipe uses, out of `rows`, in ascending order."""
    return _draw(rows, recipe.count_training_rows(rows), recipe.seed)


def unlabelled_rows(rows: int, recipe: Recipe) -> np.ndarray:
    """The positions of the unlabelled rows that a recipe uses, out of `rows`, in ascending order."""
    return _draw(rows, recipe.count_unlabelled_rows(rows), recipe.seed)


def validation_rows(rows: int, recipe: Recipe) -> np.ndarray:
    """The positions of the validation rows that a recipe uses, out of `rows`, in ascending order."""
    return _draw(rows, recipe.validation_rows or rows, recipe.seed)


def swap_sentences(pairs: Examples) -> Examples:
    """The pairs with their sentences exchanged: `[CLS] b [SEP] a [SEP]`, same labels."""
    ids, segments = [], []
    for row, segment in zip(pairs.ids, pairs.segments, strict=True):
        first, second = row[1:][segment[1:] == 0], row[segment == 1]  # each ends with its [SEP]
        ids.append(np.concatenate([row[:1], second, first]))
        segments.append(np.repeat(np.array([0, 1], segment.dtype), [1 + len(second), len(first)]))
    return Examples(ids, segments, pairs.labels)


def concatenate(first: Examples, second: Examples) -> Examples:
    """Concatenate two sets of examples, without their targets."""
    labels = np.concatenate([first.labels, second.labels])
    return Examples(first.ids + second.ids, first.segments + second.segments, labels)


def fingerprint(examples: Examples) -> str:
    """The sha256 of labels and token ids."""
    digest = hashlib.sha256(examples.labels.tobytes())
    for row in examples.ids:
        digest.update(row.tobytes())
    return digest.hexdigest()


def _draw(count: int, rows: int, seed: int) -> np.ndarray:
    return np.arange(count) if rows >= count else np.sort(np.random.default_rng(seed).permutation(count)[:rows])


def _tokenizer_of(task: Task, units: Units, encoder: str, max_tokens: int) -> tuple[_Build, str]:
    """A function that builds the tokenizer from texts, and a string of what else the tokens depend on."""
    if not encoder:
        build = task.tokenizer_builder(units)
        return lambda texts: build(texts, max_tokens), f"{max_tokens} {getattr(build, '__name__', build)}"
    tokenizer = start_tokenizer(encoder, max_tokens)
    return lambda texts: tokenizer, tokenizer.to_str()


def _tokenise(task: Task, build: _Build, frames: dict[str, pd.DataFrame]) -> tuple[Prepared, Tokenizer]:
    texts = [text for split in task.kind.vocabulary_splits for text in task.texts(frames[split])]
    tokenizer = build(texts)
    text = task.text_encoder(tokenizer)
    splits = {split: task.examples(frames[split], text) for split in frames if split != "duplicates"}
    return Prepared(text, **{"unlabelled": _EMPTY, **splits}), tokenizer


def _write_cache(prepared: Prepared, tokenizer: Tokenizer, file: Path, has_unlabelled: bool) -> None:
    arrays: dict[str, np.ndarray] = {}
    for split in ("train", "validation", *(["unlabelled"] if has_unlabelled else [])):
        examples: Examples = getattr(prepared, split)
        arrays |= {
            f"{split}/ids": _flatten(examples.ids, np.int32),
            f"{split}/segments": _flatten(examples.segments, np.int8),
            f"{split}/lengths": examples.lengths.astype(np.int32),
            f"{split}/labels": examples.labels,
        }
    partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        save_file(arrays, partial, {"tokenizer": tokenizer.to_str()})
        partial.replace(file)  # complete once its name appears
    except (OSError, SafetensorError):  # full or read-only disk: the next training tokenises again
        partial.unlink(missing_ok=True)


def _read_cache(task: Task, frames: dict[str, pd.DataFrame], file: Path) -> Prepared | None:
    """The cached corpus; None if the file is missing or damaged."""
    try:
        with safe_open(file, "np") as cached:
            text = task.text_encoder(Tokenizer.from_str(cached.metadata()["tokenizer"]))
            arrays = {name: cached.get_tensor(name) for name in cached.keys()}  # noqa: SIM118 (not a dictionary)
    except (OSError, SafetensorError):
        return None
    splits = {"unlabelled": _EMPTY}
    for split in frames.keys() - {"duplicates"}:
        ends = np.cumsum(arrays[f"{split}/lengths"])[:-1]
        splits[split] = Examples(
            _split(arrays[f"{split}/ids"], ends), _split(arrays[f"{split}/segments"], ends), arrays[f"{split}/labels"]
        )
    return Prepared(text, **splits)


def _key(tokenizer: str, frames: dict[str, pd.DataFrame]) -> str:
    """A hash of what the file depends on: texts, labels and tokenisation."""
    digest = hashlib.sha256(f"{_VERSION} {tokenizers.__version__} {tokenizer}".encode())
    for split, frame in frames.items():
        digest.update(split.encode())
        for column in frame.columns:
            digest.update(pd.util.hash_pandas_object(frame[column], index=False).to_numpy().tobytes())
    return digest.hexdigest()[:16]


def _flatten(rows: Iterable[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate([np.empty(0, dtype), *rows], dtype=dtype)


def _split(flat: np.ndarray, ends: np.ndarray) -> list[np.ndarray]:
    return np.split(flat, ends) if len(flat) else []
