"""Markdown: units, the rows of a table, and the file they are written into."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median

MB = 1_000_000
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
Unit = Callable[[float], str]


def milliseconds(value: float) -> str:
    if value >= 2000:
        return f"{value / 1000:,.1f} s"
    return f"{value:.3g} ms" if value < 100 else f"{value:.0f} ms"


def size(value: float) -> str:
    if value < MB:
        return f"{value / 1000:.0f} kB"
    return f"{value / MB:.2f} MB" if value < 10 * MB else f"{value / MB:,.0f} MB"


def header(title: str) -> str:
    return f"| {title} | target | reached | largest | BertViz |\n|---|---|---|---|---|"


def row(name: str, groups: Sequence[Sequence[float]], target: float | None, unit: Unit, beside: str = "") -> str:
    """The median of each group, all of which have to meet the target, and the largest value of all.

    The largest is left out where there is one value, or values that do not vary.
    """
    promised = f"≤ {unit(target)}" if target is not None else ""
    medians = [median(group) for group in groups if group]
    if not medians:
        return f"| {name} | {promised} | not measured | | {beside} |"
    reached, largest = " / ".join(map(unit, medians)), unit(max(max(group) for group in groups if group))
    if target is not None and max(medians) > target:
        reached = f"**{reached}, missed**"
    varies = len({unit(value) for group in groups for value in group}) > 1
    return f"| {name} | {promised} | {reached} | {largest if varies else ''} | {beside} |"


def middle(values: Iterable[float | None], unit: Unit, missing: str = "") -> str:
    """The median; `missing` where there is none for one of the repeats; nothing where there were no repeats."""
    values = list(values)
    if not values:
        return ""
    return missing if None in values else unit(median(values))


def write(file: Path, sections: Sequence[str]) -> None:
    """Replaces what stands between the two marks; the prose around them stays."""
    before, begin, rest = file.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{file} has no {BEGIN} and {END} to write between")
    file.write_text("".join([before, begin, "\n\n", "\n\n".join(sections), "\n\n", end, after]), encoding="utf-8")
