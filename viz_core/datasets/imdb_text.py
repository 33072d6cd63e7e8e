"""Film reviews as plain text, for a language model: the 75,000 reviews of IMDB that are not its test split."""

from dataclasses import replace

import pandas as pd

from viz_core.datasets import imdb
from viz_core.datasets.corpus import Members


def parse(files: Members) -> dict[str, pd.DataFrame]:
    """Parse the reviews by split, without labels; train has those of the unlabelled split, too.

    Validation is that of the sentiment task: blocks of neighbouring ids, and no review of it is in
    train.

    Raises:
        ValueError: As `imdb.parse`.
    """
    frames = {split: frame[["text"]] for split, frame in imdb.parse(files).items()}
    unlabelled = frames["unlabelled"]
    train = pd.concat([frames["train"], unlabelled], ignore_index=True)
    return {**frames, "train": train, "unlabelled": unlabelled.iloc[:0]}


IMDB_TEXT = replace(
    imdb.IMDB, name="imdb-text", published={"train": 74_963, "test": 25_000, "unlabelled": 0}, parse=parse
)
