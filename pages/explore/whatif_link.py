"""The changes of what-if in the link. Layers, heads, queries and tokens count from 1, parts are separated by spaces.

    masked=1.2 4.*      heads, `layer.head`; `*` for all heads of a layer. Also: uniform
    removed=3 7         tokens. Also: deleted, unknown, blocked
    rows=2.1.3:AbC…     edited rows, `layer.head.query:weights`; the weights of all T tokens as multiples of 1/65535,
                        two bytes each, the high one first, in the base 64 of addresses without padding
    row=2.1.3           the row that is shown, whether edited or not

Weights that the browser sends are such multiples already (source/whatif/changes.js), so that a link computes the same.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Iterable, Mapping

import numpy as np

from viz_core.analysis.whatif import Changes, Head, Row
from viz_core.records import Failure

HEADS, TOKENS = ("masked", "uniform"), ("removed", "deleted", "unknown", "blocked")
NO_CHANGES = dict.fromkeys((*HEADS, *TOKENS, "rows"), "")
LEVELS = 65535  # weights are multiples of 1/LEVELS
_NUMBER = "([1-9][0-9]{0,3})"
_HEAD, _TOKEN = rf"{_NUMBER}\.(?:{_NUMBER}|\*)", _NUMBER
_ROW = rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}"


def to_link(changes: Changes, heads: int) -> dict[str, str]:
    """The changes as strings, empty where nothing is changed. heads: per layer, which `*` stands for."""
    return {
        **{name: _heads_to_link(getattr(changes, name), heads) for name in HEADS},
        **{name: " ".join(str(token + 1) for token in sorted(getattr(changes, name))) for name in TOKENS},
        "rows": " ".join(f"{row_to_link(row)}:{_encode(changes.rows[row])}" for row in sorted(changes.rows)),
    }


def from_link(values: Mapping[str, str], heads: int) -> Changes:
    """The changes that a link names; whether the input has what they name is for `check_changes`. Raises Failure."""
    return Changes(
        **{name: frozenset(_heads_from_link(name, values.get(name, ""), heads)) for name in HEADS},
        **{name: frozenset(token for (token,) in _numbers(name, values.get(name, ""), _TOKEN)) for name in TOKENS},
        rows=dict(_rows(values.get("rows", ""))),
    )


def row_to_link(row: Row) -> str:
    """Layer, head and query."""
    return ".".join(str(number + 1) for number in row)


def row_from_link(value: str) -> Row:
    """Layer, head and query from 0. Raises Failure."""
    rows = list(_numbers("row", value, _ROW))
    if len(rows) != 1:
        raise Failure("whatif.link_unreadable", name="row", value=value)
    return rows[0]


def _heads_to_link(changed: Iterable[Head], heads: int) -> str:
    by_layer: dict[int, list[int]] = {}
    for layer, head in sorted(changed):
        by_layer.setdefault(layer, []).append(head)
    return " ".join(
        f"{layer + 1}.{head}"
        for layer, numbers in by_layer.items()
        for head in (["*"] if len(numbers) == heads > 1 else [number + 1 for number in numbers])
    )


def _heads_from_link(name: str, value: str, heads: int) -> Iterable[Head]:
    for layer, head in _numbers(name, value, _HEAD):
        yield from [(layer, head)] if head is not None else [(layer, number) for number in range(heads)]


def _rows(value: str) -> Iterable[tuple[Row, np.ndarray]]:
    for part in value.split():
        row, _, weights = part.partition(":")
        if not re.fullmatch("[A-Za-z0-9_-]+", weights) or not re.fullmatch(_ROW, row):
            raise Failure("whatif.link_unreadable", name="rows", value=part)
        try:
            data = urlsafe_b64decode(weights + "=" * (-len(weights) % 4))
            decoded = np.frombuffer(data, ">u2") / LEVELS
        except (Error, ValueError):  # not a whole number of bytes, or of weights
            raise Failure("whatif.link_unreadable", name="rows", value=part) from None
        yield row_from_link(row), decoded


def _encode(weights: np.ndarray) -> str:
    levels = np.rint(np.clip(weights, 0, 1) * LEVELS).astype(">u2")
    return urlsafe_b64encode(levels.tobytes()).decode().rstrip("=")


def _numbers(name: str, value: str, pattern: str) -> Iterable[tuple]:
    """The numbers, from 0, of each part that has the pattern; None for `*`. Raises Failure if a part has another."""
    for part in value.split():
        match = re.fullmatch(pattern, part)
        if match is None:
            raise Failure("whatif.link_unreadable", name=name, value=part)
        yield tuple(None if number is None else int(number) - 1 for number in match.groups())
