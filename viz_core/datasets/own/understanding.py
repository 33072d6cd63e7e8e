"""What is in the rows of a table: usable rows, classes, lengths, writing, repeated and contradictory texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd

from viz_core.datasets.held_out import comparable
from viz_core.datasets.own.columns import MOST_CLASSES, Columns
from viz_core.datasets.own.languages import find_languages
from viz_core.datasets.own.splits import SPLITS, split_name, split_rows
from viz_core.records import Failure, Message

Tokens = Literal["words", "characters", "chinese_words", "byte_pairs"]
TOKENS: tuple[Tokens, ...] = get_args(Tokens)
FEWEST_ROWS, FEWEST_OF_CLASS = 40, 5
MOST_LABEL = 60  # characters of the name of a class
SHORTEST, LONGEST = 8, 512  # tokens of an input
_SHORT = 30  # tokens; up to here no row is cut
_PERCENTILE = 95
_SHOWN = 3  # examples in a sentence
_QUOTED = 40  # characters of a cell that are quoted
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_WHOLE = re.compile(r"([+-]?\d+)\.0+")
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f]")
_LETTERS_AND_DIGITS = re.compile(r"\w")
_PIECE = 4.0  # characters of a byte-pair token, roughly
SPECIAL = {False: 2, True: 3}  # tokens around a text, and a pair


@dataclass(frozen=True, eq=False)
class Understanding:
    """What was understood of a table.

    Attributes:
        rows: `text`, `text_b` of pairs, `label` (its number), `split`; the index is the line in the
            file. Empty rows, repetitions and what cannot be used are left out.
        read: Number of rows in the table.
        labels: Names of the classes, by number.
        pair: Whether a row has two texts.
        lengths: Characters of a row: median, 95th percentile, longest.
        tokens: The tokens that suit the texts.
        languages: ISO 639 codes of the languages of the texts, the most frequent first, with their shares.
        notes: What was left out or looks strange.
    """

    rows: pd.DataFrame
    read: int
    labels: tuple[str, ...]
    pair: bool
    lengths: tuple[int, int, int]
    tokens: Tokens
    languages: Mapping[str, float]
    notes: tuple[Message, ...]

    @property
    def label_counts(self) -> dict[str, int]:
        """Number of rows of each class, the most frequent first."""
        counts = self.rows["label"].value_counts()
        return {self.labels[number]: int(count) for number, count in zip(counts.index, counts, strict=True)}

    @property
    def split_counts(self) -> dict[str, int]:
        """Number of rows of each split."""
        return {split: int((self.rows["split"] == split).sum()) for split in SPLITS}

    @property
    def majority(self) -> float:
        """Share of the largest class."""
        return max(self.label_counts.values()) / len(self.rows)

    def max_tokens(self, tokens: Tokens | None = None) -> int:
        """Length of an input that 95 % of the rows fit into, or all if they are short; special tokens included."""
        counts = _token_counts(self.rows, tokens or self.tokens)
        longest = max(np.percentile(counts, _PERCENTILE), min(counts.max(), _SHORT))
        return min(max(int(np.ceil(longest)) + SPECIAL[self.pair], SHORTEST), LONGEST)


def understand(frame: pd.DataFrame, columns: Columns, lines: np.ndarray | None = None, seed: int = 0) -> Understanding:
    """Understand the rows of a table, and split them.

    Args:
        frame: Columns of strings.
        columns: What is in which.
        lines: `(N,)`: the line in the file of each row, by default from 2.
        seed: Of the split.

    Raises:
        Failure: If nothing can be trained on them; it says what to do.
    """
    columns.check(frame)
    if frame.empty:
        raise Failure("own.few_rows", count=0, fewest=FEWEST_ROWS)
    numbers = np.arange(2, len(frame) + 2) if lines is None else lines
    texts = {"text": columns.text, **({"text_b": columns.text_b} if columns.text_b else {})}
    rows = pd.DataFrame({ours: frame[theirs].str.strip() for ours, theirs in texts.items()})
    rows["label"] = frame[columns.label].str.strip()
    for name, column in (("split", columns.split), ("group", columns.group)):
        if column:
            rows[name] = frame[column].str.strip()
    rows.index = pd.Index(numbers, name="line")
    notes: list[Message] = []
    rows = _without_empty(rows, list(texts), notes)
    if rows.empty:
        raise Failure("own.few_rows", count=0, fewest=FEWEST_ROWS)
    if len(rows) > 1 and rows["text"].nunique() == 1:
        raise Failure("own.all_equal", column=columns.text)
    rows["label"] = _clean_labels(rows["label"], columns, notes)
    if rows["label"].nunique() == 1:
        raise Failure("own.one_class", column=columns.label, label=_quote(rows["label"].iloc[0]))
    rows = _without_rare(rows, columns, notes)
    rows["key"] = _keys(rows)
    rows = _without_repeated(rows, notes)
    rows = _without_rare(rows, columns, notes)  # some classes may have lost their rows
    _check_rows(rows, columns)
    rows = _with_splits(rows, columns, seed, notes)
    labels = tuple(sorted(rows["label"].unique(), key=_natural))
    rows["label"] = rows["label"].map({label: number for number, label in enumerate(labels)}).astype("int16")
    _check_splits(rows, labels)
    kept = rows[[*texts, "label", "split"]]
    characters = np.sum([kept[name].str.len() for name in texts], axis=0)
    lengths = int(np.median(characters)), int(np.percentile(characters, _PERCENTILE)), int(characters.max())
    languages = find_languages([text for name in texts for text in kept[name]])
    return Understanding(
        kept, len(frame), labels, bool(columns.text_b), lengths, _recommend(kept), languages, tuple(notes)
    )


def _without_empty(rows: pd.DataFrame, texts: list[str], notes: list[Message]) -> pd.DataFrame:
    empty = (rows[[*texts, "label"]] == "").any(axis=1)
    if empty.any():
        notes.append(Message("own.empty", {"count": int(empty.sum()), "lines": _lines(rows[empty])}))
    return rows[~empty].copy()


def _clean_labels(labels: pd.Series, columns: Columns, notes: list[Message]) -> pd.Series:
    """The labels with one spelling each: 1.0 is 1, and upper and lower case are the same class."""
    labels = labels.str.replace(_WHOLE, r"\1", regex=True)
    spellings: dict[str, Counter[str]] = {}
    for label, count in Counter(labels).items():
        spellings.setdefault(label.casefold(), Counter())[label] += count
    names = {label: same.most_common(1)[0][0] for same in spellings.values() for label in same}
    if merged := sorted({label for label, name in names.items() if label != name}):
        notes.append(Message("own.spellings", {"labels": merged[:_SHOWN], "column": columns.label}))
    return labels.map(names)


def _without_rare(rows: pd.DataFrame, columns: Columns, notes: list[Message]) -> pd.DataFrame:
    counts = rows["label"].value_counts()
    rare = counts[counts < FEWEST_OF_CLASS]
    if len(rows) < FEWEST_ROWS:
        raise Failure("own.few_rows", count=len(rows), fewest=FEWEST_ROWS)
    if len(counts) > MOST_CLASSES and len(rare) > len(counts) / 2 or (len(counts) and len(rare) == len(counts)):
        _refuse_classes(rows["label"], counts, columns)
    if not len(rare):
        return rows
    named = [_quote(name) for name in rare.index[:_SHOWN]]
    notes.append(Message("own.rare", {"labels": named, "count": len(rare), "fewest": FEWEST_OF_CLASS}))
    return rows[~rows["label"].isin(rare.index)]


def _keys(rows: pd.DataFrame) -> pd.Series:
    """What two rows with the same text have in common; of a pair, in either order."""
    first = rows["text"].map(comparable).where(lambda plain: plain != "", rows["text"])  # 👍 has no letter
    if "text_b" not in rows:
        return first
    second = rows["text_b"].map(comparable).where(lambda plain: plain != "", rows["text_b"])
    return pd.Series(["\n".join(sorted(pair)) for pair in zip(first, second, strict=True)], rows.index, object)


def _without_repeated(rows: pd.DataFrame, notes: list[Message]) -> pd.DataFrame:
    """Without texts that have two labels, and with each text once, within its split if one is given."""
    labels = rows.groupby("key")["label"].transform("nunique")
    if (torn := labels > 1).any():
        notes.append(Message("own.contradictions", {"count": int(torn.sum()), "lines": _lines(rows[torn])}))
    rows = rows[~torn]
    repeated = rows.duplicated(["key", *(["split"] if "split" in rows else [])])
    if repeated.any():
        notes.append(Message("own.repeated", {"count": int(repeated.sum()), "lines": _lines(rows[repeated])}))
    return rows[~repeated].copy()


def _check_rows(rows: pd.DataFrame, columns: Columns) -> None:
    counts = rows["label"].value_counts()
    if len(rows) and (rows["label"] == rows["text"]).mean() > 1 / 2:
        raise Failure("own.label_is_text", column=columns.label)
    if len(counts) == 1:
        raise Failure("own.one_class", column=columns.label, label=_quote(counts.index[0]))
    if len(counts) > MOST_CLASSES:
        _refuse_classes(rows["label"], counts, columns)
    if len(rows) < FEWEST_ROWS:
        raise Failure("own.few_rows", count=len(rows), fewest=FEWEST_ROWS)
    for label in counts.index:
        if len(label) > MOST_LABEL or not label.isprintable():
            raise Failure("own.bad_label", column=columns.label, label=_quote(label), most=MOST_LABEL)


def _refuse_classes(labels: pd.Series, counts: pd.Series, columns: Columns) -> None:
    """Raise a Failure for labels that are no classes."""
    values = {"column": columns.label, "count": len(counts), "most": MOST_CLASSES, "fewest": FEWEST_OF_CLASS}
    if labels.map(lambda label: bool(_NUMBER.fullmatch(label))).all():
        raise Failure("own.numbers", **values, examples=[_quote(label) for label in counts.index[:_SHOWN]])
    if len(counts) > len(labels) / 2:
        raise Failure("own.label_is_text", **values)
    raise Failure("own.many_classes", **values)


def _with_splits(rows: pd.DataFrame, columns: Columns, seed: int, notes: list[Message]) -> pd.DataFrame:
    given = None
    if columns.split:
        given = rows["split"].map(split_name)
        if (unknown := given == "").any():
            examples = [_quote(value) for value in rows["split"][unknown].unique()[:_SHOWN]]
            raise Failure("own.unknown_split", column=columns.split, examples=examples, splits=list(SPLITS))
        if not (given == "train").any():
            raise Failure("own.no_train", column=columns.split)
    groups = list(rows["group"]) if columns.group else None
    splits = split_rows(
        list(rows["label"]), list(rows["key"]), None if given is None else list(given), groups, seed=seed
    )
    leaked = splits == ""
    if not (splits == "train").any():
        raise Failure("own.test_is_train", column=columns.split)
    if leaked.any():
        notes.append(Message("own.leaked", {"count": int(leaked.sum()), "lines": _lines(rows[leaked])}))
    rows = rows.assign(split=splits)
    return rows[~leaked].copy()


def _check_splits(rows: pd.DataFrame, labels: tuple[str, ...]) -> None:
    """Check that train has rows of every class, and that every split has two classes."""
    for split in SPLITS:
        present = set(rows["label"][rows["split"] == split])
        if len(present) < 2:
            raise Failure("own.split_without_classes", split=split, count=len(present))
    if missing := [label for number, label in enumerate(labels) if number not in set(_labels_of(rows, "train"))]:
        raise Failure("own.class_not_trained", labels=[_quote(label) for label in missing[:_SHOWN]])


def _labels_of(rows: pd.DataFrame, split: str) -> pd.Series:
    return rows["label"][rows["split"] == split]


def _token_counts(rows: pd.DataFrame, tokens: Tokens) -> np.ndarray:
    """Tokens of each row, `(N,)`, without special ones: estimated, so that no tokenizer has to be built for it."""
    texts = [rows[name] for name in ("text", "text_b") if name in rows]
    if tokens == "words":
        return np.sum([[len(cell.split()) for cell in text] for text in texts], axis=0)
    characters = np.sum([[len(cell) for cell in text] for text in texts], axis=0)
    return characters / {"characters": 1.0, "chinese_words": 1.5, "byte_pairs": _PIECE}[tokens]


def _recommend(rows: pd.DataFrame) -> Tokens:
    """Tokens for these texts: words where they have spaces."""
    text = "".join(rows["text"].head(2_000).str.slice(0, 500))
    letters = max(1, len(_LETTERS_AND_DIGITS.findall(text)))
    has_spaces = len(_SPACELESS.findall(text)) < 0.3 * letters
    return "words" if has_spaces else "characters"


def _lines(rows: pd.DataFrame) -> list[int]:
    return [int(line) for line in rows.index[:_SHOWN]]


def _quote(text: str) -> str:
    return text if len(text) <= _QUOTED else f"{text[: _QUOTED - 1]}…"


def _natural(label: str) -> tuple[int, float, str]:
    """Sorts numbers by value, before words."""
    return (0, float(label), label) if _NUMBER.fullmatch(label) else (1, 0.0, label)
