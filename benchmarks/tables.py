"""Markdown tables: units, rows, and writing sections into a file."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median

MB = 1_000_000
Unit = Callable[[float], str]


def milliseconds(value: float) -> str:
    """Formats milliseconds; as seconds from 2,000 on."""
    if value >= 2000:
        return f"{value / 1000:,.1f} s"
    return f"{value:.3g} ms" if value < 100 else f"{value:.0f} ms"


def size(value: float) -> str:
    """Formats bytes as kB or MB."""
    if value < MB:
        return f"{value / 1000:.0f} kB"
    return f"{value / MB:.2f} MB" if value < 10 * MB else f"{value / MB:,.0f} MB"


def header(title: str) -> str:
    """The header of a table that compares with BertViz."""
    return f"| {title} | target | reached | largest | BertViz |\n|---|---|---|---|---|"


def row(name: str, groups: Sequence[Sequence[float]], target: float | None, unit: Unit, comparison: str = "") -> str:
    """A row with the median of each group, all of them subject to the target, and the largest value.

    The largest value is omitted if the values do not vary. comparison: the last cell.
    """
    target_text = f"≤ {unit(target)}" if target is not None else ""
    medians = [median(group) for group in groups if group]
    if not medians:
        return f"| {name} | {target_text} | not measured | | {comparison} |"
    reached, largest = " / ".join(map(unit, medians)), unit(max(max(group) for group in groups if group))
    if target is not None and max(medians) > target:
        reached = f"**{reached}, missed**"
    varies = len({unit(value) for group in groups for value in group}) > 1
    return f"| {name} | {target_text} | {reached} | {largest if varies else ''} | {comparison} |"


def middle(values: Iterable[float | None], unit: Unit, missing: str = "") -> str:
    """The median as text; `missing` if a value is None, empty without values."""
    values = list(values)
    if not values:
        return ""
    return missing if None in values else unit(median(values))


def write(file: Path, name: str, text: str) -> None:
    """Replaces a section of a file, between its two markers. Raises ValueError if either is missing."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, first, rest = file.read_text(encoding="utf-8").partition(begin)
    _, last, after = rest.partition(end)
    if not first or not last:
        raise ValueError(f"{file} has no {begin} and {end} to write between")
    file.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")
