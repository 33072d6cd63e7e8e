"""AFQMC: pairs of Chinese questions, labelled as equivalent or not.

The Ant Financial Question Matching Corpus as published by CLUE (Xu et al. 2020). Its own test split
has no labels, so its dev split is our test, and validation is held out from train.
"""

from functools import partial
from reprlib import repr as shorten

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from viz_core.bounded_json import parse_json
from viz_core.datasets.corpus import Corpus, Members, named_files, zip_members
from viz_core.datasets.held_out import hold_out

FILES = ("train.json", "dev.json", "test.json")
members = partial(zip_members, files=FILES)


def parse(files: Members) -> dict[str, pd.DataFrame]:
    """Parse the pairs by split.

    No sentence of validation occurs in train or in `unlabelled`, not even with other punctuation or case.

    Raises:
        ValueError: If a file is missing, or a line is not a pair, naming file and line.
    """
    frames = {name: _pairs(name, content) for name, content in named_files(files, FILES).items()}
    train = frames["train.json"]
    return {
        **hold_out(train, sentence_groups(train) % 10 == 0, frames["test.json"].drop(columns="label", errors="ignore")),
        "test": frames["dev.json"],
    }


def _pairs(file: str, content: bytes) -> pd.DataFrame:
    # Lines are split as bytes: str.splitlines would also split at separators inside a sentence (U+2028).
    lines = [(number, line) for number, line in enumerate(content.splitlines(), 1) if line.strip()]
    rows = [_read_line(f"{file}, line {number}", line) for number, line in lines]
    frame = pd.DataFrame({"text": [row[0] for row in rows], "text_b": [row[1] for row in rows]})
    if rows and rows[0][2] is not None:
        if None in (labels := [row[2] for row in rows]):
            raise ValueError(f"{file}, line {lines[labels.index(None)][0]}: no label; write 0 or 1")
        frame["label"] = np.array(labels, np.int8)
    return frame


def _read_line(where: str, line: bytes) -> tuple[str, str, int | None]:
    """Parse a line into two sentences and the label; None if there is no label.

    Raises:
        ValueError: If the line is not a pair, naming `where`.
    """
    try:
        row = parse_json(line.decode("utf-8"))
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    match row:
        case {"sentence1": str(first), "sentence2": str(second), **others}:
            label = others.get("label")
        case _:
            raise ValueError(f"{where}: no object with a sentence1 and a sentence2; write both, as texts")
    if label is not None and (isinstance(label, bool) or label not in (0, 1, "0", "1")):
        raise ValueError(f"{where}: the label is {shorten(label)}, not 0 or 1")
    return first, second, None if label is None else int(label)


def sentence_groups(pairs: pd.DataFrame) -> np.ndarray:
    """The group of each pair, `(N,)`.

    Pairs that are linked by a common sentence, however indirectly, are in the same group.
    """
    sentences, _ = pd.factorize(pd.concat([pairs["text"], pairs["text_b"]], ignore_index=True))
    first, second = np.split(sentences, 2)
    size = int(sentences.max()) + 1
    _, group_of_sentence = connected_components(coo_array((np.ones(len(first)), (first, second)), shape=(size, size)))
    return group_of_sentence[first]


AFQMC = Corpus(
    name="afqmc",
    archive="afqmc_public.zip",
    folder="afqmc_public",
    url="https://storage.googleapis.com/cluebenchmark/tasks/afqmc_public.zip",
    known_hash=None,  # checked file by file: the archive has been repacked by its publisher
    file_hashes={
        "train.json": "41c0ed462fe3da60c575c4f81f4799ba8fbe51155f962adcfc19c26b2de3f012",
        "dev.json": "20b35a40e1aec2141e50247f798b2eef0e974accb9ca7196105ecb547c65c7b8",
        "test.json": "9d2a78d43215a0d4d34230f4aaca1d2cdbad03e1f268bef9da0468e0dc9eb4e5",
    },
    published={"train": 34_334, "test": 4_316, "unlabelled": 3_841},
    members=members,
    parse=parse,
)
