"""The record that holds everything specific to a task, and that of its kind."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from tokenizers import Tokenizer

from viz_core.datasets.aligned_pairs import read_aligned_pairs
from viz_core.datasets.behavioural_tests import read_behavioural_tests
from viz_core.datasets.corpus import Corpus
from viz_core.datasets.sample import read_sample
from viz_core.language import Words
from viz_core.recipes import Preset, Units
from viz_core.records import AlignedPair, BehaviouralTest, Examples
from viz_core.records.figures import Measure
from viz_core.text.tokenizer import Segmenter, TextEncoder

TokenizerBuilder = Callable[..., Tokenizer]  # (texts, max_tokens), as in `text/building.py`
Augmentation = Callable[[pd.DataFrame, int, np.random.Generator], pd.DataFrame]


@dataclass(frozen=True)
class TaskKind:
    """What the tasks of a kind have in common. Other packages have a record of their own for each kind (`OfKind`).

    described: what such a task is, in an error message. measures: on validation, besides the loss, in the order in
    which they are shown. vocabulary_splits: the splits whose texts make the vocabulary. reads_target: `text_b` is what
    the model writes, and segment 1 of an example. unused_settings: of a recipe, of which such a training has no use.
    """

    name: str
    described: str
    measures: tuple[Measure, ...]
    vocabulary_splits: tuple[str, ...]
    reads_target: bool = False
    unused_settings: tuple[str, ...] = ()

    def best_measure(self, name: str, task: str) -> Measure:
        """The measure of this name. Raises ValueError if it cannot choose the best checkpoint of the task."""
        measures = {measure.name: measure for measure in self.measures if measure.selects}
        if name not in measures:
            raise ValueError(f"best={name!r} does not fit: {task} is {self.described}; use {' or '.join(measures)}")
        return measures[name]


CLASSIFICATION = TaskKind(
    "classification",
    "a classification",
    (
        Measure("accuracy", format=".1%", training="train_accuracy"),
        Measure("auc", format=".3f", baseline=0.5),
        Measure("mcc", format=".3f", baseline=0.0),
    ),
    vocabulary_splits=("train", "validation", "duplicates"),  # the publisher's train split
)
# An example is `[CLS] source [SEP] target [SEP]`; its labels are the tokens of the target.
TRANSLATION = TaskKind(
    "translation",
    "a translation",
    (
        Measure("token_accuracy", selects=False, format=".1%", training="train_accuracy"),
        Measure("bleu", format=".1f", from_zero=True),
        Measure("chrf", selects=False, format=".1f", from_zero=True),
    ),
    vocabulary_splits=("train",),  # the target of a held-out row is what is to be predicted
    reads_target=True,
    unused_settings=(
        *("swap", "word_dropout", "pretrain_epochs", "class_weights", "fit_threshold", "r_drop"),
        *("teacher", "pieces", "augmentation", "embeddings"),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Task:
    """A task: reading, labelling or translating texts.

    citation: of the corpus and its test split, for the model card. build_tokenizer: unless a recipe has other `units`,
    for which other_tokenizers has a builder. segmenter: finds words of a language without spaces, else None. sample:
    files of the sample corpus in `datasets/sample/`. presets: by name. labels: class names by index, if it has classes.
    pair: a person types two texts per input. behavioural_test_file: in `datasets/behavioural_tests/`; aligned_file:
    pairs aligned by hand, in `datasets/aligned/`; None if there are none. slices: how accuracy is sliced besides by
    length: `negation`, `overlap` or None. augmentation: makes further inputs, which a teacher labels
    (`training/teacher.py`), from a corpus, their number (at most) and a source of random numbers, with the columns of
    the corpus, the label -1 where the teacher alone decides; None if there are none. words: the entries of a
    catalogue of its name, by language, and `label_<class>`, as far as the catalogues do not have them (`language.py`).
    """

    name: str
    kind: TaskKind = CLASSIFICATION
    corpus: Corpus
    citation: str
    max_tokens: int
    build_tokenizer: TokenizerBuilder
    segmenter: Segmenter | None
    sample: tuple[str, ...]
    presets: Mapping[str, Preset]
    labels: tuple[str, ...] = ()
    pair: bool = False
    other_tokenizers: Mapping[Units, TokenizerBuilder] = field(default_factory=dict)
    behavioural_test_file: str | None = None
    aligned_file: str | None = None
    slices: str | None = None
    augmentation: Augmentation | None = None
    words: Words = field(default_factory=dict)

    @property
    def input_texts(self) -> int:
        """How many texts a person types for one input."""
        return 1 + self.pair

    def tokenizer_builder(self, units: Units) -> TokenizerBuilder:
        """Builds the tokenizer of a recipe. Raises ValueError, naming those that there are."""
        if units == "default":
            return self.build_tokenizer
        if units not in self.other_tokenizers:
            known = " or ".join(["default", *self.other_tokenizers])
            raise ValueError(f"units={units!r} is not available for {self.name}: use {known}")
        return self.other_tokenizers[units]

    def text_encoder(self, tokenizer: Tokenizer) -> TextEncoder:
        return TextEncoder(tokenizer, self.segmenter)

    def read(self, split: str, data: str = "full") -> pd.DataFrame:
        """A split of the corpus (data `full`) or of the sample corpus (`sample`)."""
        return self.corpus.read(split) if data == "full" else read_sample(self.sample, self.labels, split)

    def texts(self, frame: pd.DataFrame) -> list[str]:
        """All texts of a frame; of pairs, both columns."""
        return [text for column in ("text", "text_b") if column in frame for text in frame[column]]

    def examples(self, frame: pd.DataFrame, encoder: TextEncoder) -> Examples:
        """Tokenises a frame; the label is -1 if the frame has none."""
        has_two = self.pair or self.kind.reads_target
        ids, segments = encoder.ids(list(frame["text"]), list(frame["text_b"]) if has_two else None)
        has_labels = bool(self.labels) and "label" in frame
        labels = frame["label"].to_numpy("int64") if has_labels else np.full(len(frame), -1, np.int64)
        return Examples(ids, segments, labels)

    def behavioural_tests(self) -> tuple[BehaviouralTest, ...]:
        """Its behavioural tests, category by category; empty if there are none."""
        return read_behavioural_tests(self.behavioural_test_file) if self.behavioural_test_file else ()

    def aligned_pairs(self) -> tuple[AlignedPair, ...]:
        """Its sentence pairs aligned by hand; empty if there are none."""
        return read_aligned_pairs(self.aligned_file) if self.aligned_file else ()
