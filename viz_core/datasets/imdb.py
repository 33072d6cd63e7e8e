"""IMDB, the Large Movie Review Dataset (Maas et al. 2011): 50,000 reviews with labels, 50,000 without."""

import re
import tarfile
from pathlib import Path

import pandas as pd

from viz_core.datasets.corpus import Corpus, Members
from viz_core.datasets.held_out import hold_out

_REVIEW = re.compile(r"(?:.*/)?(train|test)/(pos|neg|unsup)/([0-9]{1,9})_[0-9]{1,9}\.txt")
BLOCK = 125  # neighbouring ids are often reviews of the same film (at most 30 per film): whole blocks are held out
VALIDATION_BLOCK = 4  # its remainder modulo ten, by which one block in ten is held out


def members(source: Path) -> Members:
    """Read path and content of every file in the archive or the extracted folder."""
    if source.is_dir():
        for file in sorted(source.glob("*/*/*.txt")):
            yield file.relative_to(source).as_posix(), file.read_bytes()
        return
    try:
        with tarfile.open(source) as archive:
            for member in archive:
                content = archive.extractfile(member) if member.isfile() else None
                if content and ".." not in Path(member.name).parts:
                    yield member.name, content.read()
            while archive.fileobj and archive.fileobj.read(1 << 20):  # to the end, where gzip stores its checksum
                pass
    except tarfile.TarError as error:
        raise OSError(str(error)) from error


def parse(files: Members) -> dict[str, pd.DataFrame]:
    """Parse the reviews by split.

    Validation is every tenth block of neighbouring ids in train, the same blocks for both classes,
    without the reviews that occur in train as well. No unlabelled review occurs in validation.

    Raises:
        ValueError: If there are no reviews, or a review, which it names, is not UTF-8.
    """
    rows = []
    for path, content in files:
        if match := _REVIEW.fullmatch(path):
            split, kind, number = match.groups()
            rows.append((split, kind, int(number), _text(path, content)))
    if not rows:
        raise ValueError("it holds no reviews such as aclImdb/train/pos/0_9.txt")
    columns = ["split", "kind", "number", "text"]
    frame = pd.DataFrame(rows, columns=columns).sort_values(["number", "kind"], ignore_index=True)
    frame["label"] = (frame["kind"] == "pos").astype("int8")
    labelled, train = frame["kind"] != "unsup", frame["split"] == "train"
    carved = frame.loc[labelled & train]
    held_out = carved["number"] // BLOCK % 10 == VALIDATION_BLOCK
    return {
        **hold_out(carved[["text", "label"]], held_out.to_numpy(), frame.loc[~labelled, ["text"]]),
        "test": frame.loc[labelled & ~train, ["text", "label"]].reset_index(drop=True),
    }


def _text(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: {error}") from error


IMDB = Corpus(
    name="imdb",
    archive="aclImdb_v1.tar.gz",
    folder="aclImdb",
    url="https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",
    known_hash="md5:7c2ac02c03563afcf9b574c7e56c153a",
    file_hashes={},
    published={"train": 25_000, "test": 25_000, "unlabelled": 49_963},
    members=members,
    parse=parse,
)
