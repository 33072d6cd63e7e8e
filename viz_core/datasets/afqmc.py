"""AFQMC, the Ant Financial Question Matching Corpus as published by CLUE (Xu et al. 2020): pairs of Chinese questions.

Its own test split has no labels, so its dev split is our test, and validation is held out from train.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from viz_core.datasets.corpus import Corpus, Members
from viz_core.datasets.held_out import hold_out
from viz_core.datasets.zip_files import zip_members

FILES = ("train.json", "dev.json", "test.json")


def members(source: Path) -> Members:
    """Path and content of the three files in the archive or the extracted folder."""
    return zip_members(source, FILES)


def parse(files: Members) -> dict[str, pd.DataFrame]:
    """Pairs by split; no sentence of validation occurs in train, not even with other punctuation or case.

    Raises ValueError if a file is missing.
    """
    frames = {Path(path).name: _pairs(content) for path, content in files}
    if missing := sorted(set(FILES) - set(frames)):
        raise ValueError(f"it holds no {', '.join(missing)}")
    train = frames["train.json"]
    return {
        **hold_out(train, sentence_groups(train) % 10 == 0),
        "test": frames["dev.json"],
        "unlabelled": frames["test.json"].drop(columns="label", errors="ignore"),
    }


def _pairs(content: bytes) -> pd.DataFrame:
    # Lines are split as bytes: str.splitlines would also split at separators inside a sentence (U+2028).
    rows = [json.loads(line) for line in content.splitlines() if line.strip()]
    frame = pd.DataFrame({"text": [row["sentence1"] for row in rows], "text_b": [row["sentence2"] for row in rows]})
    if rows and "label" in rows[0]:
        frame["label"] = np.array([int(row["label"]) for row in rows], np.int8)
    return frame


def sentence_groups(pairs: pd.DataFrame) -> np.ndarray:
    """Group of each pair, `(N,)`: pairs linked by a common sentence, however indirectly, are in the same group."""
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
    published={"train": 34_334, "test": 4_316, "unlabelled": 3_861},
    members=members,
    parse=parse,
)
