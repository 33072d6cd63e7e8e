"""Splits rows into train, validation and test, so that no text is in two of them."""

from collections.abc import Hashable, Sequence

import numpy as np

SPLITS = ("train", "validation", "test")
_NAMES = {
    "train": ("train", "training", "训练", "训练集"),
    "validation": ("validation", "valid", "val", "dev", "development", "验证", "验证集", "开发集"),
    "test": ("test", "testing", "eval", "evaluation", "测试", "测试集"),
}
_BY_NAME = {name: split for split, names in _NAMES.items() for name in names}
# Of few rows more are held out: 15 % of 400 are 60, and an accuracy on them is known to ±12 points.
_MANY_ROWS, _SHARE, _SHARE_OF_FEW = 5_000, 0.1, 0.15


def split_name(value: str) -> str:
    """The split that a cell names; empty if it names none."""
    return _BY_NAME.get(value.strip().casefold(), "")


def split_rows(
    labels: Sequence[Hashable],
    keys: Sequence[Hashable],
    given: Sequence[str] | None = None,
    groups: Sequence[Hashable] | None = None,
    seed: int = 0,
) -> np.ndarray:
    """Assign each row to a split, `(N,)`: `train`, `validation`, `test`, or empty for a row to leave out.

    Rows of a class are spread over the splits in the same shares. Where splits are given, they are
    kept, those that are missing are taken from train, and rows of train or validation whose text is
    also in a later split are left out.

    Args:
        labels: Class of each row.
        keys: Rows with the same key have the same text, and come into the same split.
        given: Split of each row, as the table says it.
        groups: Rows of the same group come into the same split, too.
        seed: Of the draw.
    """
    count = len(labels)
    splits = np.full(count, "train", object) if given is None else np.array(given, object)
    if given is not None:
        _leave_out_repeated(splits, np.asarray(keys, object))
    missing = [split for split in ("test", "validation") if split not in splits]
    free = np.flatnonzero(splits == "train")
    share = _SHARE if count >= _MANY_ROWS else _SHARE_OF_FEW
    units = _units(free, keys, groups)
    random = np.random.default_rng(seed)
    for split in missing:
        for rows in _draw(units, labels, round(share * count), random):
            splits[rows] = split
        units = [rows for rows in units if splits[rows[0]] == "train"]
    return splits


def _leave_out_repeated(splits: np.ndarray, keys: np.ndarray) -> None:
    for split, later in (("train", ("validation", "test")), ("validation", ("test",))):
        held_out = set(keys[np.isin(splits, later)])
        repeated = (splits == split) & np.array([key in held_out for key in keys], bool)
        splits[repeated] = ""


def _units(free: np.ndarray, keys: Sequence[Hashable], groups: Sequence[Hashable] | None) -> list[np.ndarray]:
    """The rows that have to stay together: those with a key or a group in common, directly or through others."""
    parent: dict[Hashable, Hashable] = {}

    def root(node: Hashable) -> Hashable:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for row in free:
        node = root(("key", keys[row]))
        if groups is not None:
            parent[node] = root(("group", groups[row]))
    members: dict[Hashable, list[int]] = {}
    for row in free:
        members.setdefault(root(("key", keys[row])), []).append(int(row))
    return [np.array(rows) for rows in members.values()]


def _draw(
    units: list[np.ndarray], labels: Sequence[Hashable], rows: int, random: np.random.Generator
) -> list[np.ndarray]:
    """Units with about so many rows in all, each class in its share; at least one row of each class stays."""
    total = sum(map(len, units))
    by_label: dict[Hashable, list[np.ndarray]] = {}
    for unit in units:
        by_label.setdefault(labels[unit[0]], []).append(unit)
    drawn = []
    for several in by_label.values():
        wanted, taken = rows * sum(map(len, several)) / total, 0
        for position in random.permutation(len(several))[:-1]:
            if taken + len(several[position]) / 2 > max(wanted, 1):
                break
            drawn.append(several[position])
            taken += len(several[position])
    return drawn
