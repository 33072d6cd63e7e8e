"""The records that hold everything specific to a task: what all tasks have, a classification, a translation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd
from tokenizers import Tokenizer

from viz_core.datasets.aligned_pairs import read_aligned_pairs
from viz_core.datasets.behavioural_tests import read_behavioural_tests
from viz_core.datasets.corpus import Corpus
from viz_core.datasets.sample import read_sample
from viz_core.recipes import Preset, Units
from viz_core.records import AlignedPair, BehaviouralTest, Examples
from viz_core.text.tokenizer import Segmenter, TextEncoder

TokenizerBuilder = Callable[..., Tokenizer]  # (texts, max_tokens), as in `text/building.py`
Augmentation = Callable[[pd.DataFrame, int, np.random.Generator], pd.DataFrame]


@dataclass(frozen=True, kw_only=True)
class TextTask(ABC):
    """What every task has.

    citation: of the corpus and its test split, for the model card. build_tokenizer: unless a recipe has other `units`,
    for which other_tokenizers has a builder. segmenter: finds words of a language without spaces, else None. sample:
    files of the sample corpus in `datasets/sample/`. presets: by name. vocabulary_splits: the splits whose texts make
    the vocabulary. measures: the figures on validation that an evaluation during training has, besides the loss, as in
    `records.Evaluation`. unused_settings: of a recipe, of which this kind of task has no use.
    """

    name: str
    corpus: Corpus
    citation: str
    max_tokens: int
    build_tokenizer: TokenizerBuilder
    segmenter: Segmenter | None
    sample: tuple[str, ...]
    presets: Mapping[str, Preset]
    vocabulary_splits: ClassVar[tuple[str, ...]]
    measures: ClassVar[tuple[str, ...]]
    unused_settings: ClassVar[tuple[str, ...]] = ()
    other_tokenizers: Mapping[Units, TokenizerBuilder] = field(default_factory=dict)

    def tokenizer_builder(self, units: Units) -> TokenizerBuilder:
        """Builds the tokenizer of a recipe. Raises ValueError, naming those that there are."""
        if units == "default":
            return self.build_tokenizer
        if units not in self.other_tokenizers:
            known = ", ".join(["default", *self.other_tokenizers])
            raise ValueError(f"units is {units}: {self.name} has {known}")
        return self.other_tokenizers[units]

    @property
    @abstractmethod
    def input_texts(self) -> int:
        """How many texts a person types for one input."""

    @abstractmethod
    def read(self, split: str, data: str = "full") -> pd.DataFrame:
        """A split of the corpus (data `full`) or of the sample corpus (`sample`)."""

    @abstractmethod
    def examples(self, frame: pd.DataFrame, encoder: TextEncoder) -> Examples:
        """Tokenises a frame; the label is -1 if the frame has none."""

    def behavioural_tests(self) -> tuple[BehaviouralTest, ...]:
        """The behavioural tests of the task, category by category; empty if it has none."""
        return ()

    def texts(self, frame: pd.DataFrame) -> list[str]:
        """All texts of a frame; of pairs, both columns."""
        return [text for column in ("text", "text_b") if column in frame for text in frame[column]]

    def text_encoder(self, tokenizer: Tokenizer) -> TextEncoder:
        return TextEncoder(tokenizer, self.segmenter)


@dataclass(frozen=True, kw_only=True)
class Task(TextTask):
    """A classification of texts or pairs of texts.

    labels: class names by index. pair: two texts per input. behavioural_test_file: in `datasets/behavioural_tests/`, or
    None. slices: how accuracy is sliced besides by length: `negation`, `overlap` or None. augmentation: makes further
    inputs, which a teacher labels (`training/teacher.py`), from a corpus, their number (at most) and a source of random
    numbers, with the columns of the corpus, the label -1 where the teacher alone decides; None if there are none.
    """

    labels: tuple[str, ...]
    pair: bool
    behavioural_test_file: str | None = None
    slices: str | None = None
    augmentation: Augmentation | None = None
    vocabulary_splits = ("train", "validation", "duplicates")  # the publisher's train split
    measures = ("accuracy", "auc", "mcc")

    @property
    def input_texts(self) -> int:
        return 1 + self.pair

    def read(self, split: str, data: str = "full") -> pd.DataFrame:
        return self.corpus.read(split) if data == "full" else read_sample(self.sample, self.labels, split)

    def examples(self, frame: pd.DataFrame, encoder: TextEncoder) -> Examples:
        ids, segments = encoder.ids(list(frame["text"]), list(frame["text_b"]) if self.pair else None)
        labels = frame["label"].to_numpy("int64") if "label" in frame else _without_labels(frame)
        return Examples(ids, segments, labels)

    def behavioural_tests(self) -> tuple[BehaviouralTest, ...]:
        return read_behavioural_tests(self.behavioural_test_file) if self.behavioural_test_file else ()


@dataclass(frozen=True, kw_only=True)
class TranslationTask(TextTask):
    """A translation of `text`, the source, into `text_b`, the target; an example is `[CLS] source [SEP] target [SEP]`,
    the target being segment 1. aligned_file: pairs aligned by hand, in `datasets/aligned/`, or None."""

    aligned_file: str | None = None
    vocabulary_splits = ("train",)  # the target of a held-out row is what is to be predicted
    measures = ("token_accuracy", "bleu", "chrf")
    # Its labels are the tokens of the target.
    unused_settings = ("swap", "word_dropout", "pretrain_epochs", "class_weights", "fit_threshold", "r_drop")

    @property
    def input_texts(self) -> int:
        return 1  # the target is what the model writes

    def read(self, split: str, data: str = "full") -> pd.DataFrame:
        return self.corpus.read(split) if data == "full" else read_sample(self.sample, (), split)

    def examples(self, frame: pd.DataFrame, encoder: TextEncoder) -> Examples:
        return Examples(*encoder.ids(list(frame["text"]), list(frame["text_b"])), _without_labels(frame))

    def aligned_pairs(self) -> tuple[AlignedPair, ...]:
        """Sentence pairs aligned by hand; empty if there are none."""
        return read_aligned_pairs(self.aligned_file) if self.aligned_file else ()


def _without_labels(frame: pd.DataFrame) -> np.ndarray:
    return np.full(len(frame), -1, np.int64)
