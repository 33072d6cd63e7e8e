"""Sentence pairs aligned by hand, written for this project: which source word is which target word?

A line of a file is a JSON object. `source` and `target` hold words and punctuation separated by
spaces. `links`, such as `0-0 1p2`, holds numbers of a source and a target word, from 0, with `-`
between them for a sure link and `p` for a merely possible one, as in the references of Zenkel et
al. 2019.

A link is sure if nobody would align the words otherwise. Links are possible if the other language
does not have the word (measure words, 了, 的, 吗; articles, auxiliaries, “to”); they lead to the
words with which it forms a phrase. A word that corresponds to nothing has no link.
"""

import json
import re
from functools import cache
from pathlib import Path

from viz_core.records import AlignedPair

FOLDER = Path(__file__).with_name("aligned")
_LINK = re.compile(r"(\d+)([-p])(\d+)")


@cache
def read_aligned_pairs(file: str) -> tuple[AlignedPair, ...]:
    """Read the pairs in a file of FOLDER.

    Raises:
        ValueError: For invalid links, naming the line.
    """
    lines = (FOLDER / file).read_text(encoding="utf-8").splitlines()
    return tuple(_read_line(number, json.loads(line)) for number, line in enumerate(lines, 1))


def _read_line(number: int, row: dict) -> AlignedPair:
    source, target = row["source"].split(), row["target"].split()
    links: dict[tuple[int, int], str] = {}
    for text in row["links"].split():
        match = _LINK.fullmatch(text)
        if match is None:
            raise ValueError(f"line {number}: {text!r} is not a link: write 0-0 or 1p2")
        link = int(match[1]), int(match[3])
        if link[0] >= len(source) or link[1] >= len(target) or link in links:
            raise ValueError(
                f"line {number}: the link {text} is there twice, or beyond {len(source)} and {len(target)} words"
            )
        links[link] = match[2]
    sure = frozenset(link for link, kind in links.items() if kind == "-")
    return AlignedPair(tuple(source), tuple(target), sure, frozenset(links))
