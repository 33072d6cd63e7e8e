"""The tables of the explorer: targets, measurements, and BertViz for comparison."""

from collections.abc import Sequence

from benchmarks.explorer import KINDS, Measurement, Shape
from benchmarks.notebook_page import Drawing, Limits
from benchmarks.tables import MB, header, middle, milliseconds, row, size

# Targets for the first drawing of 4 layers x 8 heads, by tokens: milliseconds and bytes. Doubled for larger models.
OPENING = {64: (250, 0.3 * MB), 128: (250, 0.6 * MB), 256: (300, 0.8 * MB), 512: (400, 1 * MB)}
SCRIPT, FETCHED = 16, 100  # milliseconds: script per change, change that fetches weights; doubled for larger models
LONG_FETCHED = 150  # the same, of 1,024 tokens
MEMORY, MEMORY_TOKENS = 150 * MB, 512
FILE = 500_000
DEFAULT_HEADS = (4, 8)  # layers and heads per layer


def explorer_tables(measurements: Sequence[Measurement], drawings: Sequence[Drawing], limits: Limits, file: int) -> str:
    """The section as Markdown. drawings: BertViz, several per number of tokens. file: bytes of the standalone HTML."""
    pairs = [(measurement, _same_size(measurement.shape, drawings)) for measurement in measurements]
    opening = [line for pair in pairs for line in _opening(*pair, limits)]
    changes = [line for pair in pairs for line in _changes(*pair)]
    memory = [line for pair in pairs if pair[0].memory is not None for line in _memory(*pair)]
    tables = [
        "\n".join([header(title), *lines])
        for title, lines in (
            ("first drawing of everything", opening),
            (f"one change: {', '.join(KINDS)}", changes),
            ("renderer memory, every head shown", memory),
            ("as one HTML file", [row("6 × 8 heads, 64 tokens", [[file]], FILE, size)]),
        )
        if lines
    ]
    return "\n\n".join(["## The explorer", *tables])


def bertviz_table(drawings: Sequence[Drawing], limits: Limits) -> str:
    """A table of BertViz alone, a row per page."""
    lines = ["| BertViz | page made | page | drawn | change of head | renderer memory |", "|---|---|---|---|---|---|"]
    return "\n".join(
        lines
        + [
            f"| {drawing.tokens} tokens | {_build_time([drawing])} | {size(drawing.html_bytes)} "
            f"| {_draw_time([drawing], limits)} | {middle(drawing.switches, milliseconds)} "
            f"| {_renderer_memory([drawing])} |"
            for drawing in drawings
        ]
    )


def _same_size(shape: Shape, drawings: Sequence[Drawing]) -> list[Drawing]:
    """BertViz's drawings of the same size; none unless it has the default number of heads."""
    if (shape.layers, shape.heads) != DEFAULT_HEADS:
        return []
    return [drawing for drawing in drawings if drawing.tokens == shape.tokens]


def _opening(measurement: Measurement, drawings: list[Drawing], limits: Limits) -> list[str]:
    targets = OPENING.get(measurement.shape.tokens)
    time, sent = (_allowance(measurement.shape) * target for target in targets) if targets else (None, None)
    return [
        row(
            f"{_name(measurement.shape)}: click to drawn",
            [[opening.drawn for opening in measurement.openings]],
            time,
            milliseconds,
            f"{_draw_time(drawings, limits)}; page made in {_build_time(drawings)}" if drawings else "",
        ),
        row(
            f"{_name(measurement.shape)}: sent",
            [[opening.received for opening in measurement.openings]],
            sent,
            size,
            middle([drawing.html_bytes for drawing in drawings], size),
        ),
    ]


def _changes(measurement: Measurement, drawings: list[Drawing]) -> list[str]:
    changes = measurement.changes
    in_memory = [[change for change in changes if change.kind == kind and not change.fetched] for kind in KINDS]
    fetched = [change.drawn for change in changes if change.fetched]
    bertviz = middle([time for drawing in drawings for time in drawing.switches], milliseconds)
    name, allowance = _name(measurement.shape), _allowance(measurement.shape)
    is_long = measurement.shape.tokens > MEMORY_TOKENS
    return [
        row(
            f"{name}: script",
            [[change.script for change in group] for group in in_memory],
            None if is_long else allowance * SCRIPT,
            milliseconds,
        ),
        row(
            f"{name}: key to pixels",
            [[change.drawn for change in group] for group in in_memory],
            None,
            milliseconds,
            bertviz and f"{bertviz} (head)",
        ),
        row(
            f"{name}: fetched, key to pixels", [fetched], LONG_FETCHED if is_long else allowance * FETCHED, milliseconds
        ),
    ]


def _memory(measurement: Measurement, drawings: list[Drawing]) -> list[str]:
    name, memory = _name(measurement.shape), measurement.memory
    target = _allowance(measurement.shape) * MEMORY if measurement.shape.tokens == MEMORY_TOKENS else None
    return [
        row(f"{name}: above the page before the click", [[memory.explored - memory.page]], target, size),
        row(f"{name}: the same, garbage collected", [[memory.collected - memory.page]], None, size),
        row(f"{name}: above a blank page", [[memory.explored]], None, size, _renderer_memory(drawings)),
    ]


def _draw_time(drawings: list[Drawing], limits: Limits) -> str:
    times = [None if drawing.draw_seconds is None else drawing.draw_seconds * 1000 for drawing in drawings]
    waited = max([drawing.waited for drawing in drawings], default=0)
    cause = "" if waited >= limits.seconds else ", out of memory"
    return middle(times, milliseconds, missing=f"not drawn in {waited:.0f} s{cause}")


def _build_time(drawings: list[Drawing]) -> str:
    return middle([drawing.build_seconds * 1000 for drawing in drawings], milliseconds)


def _renderer_memory(drawings: list[Drawing]) -> str:
    if any(drawing.memory is None for drawing in drawings):
        return ""
    more = "more than " if any(drawing.draw_seconds is None for drawing in drawings) else ""
    return more + middle([drawing.memory for drawing in drawings], size) if drawings else ""


def _allowance(shape: Shape) -> int:
    return 1 if (shape.layers, shape.heads) == DEFAULT_HEADS else 2


def _name(shape: Shape) -> str:
    return f"{shape.layers} × {shape.heads} heads, {shape.tokens} tokens"
