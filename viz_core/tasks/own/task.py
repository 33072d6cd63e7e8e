"""From the definition of a task of one's own to a Task."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, partial

import pandas as pd

from viz_core.datasets.own.splits import SPLITS
from viz_core.datasets.own.understanding import Tokens
from viz_core.records import BehaviouralTest
from viz_core.tasks.own.definition import Definition
from viz_core.tasks.own.folder import find_definition, read_rows
from viz_core.tasks.own.presets import own_presets
from viz_core.tasks.task import Task, TokenizerBuilder
from viz_core.text.building import (
    build_byte_pair_tokenizer,
    build_character_tokenizer,
    build_chinese_word_tokenizer,
    build_word_tokenizer,
)
from viz_core.text.words import chinese_words


@dataclass(frozen=True)
class StartModel:
    """A model of ours that a training on few rows can start from.

    Attributes:
        name: Its task and its name.
        tokens: What its tokens are, or are like.
    """

    name: str
    tokens: Tokens


_STARTS = {  # by language, and whether an input is a pair
    ("en", False): StartModel("imdb/minilm", "byte_pairs"),
    ("zh", True): StartModel("afqmc/wide-distilled", "characters"),
    ("zh", False): StartModel("thucnews/wide", "characters"),
}
_FEW_ROWS = 2_000  # up to here a word that occurs twice is worth an embedding


def start_model(languages: Iterable[str], pair: bool) -> StartModel | None:
    """Return the model that a training on texts in these languages, the most frequent first, can start from."""
    return _STARTS.get((next(iter(languages), ""), pair))


def find_task(name: str) -> Task | None:
    """Find the task of one's own of this name; None if there is none."""
    definition = find_definition(name)
    return _task(definition) if definition else None


def task_of(definition: Definition) -> Task:
    """Make the Task of a definition."""
    train = definition.counts["train"]
    start = start_model(definition.languages, definition.pair)
    return Task(
        name=definition.name,
        page=definition.name,
        default_model="small",
        citation=f"“{definition.title}”, {sum(definition.counts.values()):,} rows of its owner's table; "
        + ", ".join(f"{definition.counts[split]:,} for {split}" for split in SPLITS)
        + f"; the table is {'kept where it was trained' if definition.keeps_rows else 'deleted after the training'}",
        labels=definition.labels,
        colours=definition.colours,
        pair=definition.pair,
        max_tokens=definition.max_tokens,
        build_tokenizer=_builder(definition.tokens, train),
        segmenter=chinese_words if definition.has_chinese or definition.tokens == "chinese_words" else None,
        make_rows=partial(_rows, definition.name, definition.pair),
        presets=own_presets(train, definition.pair, definition.class_weights, start.name if start else ""),
        slices="overlap" if definition.pair else None,
        own_tests=tuple(BehaviouralTest("own", test[:-1], test[-1]) for test in definition.tests),
        words={"en": dict.fromkeys(("page", "name", "title"), definition.title)},
    )


_task = lru_cache(maxsize=200)(task_of)


def _rows(name: str, pair: bool, split: str) -> pd.DataFrame:
    if split not in SPLITS:  # it has no others
        return pd.DataFrame({column: pd.Series(dtype="str") for column in ("text", "text_b")[: 1 + pair]}).assign(
            label=pd.Series(dtype="int16")
        )
    return read_rows(name, split)


def _builder(tokens: Tokens, rows: int) -> TokenizerBuilder:
    """The builder of a tokenizer; of few rows, rarer words get an embedding."""
    least = 1 if rows <= _FEW_ROWS else 2
    builders: dict[Tokens, TokenizerBuilder] = {
        "words": partial(build_word_tokenizer, min_count=least),
        "characters": build_character_tokenizer,
        "chinese_words": partial(build_chinese_word_tokenizer, min_count=least),
        "byte_pairs": partial(build_byte_pair_tokenizer, vocabulary=4_000),
    }
    return builders[tokens]
