"""Short sentences about films, made from templates: negation, contrast and intensity.

Reviews of hundreds of words rarely show these by themselves. A template says how the polarity of a
sentence follows from that of one of its words; where it does not, a teacher alone decides
(`training/teacher.py`). Words and templates are in `review_sentences.toml`.
"""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd

T = TypeVar("T")

_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_WORDS: dict[str, list[str]] = _DATA["words"]
_SLOTS = _WORDS | {
    "word": _WORDS["good"] + _WORDS["bad"],
    "like": _WORDS["like"] + _WORDS["hate"],
    "liked": _WORDS["liked"] + _WORDS["hated"],
    "felt": _WORDS["pleased"] + _WORDS["displeased"],
}
_FAVOURABLE = {word for name in ("good", "like", "liked", "pleased") for word in _WORDS[name]}
_FAMILIES: tuple[list[str], ...] = tuple(  # negations twice as often
    _DATA["templates"][name] for name in ("statements", "negations", "negations", "contrasts", "intensities")
)
_SECOND = 0.3  # share of sentences that are followed by another one
_NONE, _NEGATIVE, _POSITIVE = -1, 0, 1
_SLOT = re.compile(r"{([+-]?)(\w+)}")


def review_sentences(corpus: pd.DataFrame, count: int, random: np.random.Generator) -> pd.DataFrame:
    """Make `count` distinct sentences, or pairs of them, as columns `text` and `label`, -1 for no label.

    The corpus is not read; it is a parameter because every `Task.augmentation` is given one.
    """
    labels: dict[str, int] = {}
    while len(labels) < count:
        sentences = [_sentence(random) for _ in range(1 + (random.random() < _SECOND))]
        first, last = sentences[0][1], sentences[-1][1]
        labels[" ".join(text for text, _ in sentences)] = first if first == last else _NONE
    return pd.DataFrame({"text": list(labels), "label": list(labels.values())})


def _sentence(random: np.random.Generator) -> tuple[str, int]:
    """Make a sentence and its label."""
    label = _NONE

    def fill(slot: re.Match[str]) -> str:
        nonlocal label
        sign, name = slot.groups()
        word = _pick(_SLOTS[name], random)
        if sign:
            label = _POSITIVE if (word in _FAVOURABLE) == (sign == "+") else _NEGATIVE
        return word

    words = _SLOT.sub(fill, _pick(_pick(_FAMILIES, random), random)).split()
    articles = [
        "an" if word == "a" and following[0] in "aeiou" else word
        for word, following in zip(words, words[1:], strict=False)
    ]
    text = " ".join([*articles, words[-1]])
    return f"{text[0].upper()}{text[1:]}.", label


def _pick(values: Sequence[T], random: np.random.Generator) -> T:
    return values[int(random.integers(len(values)))]
