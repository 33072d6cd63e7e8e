"""The record that holds everything specific to a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd
from tokenizers import Tokenizer

from viz_core.datasets.behavioural_tests import read_behavioural_tests
from viz_core.datasets.corpus import Corpus
from viz_core.datasets.sample import read_sample
from viz_core.recipes import Preset
from viz_core.records import BehaviouralTest, Examples
from viz_core.text.tokenizer import Segmenter, TextEncoder


@dataclass(frozen=True, kw_only=True)
class Task:
    """Everything specific to a task.

    citation: of the corpus and its test split, for the model card. labels: class names by index. pair: two texts per
    input. segmenter: finds words where tokens are characters, else None. sample: files of the sample corpus in
    `datasets/sample/`. behavioural_test_file: in `datasets/behavioural_tests/`, or None. presets: by name. slices: how
    accuracy is sliced besides by length: `negation`, `overlap` or None.
    """

    name: str
    corpus: Corpus
    citation: str
    labels: tuple[str, ...]
    pair: bool
    max_tokens: int
    build_tokenizer: Callable[..., Tokenizer]
    segmenter: Segmenter | None
    sample: tuple[str, ...]
    presets: Mapping[str, Preset]
    behavioural_test_file: str | None = None
    slices: str | None = None

    def read(self, split: str, data: str = "full") -> pd.DataFrame:
        """A split of the corpus (data `full`) or of the sample corpus (`sample`)."""
        return self.corpus.read(split) if data == "full" else read_sample(self.sample, self.labels, split)

    def behavioural_tests(self) -> tuple[BehaviouralTest, ...]:
        """The behavioural tests of the task, category by category; empty if it has none."""
        return read_behavioural_tests(self.behavioural_test_file) if self.behavioural_test_file else ()

    def texts(self, frame: pd.DataFrame) -> list[str]:
        """All texts of a frame; of pairs, both columns."""
        return [text for column in ("text", "text_b") if column in frame for text in frame[column]]

    def text_encoder(self, tokenizer: Tokenizer) -> TextEncoder:
        return TextEncoder(tokenizer, self.segmenter)

    def examples(self, frame: pd.DataFrame, encoder: TextEncoder) -> Examples:
        """Tokenises a frame; the label is -1 if the frame has none."""
        ids, segments = encoder.ids(list(frame["text"]), list(frame["text_b"]) if self.pair else None)
        labels = frame["label"].to_numpy("int64") if "label" in frame else pd.Series(-1, frame.index).to_numpy("int64")
        return Examples(ids, segments, labels)
