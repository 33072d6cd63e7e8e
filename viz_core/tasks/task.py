"""What a task is: everything that is particular to it, in one record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd
from tokenizers import Tokenizer

from viz_core.datasets.corpus import Corpus
from viz_core.datasets.probes import read_probes
from viz_core.datasets.sample import read_sample
from viz_core.recipes import Preset
from viz_core.records import Examples, Probe
from viz_core.text.tokenizer import Segmenter, TextEncoder


@dataclass(frozen=True, kw_only=True)
class Task:
    """citation: the corpus and its test, as a model card names them. labels: names of the classes by number. pair: two
    texts instead of one. segmenter: finds words where a token is a character.

    sample: the files of the sample that ships with the project, in `datasets/sample/`. behavioural_tests: the file of
    texts that each test one thing, in `datasets/probes/`. presets: by name. slices: by what, beside length, a model's
    health is sliced: `negation`, `overlap`. None where a task has no such thing.
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
    behavioural_tests: str | None = None
    slices: str | None = None

    def read(self, split: str, data: str = "full") -> pd.DataFrame:
        """One split of the real corpus (`full`) or of the sample that ships with the project (`sample`)."""
        return self.corpus.read(split) if data == "full" else read_sample(self.sample, self.labels, split)

    def probes(self) -> tuple[Probe, ...]:
        """The texts that each test one thing, category by category; none where nobody has written any."""
        return read_probes(self.behavioural_tests) if self.behavioural_tests else ()

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
