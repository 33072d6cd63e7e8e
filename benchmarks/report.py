"""What was promised, what was reached, and BertViz beside it."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.bertviz_page import Drawing, Limits
from benchmarks.explorer import KINDS, Measured, Shape
from benchmarks.tables import MB, header, middle, milliseconds, row, size

# The first drawing of 4 layers x 8 heads, by tokens: milliseconds and bytes. Larger models may take twice as much.
OPENING = {64: (250, 0.3 * MB), 128: (250, 0.6 * MB), 256: (300, 0.8 * MB), 512: (400, 1 * MB)}
SCRIPT, FETCHED = 16, 100  # milliseconds
MEMORY, MEMORY_TOKENS = 150 * MB, 512
FILE = 500_000
USUAL = (4, 8)


def compared(measured: Sequence[Measured], drawings: Sequence[Drawing], limits: Limits, file: int) -> str:
    """The tables. drawings: BertViz's, several of each number of tokens. file: bytes of the explorer as a file."""
    beside = [(one, _rivals(one.shape, drawings)) for one in measured]
    opening = [line for pair in beside for line in _opening(*pair, limits)]
    changes = [line for pair in beside for line in _changes(*pair)]
    memory = [line for pair in beside if pair[0].memory is not None for line in _memory(*pair)]
    tables = [
        "\n".join([header(title), *lines])
        for title, lines in (
            ("first drawing of everything", opening),
            (f"one change: {', '.join(KINDS)}", changes),
            ("renderer memory, everything looked at", memory),
            ("as one HTML file", [row("6 × 8 heads, 64 tokens", [[file]], FILE, size)]),
        )
        if lines
    ]
    return "\n\n".join(["## The explorer", *tables])


def rivals_only(drawings: Sequence[Drawing], limits: Limits) -> str:
    """BertViz alone: one line a page."""
    lines = ["| BertViz | page made | page | drawn | change of head | renderer memory |", "|---|---|---|---|---|---|"]
    return "\n".join(
        lines
        + [
            f"| {one.tokens} tokens | {_made([one])} | {size(one.html_bytes)} | {_drawn([one], limits)} "
            f"| {middle(one.switches, milliseconds)} | {_memory_of([one])} |"
            for one in drawings
        ]
    )


def _rivals(shape: Shape, drawings: Sequence[Drawing]) -> list[Drawing]:
    return [one for one in drawings if (shape.layers, shape.heads) == USUAL and one.tokens == shape.tokens]


def _opening(one: Measured, rivals: list[Drawing], limits: Limits) -> list[str]:
    time, sent = (_allowance(one.shape) * target for target in OPENING[one.shape.tokens])
    return [
        row(
            f"{_named(one.shape)}: click to drawn",
            [[opening.drawn for opening in one.openings]],
            time,
            milliseconds,
            f"{_drawn(rivals, limits)}; page made in {_made(rivals)}" if rivals else "",
        ),
        row(
            f"{_named(one.shape)}: sent",
            [[opening.received for opening in one.openings]],
            sent,
            size,
            middle([rival.html_bytes for rival in rivals], size),
        ),
    ]


def _changes(one: Measured, rivals: list[Drawing]) -> list[str]:
    held = [[change for change in one.changes if change.kind == kind and not change.fetched] for kind in KINDS]
    fetched = [change.drawn for change in one.changes if change.fetched]
    theirs = middle([time for rival in rivals for time in rival.switches], milliseconds)
    named, allowance = _named(one.shape), _allowance(one.shape)
    return [
        row(
            f"{named}: script",
            [[change.script for change in group] for group in held],
            allowance * SCRIPT,
            milliseconds,
        ),
        row(
            f"{named}: key to pixels",
            [[change.drawn for change in group] for group in held],
            None,
            milliseconds,
            theirs and f"{theirs} (head)",
        ),
        row(f"{named}: fetched, key to pixels", [fetched], allowance * FETCHED, milliseconds),
    ]


def _memory(one: Measured, rivals: list[Drawing]) -> list[str]:
    named = _named(one.shape)
    target = _allowance(one.shape) * MEMORY if one.shape.tokens == MEMORY_TOKENS else None
    return [
        row(f"{named}: above the page before the click", [[one.memory.explored - one.memory.page]], target, size),
        row(f"{named}: the same, garbage collected", [[one.memory.collected - one.memory.page]], None, size),
        row(f"{named}: above a blank page", [[one.memory.explored]], None, size, _memory_of(rivals)),
    ]


def _drawn(rivals: list[Drawing], limits: Limits) -> str:
    times = [None if rival.drawn is None else rival.drawn * 1000 for rival in rivals]
    waited = max([rival.waited for rival in rivals], default=0)
    why = "" if waited >= limits.seconds else ", out of memory"
    return middle(times, milliseconds, missing=f"not drawn in {waited:.0f} s{why}")


def _made(rivals: list[Drawing]) -> str:
    return middle([rival.made * 1000 for rival in rivals], milliseconds)


def _memory_of(rivals: list[Drawing]) -> str:
    if any(rival.memory is None for rival in rivals):
        return ""
    more = "more than " if any(rival.drawn is None for rival in rivals) else ""
    return more + middle([rival.memory for rival in rivals], size) if rivals else ""


def _allowance(shape: Shape) -> int:
    return 1 if (shape.layers, shape.heads) == USUAL else 2


def _named(shape: Shape) -> str:
    return f"{shape.layers} × {shape.heads} heads, {shape.tokens} tokens"
