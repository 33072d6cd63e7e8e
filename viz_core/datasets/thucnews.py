"""Titles of Chinese news in ten classes, from THUCNews.

20,000 titles accompany a collection of classifiers, out of the 200,000 that its author drew from
THUCNews, the corpus of news of Tsinghua University (Sun et al. 2016). We take the two files of
10,000 titles that were drawn like the rest, `dev.txt` and `test.txt`: train and validation come
from the former.
"""

from functools import partial

import numpy as np
import pandas as pd

from viz_core.datasets.corpus import Corpus, Members, named_files, zip_members
from viz_core.datasets.held_out import hold_out

FILES = ("dev.txt", "test.txt")
members = partial(zip_members, files=FILES)
LABELS = (  # in the order of their numbers in the files
    "finance",
    "realty",
    "stocks",
    "education",
    "science",
    "society",
    "politics",
    "sports",
    "game",
    "entertainment",
)


def parse(files: Members) -> dict[str, pd.DataFrame]:
    """Parse the titles by split.

    Every tenth row of `dev.txt` is validation; the order of the rows is random. No title of
    validation occurs in train, not even with other punctuation or case.

    Raises:
        ValueError: If a file is missing, or a line is not a title and the number of a class, naming
            the first.
    """
    frames = {name: _titles(name, content) for name, content in named_files(files, FILES).items()}
    rows = frames["dev.txt"]
    return {
        **hold_out(rows, np.arange(len(rows)) % 10 == 0, pd.DataFrame({"text": pd.Series(dtype=str)})),
        "test": frames["test.txt"],
    }


def _titles(name: str, content: bytes) -> pd.DataFrame:
    texts, labels = [], []
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        text, tab, label = line.decode("utf-8").rstrip("\r").rpartition("\t")
        if not tab or label not in map(str, range(len(LABELS))):
            raise ValueError(f"{name}, line {number}, is not a title, a tab and a number from 0 to {len(LABELS) - 1}")
        texts.append(text)
        labels.append(int(label))
    return pd.DataFrame({"text": texts, "label": np.array(labels, np.int8)})


THUCNEWS = Corpus(
    name="thucnews",
    archive="thucnews_titles.zip",
    folder="thucnews_titles",
    url="https://github.com/649453932/Chinese-Text-Classification-Pytorch/archive/refs/heads/master.zip",
    known_hash=None,  # checked file by file: the archive also has other files
    file_hashes={
        "dev.txt": "6ed73aa2c57ee1560c8f76570d48735c4b1c29ae4983fe3523d56e115813e175",
        "test.txt": "ebecc8c896635ad69730083ca7b81d37c42c9a5779bc05c9d2479d894e34f026",
    },
    published={"train": 10_000, "test": 10_000, "unlabelled": 0},
    members=members,
    parse=parse,
)
