"""The sample corpora, written for this project, so that tests and short trainings need no download.

Pairs of their sentences show what the heads do in a model that has no corpus here.
"""

import re
from functools import cache
from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).with_name("sample")
_HOLD_OUT = {8: "validation", 9: "test"}  # by row number modulo 10, counted within the class if there are classes
_COLUMNS = {"sentence1": "text", "sentence2": "text_b"}  # the usual names in published corpora of pairs
LANGUAGES = ("en", "zh")
PAIRS = 60
_REVIEWS, _QUESTIONS = "reviews_a.jsonl", "pairs.jsonl"
_END = re.compile(r"(?<=[.!?]) ")
_WORDS = range(4, 25)  # length of a sentence: more than an exclamation, less than a paragraph


def _read(file: str) -> pd.DataFrame:
    return pd.read_json(FOLDER / file, lines=True, dtype=False)


@cache
def _rows(files: tuple[str, ...], labels: tuple[str, ...]) -> pd.DataFrame:
    frame = pd.concat(map(_read, files), ignore_index=True).rename(columns=_COLUMNS)
    if labels:
        numbers = {str(number): number for number in range(len(labels))} | {name: i for i, name in enumerate(labels)}
        frame["label"] = frame["label"].map(lambda label: numbers[str(label)]).astype("int8")
    else:
        frame = frame.drop(columns="label", errors="ignore")
    position = (frame.groupby("label").cumcount() if labels else pd.Series(range(len(frame)))) % 10
    return frame.assign(split=position.map(_HOLD_OUT).fillna("train"))


def read_sample(files: tuple[str, ...], labels: tuple[str, ...], split: str) -> pd.DataFrame:
    """Read `train`, `validation` or `test` with the columns of the real corpus, stratified by class.

    `unlabelled` is empty.

    Args:
        files: Names in FOLDER. A line has `text` (and `text_b`), or `sentence1` and `sentence2`,
            and as `label` the name or the number of a class, if there are classes.
        labels: Names of the classes.
        split: Name of the split.
    """
    frame = _rows(files, labels)
    return frame[frame["split"] == split].drop(columns="split").reset_index(drop=True)


@cache
def sample_texts(file: str) -> tuple[tuple[str, ...], ...]:
    """The texts of each row of a file in FOLDER, one or two."""
    frame = _read(file).rename(columns=_COLUMNS)
    return tuple(zip(*(frame[name] for name in ("text", "text_b") if name in frame), strict=True))


@cache
def sentence_pairs(language: str) -> tuple[tuple[str, str], ...]:
    """PAIRS pairs of sentences: two neighbouring ones of a review (en), or two questions (zh)."""
    if language == "zh":
        questions = _read(_QUESTIONS)
        return tuple(zip(questions["sentence1"][:PAIRS], questions["sentence2"][:PAIRS], strict=True))
    pairs = []
    for text in _read(_REVIEWS)["text"]:
        first, *rest = _END.split(text)
        if rest and all(len(sentence.split()) in _WORDS for sentence in (first, rest[0])):
            pairs.append((first, rest[0]))
    return tuple(pairs[:PAIRS])
