"""Records of everything specific to a task, and to a kind of task."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from tokenizers import Tokenizer

from viz_core.datasets.aligned_pairs import read_aligned_pairs
from viz_core.datasets.behavioural_tests import read_behavioural_tests
from viz_core.datasets.corpus import Corpus
from viz_core.datasets.sample import read_sample
from viz_core.language import Words
from viz_core.recipes import Preset, Units
from viz_core.records import AlignedPair, BehaviouralTest, Examples, Failure
from viz_core.records.figures import Measure
from viz_core.text.piece_encoder import text_encoder
from viz_core.text.tokenizer import Segmenter, TextEncoder
from viz_core.text.windows import pack

TokenizerBuilder = Callable[..., Tokenizer]  # (texts, max_tokens), as in `text/building.py`
Augmentation = Callable[[pd.DataFrame, int, np.random.Generator], pd.DataFrame]


@dataclass(frozen=True)
class TaskKind:
    """What the tasks of a kind have in common.

    Other packages have records of their own for each kind (`OfKind`).

    Attributes:
        name: Name of the kind.
        described: Describes such a task in error messages.
        measures: Measures on validation besides the loss, in the order in which they are shown.
        vocabulary_splits: Splits whose texts the vocabulary is built from.
        reads_target: Whether `text_b` is the text that the model writes, segment 1 of an example.
        unused_settings: Settings of a recipe that such a training does not use.
    """

    name: str
    described: str
    measures: tuple[Measure, ...]
    vocabulary_splits: tuple[str, ...]
    reads_target: bool = False
    unused_settings: tuple[str, ...] = ()

    def best_measure(self, name: str, task: str) -> Measure:
        """Return the measure of this name.

        Raises:
            ValueError: If it cannot choose the best checkpoint of the task.
        """
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


# An example is a window of tokens; its labels are the tokens after the first.
LANGUAGE_MODEL = TaskKind(
    "language_model",
    "a language model",
    (
        Measure("perplexity", falls=True, format=".1f"),
        Measure("bits_per_character", falls=True, format=".3f"),
        Measure("token_accuracy", format=".1%", training="train_accuracy"),
        Measure("repeated_loss", falls=True, format=".3f"),
    ),
    vocabulary_splits=("train",),
    unused_settings=(
        *("swap", "word_dropout", "pretrain_epochs", "class_weights", "fit_threshold", "r_drop"),
        *("teacher", "pieces", "augmentation", "embeddings"),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Task:
    """A task: labelling, translating or continuing texts.

    Attributes:
        corpus: What the publisher's archive holds; None for a task whose rows are made (`make_rows`).
        citation: Source of the corpus and its test split, for the model card.
        build_tokenizer: Builds the tokenizer of a recipe with default `units`.
        segmenter: Finds words in a language without spaces; None if there are spaces.
        sample: Files of the sample corpus in `datasets/sample/`.
        make_rows: Makes the rows of a split, in place of corpus and sample.
        presets: Presets by name.
        labels: Class names by index; empty without classes.
        colours: Hues of the classes, `#rrggbb` by index; empty for those of the theme.
        pair: Whether an input is two texts.
        is_packed: Whether an example is a window of `max_tokens` tokens of all texts one after
            another, instead of a text.
        other_tokenizers: Builders for other `units`.
        behavioural_test_file: File in `datasets/behavioural_tests/`; None if there is none.
        own_tests: Behavioural tests that are in no file.
        aligned_file: File in `datasets/aligned/` with pairs aligned by hand; None if there are none.
        slices: How accuracy is sliced besides by length: `negation`, `overlap` or None.
        augmentation: Makes further inputs, which a teacher labels (`training/teacher.py`), from a
            corpus, their maximum number and a random generator. The result has the columns of the
            corpus, with label -1 where the teacher alone decides. None if there are none.
        default_model: Name of the checkpoint that is shown first; empty for the first by name.
        page: Last part of the address of its page.
        words: Entries of the catalogue for this task, by language, and `label_<class>`, unless the
            catalogues have them already (`language.py`).
    """

    name: str
    kind: TaskKind = CLASSIFICATION
    corpus: Corpus | None = None
    citation: str
    max_tokens: int
    build_tokenizer: TokenizerBuilder
    segmenter: Segmenter | None
    sample: tuple[str, ...] = ()
    make_rows: Callable[[str], pd.DataFrame] | None = None
    presets: Mapping[str, Preset]
    labels: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()
    pair: bool = False
    is_packed: bool = False
    other_tokenizers: Mapping[Units, TokenizerBuilder] = field(default_factory=dict)
    behavioural_test_file: str | None = None
    own_tests: tuple[BehaviouralTest, ...] = ()
    aligned_file: str | None = None
    slices: str | None = None
    augmentation: Augmentation | None = None
    default_model: str = ""
    page: str = ""
    words: Words = field(default_factory=dict)

    @property
    def input_texts(self) -> int:
        """Number of texts in one input."""
        return 1 + self.pair

    def tokenizer_builder(self, units: Units) -> TokenizerBuilder:
        """Return the builder of the tokenizer of a recipe.

        Raises:
            ValueError: If these units are not available; the message names those that are.
        """
        if units == "default":
            return self.build_tokenizer
        if units not in self.other_tokenizers:
            known = " or ".join(["default", *self.other_tokenizers])
            raise ValueError(f"units={units!r} is not available for {self.name}: use {known}")
        return self.other_tokenizers[units]

    def text_encoder(self, tokenizer: Tokenizer) -> TextEncoder:
        """Make the text encoder of the task from a tokenizer."""
        return text_encoder(tokenizer, self.segmenter)

    @property
    def data(self) -> tuple[str, ...]:
        """What it can be trained on: `sample` and, if there is a corpus, `full`."""
        return ("sample", "full") if self.corpus else ("sample",)

    def find_corpus(self) -> Path | None:
        """The path of the corpus; None if it is not here, or there is none."""
        return self.corpus.find() if self.corpus else None

    def require_corpus(self) -> Corpus:
        """Return the corpus.

        Raises:
            Failure: If the task has none.
        """
        if self.corpus is None:
            raise Failure("datasets.no_corpus", task=self.name)
        return self.corpus

    def read(self, split: str, data: str = "full") -> pd.DataFrame:
        """Read a split of the corpus (data `full`), or of the sample or the rows that are made (`sample`).

        Raises:
            Failure: If the corpus is missing or unreadable, or the task has none.
        """
        if data == "full":
            return self.require_corpus().read(split)
        return self.make_rows(split) if self.make_rows else read_sample(self.sample, self.labels, split)

    def texts(self, frame: pd.DataFrame) -> list[str]:
        """Return all texts of a frame, for pairs those of both columns."""
        return [text for column in ("text", "text_b") if column in frame for text in frame[column]]

    def examples(self, frame: pd.DataFrame, encoder: TextEncoder) -> Examples:
        """Tokenise a frame; the label is -1 if the frame has none."""
        if self.is_packed:
            windows = pack(encoder.whole_ids(list(frame["text"])), encoder.max_tokens)
            return Examples(windows, [np.zeros(len(ids), np.int8) for ids in windows], np.full(len(windows), -1))
        has_two = self.pair or self.kind.reads_target
        ids, segments = encoder.ids(list(frame["text"]), list(frame["text_b"]) if has_two else None)
        has_labels = bool(self.labels) and "label" in frame
        labels = frame["label"].to_numpy("int64") if has_labels else np.full(len(frame), -1, np.int64)
        return Examples(ids, segments, labels)

    def behavioural_tests(self) -> tuple[BehaviouralTest, ...]:
        """Return the behavioural tests, category by category; empty if there are none."""
        file = self.behavioural_test_file
        return (*(read_behavioural_tests(file) if file else ()), *self.own_tests)

    def aligned_pairs(self) -> tuple[AlignedPair, ...]:
        """Return the sentence pairs aligned by hand; empty if there are none."""
        return read_aligned_pairs(self.aligned_file) if self.aligned_file else ()
