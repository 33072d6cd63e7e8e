"""All heads of a layer as small heat maps on a shared colour scale."""

from collections.abc import Sequence
from math import ceil

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz_core.language import Translator
from viz_core.records import AttentionMap
from viz_core.rendering import frame, labels, marks, scales
from viz_core.rendering.checks import check_map
from viz_core.rendering.heatmap import boundaries, colour_axis, hatch
from viz_core.rendering.theme import Theme

MAX_CELLS = 64  # per side; with more, a cell would be smaller than two pixels
COLUMNS = 4
SIDE = 0.36  # of a map, as a share of the theme's side


def head_grid(
    maps: Sequence[AttentionMap],
    titles: Sequence[str],
    say: Translator,
    theme: Theme,
    scale: scales.Scale = "linear",
    limit: scales.Limit = "full",
) -> go.Figure:
    """Titled small heat maps, four per row, in one colour scale.

    Maps of more than 64 tokens are max-pooled to at most 64 × 64 cells, which the note below
    states.

    Args:
        limit: Of the colours (`scales.limits`); `own`: the largest weight of all maps.

    Raises:
        ValueError: Without maps, or if titles and maps, or labels and weights of a map, differ in
            number.
    """
    if not maps or len(maps) != len(titles):
        raise ValueError(f"{len(titles)} titles: {len(maps)} maps; each map needs one")
    for attention in maps:
        check_map(attention)
    columns = min(COLUMNS, len(maps))
    rows = ceil(len(maps) / columns)
    side, gap, band = round(theme.side * SIDE), theme.text, frame.headings_height(theme, titles) + theme.text
    across, down = (round(side * length) for length in _proportions(maps))
    width, height = columns * across + (columns - 1) * gap, rows * down + (rows - 1) * band
    figure = make_subplots(
        rows,
        columns,
        subplot_titles=[labels.escape(title) for title in titles],
        horizontal_spacing=gap / width,
        vertical_spacing=band / height,
    )
    for index, (attention, title) in enumerate(zip(maps, titles, strict=True)):
        row, column = index // columns + 1, index % columns + 1
        figure.add_trace(_cells(attention, title, say, scale), row, column)
        _segments(figure, attention, row, column, side, theme)
        if attention.unreachable.any():
            cells = ~_pool_unreachable(attention)
            hatch(figure, cells.sum(1), cells.shape[1], across / cells.shape[1], theme, row=row, col=column)
    signed = any(attention.signed for attention in maps)
    ranges = [scales.limits(np.asarray(map_.weights), map_.measure, limit, signed) for map_ in maps]
    bounds = min(low for low, _ in ranges), max(high for _, high in ranges)
    figure.layout.coloraxis = colour_axis(bounds, say, theme, scale, down, maps[0].measure)
    _lay_out(figure, maps, titles, say, theme, width, height)
    return figure


def pool(weights: np.ndarray) -> tuple[np.ndarray, int]:
    """Max-pool weights `(Q, K)` to at most 64 cells per side; also returns the block size.

    The maximum is that of the absolute values, with signs kept.
    """
    block = ceil(max(weights.shape) / MAX_CELLS)
    starts = [np.arange(0, count, block) for count in weights.shape]

    def largest(values: np.ndarray) -> np.ndarray:
        return np.maximum.reduceat(np.maximum.reduceat(values, starts[0], axis=0), starts[1], axis=1)

    high, low = largest(weights), -largest(-weights)
    return np.where(high >= -low, high, low), block


def _proportions(maps: Sequence[AttentionMap]) -> tuple[float, float]:
    """Width and height of the maps with square cells, the longer side 1; at least a quarter, to be legible."""
    queries, keys = np.max([attention.weights.shape for attention in maps], axis=0)
    return tuple(max(float(count) / max(queries, keys), 0.25) for count in (keys, queries))


def _pool_unreachable(attention: AttentionMap) -> np.ndarray:
    """Cells of a pooled map that cannot be attended to in any part."""
    return ~pool((~attention.unreachable).astype(np.float32))[0].astype(bool)


def _cells(attention: AttentionMap, title: str, say: Translator, scale: scales.Scale) -> go.Heatmap:
    weights, block = pool(np.asarray(attention.weights, np.float32))
    sentence = "rendering.hover_cell" if block == 1 else "rendering.hover_block"
    hover = "<b>%{meta}</b><br>" + labels.hover_sentence(say, sentence, "weight:.4f", query="%{y}", key="%{x}")
    shown = np.where(_pool_unreachable(attention), np.nan, scales.position(weights, scale))
    names = dict(x=_block_names(attention.keys, block, say), y=_block_names(attention.queries, block, say))
    title = labels.escape(title)
    return marks.cells(shown, hover, 0, customdata=weights, hoverongaps=False, meta=title, **names)


def _block_names(tokens: Sequence[str], block: int, say: Translator) -> list[str]:
    names = labels.categories(tokens)
    if block == 1:
        return names
    return [
        say("rendering.block", first=names[start], last=names[min(start + block, len(names)) - 1])
        for start in range(0, len(names), block)
    ]


def _segments(figure: go.Figure, attention: AttentionMap, row: int, column: int, side: int, theme: Theme) -> None:
    block = ceil(max(attention.weights.shape) / MAX_CELLS)
    line = dict(line_color=theme.muted, line_width=0.5, opacity=0.8, row=row, col=column)
    for edge in boundaries(attention.key_groups, side):
        figure.add_vline((edge + 0.5) / block - 0.5, **line)
    for edge in boundaries(attention.query_groups, side):
        figure.add_hline((edge + 0.5) / block - 0.5, **line)


def _lay_out(
    figure: go.Figure,
    maps: Sequence[AttentionMap],
    titles: Sequence[str],
    say: Translator,
    theme: Theme,
    width: float,
    height: float,
) -> None:
    """Set titles, borders without ticks, and the note on how to read the maps."""
    figure.update_annotations(font=dict(size=theme.text), yshift=2)  # the titles: the only annotations so far
    border = dict(type="category", showticklabels=False, showline=True, mirror=True)
    figure.update_xaxes(**border)
    figure.update_yaxes(**border, autorange="reversed")
    tokens = max(max(attention.weights.shape) for attention in maps)
    block = ceil(tokens / MAX_CELLS)
    notes = [say("rendering.grid_note")]
    if any(attention.unreachable.any() for attention in maps):
        notes.append(say("rendering.unreachable"))
    if block > 1:
        notes.append(say("rendering.pooled", tokens=tokens, block=block))
    note = "<br>".join(line for text in notes for line in labels.wrap(text, width / (theme.small * 0.5)))
    place = dict(x=0, xref="paper", xanchor="left", y=0, yref="paper", yanchor="top", yshift=-theme.small)
    frame.annotate(figure, note, theme.small, theme.muted, align="left", **place)
    frame.lay_out(
        figure,
        theme,
        plot_width=width,
        plot_height=height,
        above=frame.headings_height(theme, titles),
        below=frame.margin(theme, theme.small + frame.ticks_height([note], theme.small)),
    )
