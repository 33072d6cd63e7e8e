"""What a task is: everything that is particular to it, in one record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd
from tokenizers import Tokenizer

from viz_core.datasets.corpus import Corpus
from viz_core.datasets.behavioural_tests import read_behavioural_tests
from viz_core.datasets.sample import read_sample
from viz_core.recipes import Preset
from viz_core.records import Examples, BehaviouralTest
from viz_core.text.tokenizer import Segmenter, TextEncoder


@dataclass(frozen=True, kw_only=True)
class Task:
    """citation: the corpus and its test, as a model card names them. labels: names of the classes by number. pair: two
    texts instead of one. segmenter: finds words where a token is a character.

    sample: files of the sample corpus that ships with the project, in `datasets/sample/`. behavioural_test_file: in
    `datasets/behavioural_tests/`. presets: by name. slices: how a model's health is sliced, besides by length: `negation`,
    `overlap`. None where the task has no such thing.
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
        """One split of the real corpus (`full`) or of the sample that ships with the project (`sample`)."""
        return self.corpus.read(split) if data == "full" else read_sample(self.sample, self.labels, split)

    def behavioural_tests(self) -> tuple[BehaviouralTest, ...]:
        """The behavioural tests of the task, category by category; empty where it has none."""
        return read_behavioural_tests(self.behavioural_test_file) if self.behavioural_test_file else ()

    def texts(self, frame: pd.DataFrame) -> list[str]:
        """Every text of a frame, both columns of a pair."""
        return [text for column in ("text", "text_b") if column in frame for text in frame[column]]

    def text_encoder(self, tokenizer: Tokenizer) -> TextEncoder:
        return TextEncoder(tokenizer, self.segmenter)

    def examples(self, frame: pd.DataFrame, encoder: TextEncoder) -> Examples:
        """A frame tokenised; rows without labels get -1."""
        ids, segments = encoder.ids(list(frame["text"]), list(frame["text_b"]) if self.pair else None)
        labels = frame["label"].to_numpy("int64") if "label" in frame else pd.Series(-1, frame.index).to_numpy("int64")
        return Examples(ids, segments, labels)
