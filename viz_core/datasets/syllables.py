"""Random syllables, twice: texts that a language model can go on with only by copying.

A text is a random beginning, then a random sequence, then the same sequence again. How long it is,
its period, is drawn anew for each text, and held-out periods never occur in training: a model that
has learned at which distance to look, instead of what to look for, fails on them.
"""

import numpy as np
import pandas as pd

SYLLABLES = [consonant + vowel for consonant in "bdfghjklmnprstvz" for vowel in "aeiu"]
_LONGEST_BEGINNING = 6
_HELD_OUT = range(22, 27)
# Number of texts and their periods, in syllables.
SPLITS = {"train": (48_000, range(8, 21)), "validation": (100, _HELD_OUT), "test": (500, _HELD_OUT)}


def make_rows(split: str) -> pd.DataFrame:
    """Make the texts of a split, always the same ones, in a column `text`; other splits are empty."""
    count, periods = SPLITS.get(split, (0, range(1, 2)))
    random = np.random.default_rng([*split.encode()])
    texts = [_text(random, int(period)) for period in random.choice(periods, count)]
    return pd.DataFrame({"text": texts}, dtype="str")


def _text(random: np.random.Generator, period: int) -> str:
    beginning = random.integers(_LONGEST_BEGINNING + 1)
    syllables = [SYLLABLES[number] for number in random.integers(len(SYLLABLES), size=beginning + period)]
    return " ".join([*syllables, *syllables[beginning:]])
