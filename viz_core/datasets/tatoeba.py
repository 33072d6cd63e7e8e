"""Tatoeba's Chinese and English sentences with the same meaning, as selected by manythings.org/anki.

The publisher has no splits: a twentieth of the pairs each is our test and our validation.
"""

from functools import partial

import numpy as np
import pandas as pd

from viz_core.datasets.afqmc import sentence_groups
from viz_core.datasets.corpus import Corpus, Members, named_files, zip_members
from viz_core.datasets.held_out import comparable

FILES = ("cmn.txt",)
members = partial(zip_members, files=FILES)
_PART = 20  # one in so many groups of pairs is held out


def parse(files: Members) -> dict[str, pd.DataFrame]:
    """Parse the pairs by split: `text` is Chinese, `text_b` English.

    No sentence of a split occurs in another, not even with other punctuation or case: pairs linked
    by common sentences, however indirectly, stay together.

    Raises:
        ValueError: If the file is missing or holds no pairs, or a line, which it names, is not a
            pair.
    """
    pairs = _pairs(named_files(files, FILES)[FILES[0]])
    # A prefix for the language: a name may be the whole sentence in both languages.
    sides = pd.DataFrame({name: [f"{name}{comparable(text)}" for text in pairs[name]] for name in pairs})
    part = sentence_groups(sides) % _PART
    splits = {"validation": part == 0, "test": part == 1, "train": part > 1}
    frames = {split: pairs[rows].reset_index(drop=True) for split, rows in splits.items()}
    return {**frames, "duplicates": pairs[:0], "unlabelled": pairs[:0]}


def _pairs(content: bytes) -> pd.DataFrame:
    """Parse lines of an English sentence, a Chinese one and their attribution, separated by tabs."""
    pairs = []
    for number, line in enumerate(content.split(b"\n"), 1):
        try:
            sentences = line.decode("utf-8-sig" if number == 1 else "utf-8").split("\t")[:2]
        except UnicodeDecodeError as error:
            raise ValueError(f"{FILES[0]}, line {number}: {error}") from error
        if len(sentences) == 2:
            pairs.append(sentences)
        elif line.strip():
            raise ValueError(f"{FILES[0]}, line {number}: no pair of sentences; write two with a tab between them")
    if not pairs:
        raise ValueError(f"{FILES[0]} holds no pairs of sentences")
    english, chinese = np.array(pairs, object).T
    return pd.DataFrame({"text": chinese, "text_b": english})


TATOEBA = Corpus(
    name="tatoeba",
    archive="cmn-eng.zip",
    folder="cmn-eng",
    url="https://www.manythings.org/anki/cmn-eng.zip",
    known_hash=None,  # the archive is packed anew with every update; the file of our models is checked instead
    file_hashes={"cmn.txt": "aa264a2447b26ab7c9d413f8321f9e2a779fd134b5118306b6e26a3499b3926e"},
    published={"train": 27_731, "test": 1_424},  # of the 29,155 pairs of the publisher
    members=members,
    parse=parse,
)
