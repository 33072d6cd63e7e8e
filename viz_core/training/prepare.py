"""From a task to the examples that an encoder learns from: tokenised once, kept on disk for the next training."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import tokenizers
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from viz_core.datasets import corpus
from viz_core.recipes import Recipe
from viz_core.records import Examples, Failure
from viz_core.tasks import Task
from viz_core.text.tokenizer import TextEncoder

_VERSION = "1"  # of the files in the cache
_NOTHING = Examples([], [], np.empty(0, np.int64))


@dataclass(frozen=True, eq=False)
class Prepared:
    """A corpus as token ids, and the tokenizer that made them. unlabelled: empty where nobody asked for it."""

    text: TextEncoder
    train: Examples
    validation: Examples
    unlabelled: Examples


def prepare(task: Task, data: str, unlabelled: bool = False) -> Prepared:
    """The whole corpus (`full`, or `sample`), the text without labels if asked for.

    The vocabulary is that of the publisher's whole train split, so that it is the same for every share of it; of validation
    no label is read for it. Raises Failure, naming the sample and the download, where the corpus is not at hand.
    """
    splits = ("train", "validation", "unlabelled") if unlabelled else ("train", "validation")
    try:
        frames = {split: task.read(split, data) for split in splits}
    except Failure as failure:
        if failure.message.key != "datasets.missing":
            raise
        raise Failure("training.no_data", reason=failure.message) from failure
    file = corpus.PROJECT / "data" / "cache" / f"tokens-{task.name}-{_key(task, frames)}.safetensors"
    return _read(task, frames, file) or _make(task, frames, file)


def subset(prepared: Prepared, recipe: Recipe) -> Prepared:
    """The rows that a recipe asks for: its share, at most so many, drawn by its seed and left in their order. Raises Failure
    where so few are left to validate that they are all of one class."""
    train = _some(prepared.train, recipe.drawn_rows(len(prepared.train)), recipe.seed)
    validation = _some(prepared.validation, recipe.validation_rows or len(prepared.validation), recipe.seed)
    if len(np.unique(validation.labels)) < 2:
        raise Failure("training.one_class", rows=len(validation))
    unlabelled = _some(prepared.unlabelled, round(recipe.share * len(prepared.unlabelled)), recipe.seed)
    return Prepared(prepared.text, train, validation, unlabelled)


def swapped(pairs: Examples) -> Examples:
    """The pairs with their sentences exchanged: `[CLS] b [SEP] a [SEP]`, same labels."""
    ids, segments = [], []
    for row, kinds in zip(pairs.ids, pairs.segments, strict=True):
        first, second = row[1:][kinds[1:] == 0], row[kinds == 1]  # each ends with its [SEP]
        ids.append(np.concatenate([row[:1], second, first]))
        segments.append(np.repeat(np.array([0, 1], kinds.dtype), [1 + len(second), len(first)]))
    return Examples(ids, segments, pairs.labels)


def together(one: Examples, other: Examples) -> Examples:
    return Examples(one.ids + other.ids, one.segments + other.segments, np.concatenate([one.labels, other.labels]))


def fingerprint(examples: Examples) -> str:
    """sha256 of the token ids and labels that were learned from."""
    digest = hashlib.sha256(examples.labels.tobytes())
    for row in examples.ids:
        digest.update(row.tobytes())
    return digest.hexdigest()


def _some(examples: Examples, rows: int, seed: int) -> Examples:
    if rows >= len(examples):
        return examples
    chosen = np.sort(np.random.default_rng(seed).permutation(len(examples))[:rows])
    return examples.at(chosen)


def _make(task: Task, frames: dict[str, pd.DataFrame], file: Path) -> Prepared:
    texts = [text for split in ("train", "validation") for text in task.texts(frames[split])]
    tokenizer = task.build_tokenizer(texts, task.max_tokens)
    text = task.text_encoder(tokenizer)
    splits = {split: task.examples(frame, text) for split, frame in frames.items()}
    arrays = {}
    for split, examples in splits.items():
        arrays |= {
            f"{split}/ids": _flat(examples.ids, np.int32),
            f"{split}/segments": _flat(examples.segments, np.int8),
            f"{split}/lengths": examples.lengths.astype(np.int32),
            f"{split}/labels": examples.labels,
        }
    partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        save_file(arrays, partial, {"tokenizer": tokenizer.to_str()})
        partial.replace(file)  # complete once its name appears
    except (OSError, SafetensorError):  # a full disk or a read-only one: the next training tokenises again
        partial.unlink(missing_ok=True)
    return Prepared(text, **{"unlabelled": _NOTHING, **splits})


def _read(task: Task, frames: dict[str, pd.DataFrame], file: Path) -> Prepared | None:
    """What is kept, None where there is nothing or it is damaged."""
    try:
        with safe_open(file, "np") as kept:
            text = task.text_encoder(Tokenizer.from_str(kept.metadata()["tokenizer"]))
            arrays = {name: kept.get_tensor(name) for name in kept.keys()}
    except (OSError, SafetensorError):
        return None
    splits = {"unlabelled": _NOTHING}
    for split in frames:
        ends = np.cumsum(arrays[f"{split}/lengths"])[:-1]
        splits[split] = Examples(
            _rows(arrays[f"{split}/ids"], ends), _rows(arrays[f"{split}/segments"], ends), arrays[f"{split}/labels"]
        )
    return Prepared(text, **splits)


def _key(task: Task, frames: dict[str, pd.DataFrame]) -> str:
    """What the tokens depend on: the texts, the labels, and how they are cut."""
    digest = hashlib.sha256(
        f"{_VERSION} {tokenizers.__version__} {task.max_tokens} {task.build_tokenizer.__name__}".encode()
    )
    for split, frame in frames.items():
        digest.update(split.encode())
        for column in frame.columns:
            digest.update(pd.util.hash_pandas_object(frame[column], index=False).to_numpy().tobytes())
    return digest.hexdigest()[:16]


def _flat(rows: Iterable[np.ndarray], kind: type) -> np.ndarray:
    return np.concatenate([np.empty(0, kind), *rows], dtype=kind)


def _rows(flat: np.ndarray, ends: np.ndarray) -> list[np.ndarray]:
    return np.split(flat, ends) if len(flat) else []
