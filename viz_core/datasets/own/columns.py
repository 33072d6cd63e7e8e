"""Which column of a table holds the text, which the label: guessed from names and contents, for a person to correct."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pandas as pd

from viz_core.datasets.own.splits import split_name
from viz_core.records import Failure

MOST_CLASSES = 50
_TEXT = re.compile(
    r"text|sentence|review|title|headline|question|query|content|comment|message|tweet|utterance|document|body"
    r"|文本|句子|内容|评论|标题|问题|留言|正文",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"label|labels|class|category|sentiment|intent|topic|target|tag|stars|rating|y|标签|类别|分类|情感|意图|主题",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"split|set|subset|fold|partition|划分|数据集", re.IGNORECASE)
_FIRST = re.compile(r"(.*?)[ _.-]*(1|a|一|甲)", re.IGNORECASE)
_SECOND = {"1": "2", "a": "b", "A": "B", "一": "二", "甲": "乙"}
_PAIRS = (("premise", "hypothesis"), ("question", "sentence"), ("source", "target"))


@dataclass(frozen=True)
class Columns:
    """The columns of a table that a task is made of.

    Attributes:
        text: The text, or the first one of a pair.
        label: The class.
        text_b: The second text of a pair; empty for single texts.
        split: Says of each row whether it is for training, validation or test; empty if none does.
        group: What must not be torn apart by the split, such as an author; empty for none.
    """

    text: str
    label: str
    text_b: str = ""
    split: str = ""
    group: str = ""

    def check(self, frame: pd.DataFrame) -> None:
        """Check that the columns exist, and that none is used for two things.

        Raises:
            Failure: If not, naming the column.
        """
        used = [name for name in (self.text, self.text_b, self.label, self.split, self.group) if name]
        for name in used:
            if name not in frame.columns:
                raise Failure("own.no_column", column=name, known=list(map(str, frame.columns)))
            if used.count(name) > 1:
                raise Failure("own.column_twice", column=name)


def guess_columns(frame: pd.DataFrame) -> Columns:
    """Guess the columns of a table of strings.

    Names decide where they say something; otherwise the text is the column with the longest cells,
    and the label the one with the fewest values.

    Raises:
        Failure: If there are fewer than two columns.
    """
    names = list(frame.columns)
    if len(names) < 2:
        raise Failure("own.one_column", columns=names)
    split = next((name for name in names if _SPLIT.fullmatch(name) and _is_split(frame[name])), "")
    names = [name for name in names if name != split]
    text, text_b = _pair(names) or (_text(frame, names), "")
    label = _label(frame, [name for name in names if name not in (text, text_b)])
    return Columns(text, label, text_b, split)


def _is_split(values: pd.Series) -> bool:
    return all(split_name(value) for value in values.unique())


def _pair(names: list[str]) -> tuple[str, str] | None:
    by_name = {name.strip().casefold(): name for name in names}
    for first, second in _PAIRS:
        if first in by_name and second in by_name:
            return by_name[first], by_name[second]
    for name in names:
        if match := _FIRST.fullmatch(name.strip()):
            second = name.strip()[: match.start(2)] + _SECOND[match[2]]
            if second in names:
                return name, second
    return None


def _text(frame: pd.DataFrame, names: list[str]) -> str:
    named = [name for name in names if _TEXT.fullmatch(name.strip())]
    return max(named or names, key=lambda name: frame[name].str.len().mean())


def _label(frame: pd.DataFrame, names: list[str]) -> str:
    if named := [name for name in names if _LABEL.fullmatch(name.strip())]:
        return named[0]
    distinct = {name: frame[name].nunique() for name in names}
    fitting = [name for name in names if 2 <= distinct[name] <= MOST_CLASSES]
    return min(fitting or names, key=lambda name: distinct[name])
