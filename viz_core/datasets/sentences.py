"""Pairs of sentences of our own, from the samples, to see what a model's heads do that has no corpus here."""

from __future__ import annotations

import re
from functools import cache

import pandas as pd

from viz_core.datasets.sample import FOLDER

LANGUAGES = ("en", "zh")
PAIRS = 60
_REVIEWS, _QUESTIONS = "reviews_a.jsonl", "pairs.jsonl"
_END = re.compile(r"(?<=[.!?]) ")
_WORDS = range(4, 25)  # of a sentence: neither an exclamation nor a paragraph


@cache
def sentence_pairs(language: str) -> tuple[tuple[str, str], ...]:
    """PAIRS pairs: two neighbouring sentences of a review (en), or two questions (zh)."""
    return _questions() if language == "zh" else _neighbours()


def _questions() -> tuple[tuple[str, str], ...]:
    frame = pd.read_json(FOLDER / _QUESTIONS, lines=True, dtype=False)
    return tuple(zip(frame["sentence1"][:PAIRS], frame["sentence2"][:PAIRS], strict=True))


def _neighbours() -> tuple[tuple[str, str], ...]:
    pairs = []
    for text in pd.read_json(FOLDER / _REVIEWS, lines=True, dtype=False)["text"]:
        first, *rest = _END.split(text)
        if rest and all(len(sentence.split()) in _WORDS for sentence in (first, rest[0])):
            pairs.append((first, rest[0]))
    return tuple(pairs[:PAIRS])
