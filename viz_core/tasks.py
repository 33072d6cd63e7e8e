"""The tasks: which corpus, which tokenizer, which labels. A new task is a file in `datasets/` and an entry here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from tokenizers import Tokenizer

from viz_core.datasets.afqmc import AFQMC
from viz_core.datasets.corpus import Corpus
from viz_core.datasets.imdb import IMDB
from viz_core.datasets.sample import read_sample
from viz_core.records import Examples, Failure
from viz_core.text.tokenizer import Segmenter, TextEncoder, build_character_tokenizer, build_word_tokenizer
from viz_core.text.words import chinese_words


@dataclass(frozen=True)
class Task:
    """labels: names of the classes by number. pair: two texts instead of one. segmenter: finds words where a token is
    a character."""

    name: str
    corpus: Corpus
    labels: tuple[str, ...]
    pair: bool
    max_tokens: int
    build_tokenizer: Callable[..., Tokenizer]
    segmenter: Segmenter | None

    def read(self, split: str, data: str = "full") -> pd.DataFrame:
        """One split of the real corpus (`full`) or of the sample that ships with the project (`sample`)."""
        return self.corpus.read(split) if data == "full" else read_sample(self.name, split)

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


TASKS = {task.name: task for task in (
    Task("imdb", IMDB, ("negative", "positive"), pair=False, max_tokens=512,
         build_tokenizer=build_word_tokenizer, segmenter=None),
    Task("afqmc", AFQMC, ("different", "same"), pair=True, max_tokens=64,
         build_tokenizer=build_character_tokenizer, segmenter=chinese_words),
)}


def task_named(name: str) -> Task:
    """Raises Failure, naming the tasks there are."""
    if name not in TASKS:
        raise Failure("tasks.unknown", name=name, known=list(TASKS))
    return TASKS[name]
