"""Accuracy of a model on slices of the inputs, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Slice
from viz_core.rendering.intervals import interval_dots, lay_out_rows
from viz_core.rendering.theme import Theme

ROW = 1.3  # height of a row, in rows of the theme


def slice_accuracy(slices: Sequence[Slice], say: Translator, theme: Theme) -> go.Figure:
    """A row per slice: accuracy as a dot on its interval, a tick for the baseline, the number of inputs.

    Raises ValueError without slices, or where they are of several kinds.
    """
    kinds = {part.kind for part in slices}
    if len(kinds) != 1:
        raise ValueError(f"slices of the kinds {sorted(kinds)}: they must be of the same kind")
    (kind,) = kinds
    names, rows = [_name(part, say) for part in slices], list(range(len(slices)))
    counts = [say("health.slice_count", count=part.n) for part in slices]
    figure = go.Figure([_baselines(slices, rows, theme), _dots(slices, rows, names, say, theme)])
    low = min(min(part.low, part.baseline) for part in slices)
    figure.update_xaxes(
        range=[max(0.0, min(0.5, low) - 0.03), 1.01],
        tickformat=".0%",
        showgrid=True,
        gridcolor=theme.line,
        nticks=7,
        title=dict(text=say("health.accuracy")),
    )
    lay_out_rows(
        figure,
        theme,
        say(f"health.{kind}"),
        say("health.slices_note"),
        names,
        counts,
        rows,
        theme.row * ROW,
        axis_title=True,
    )
    return figure


def _name(part: Slice, say: Translator) -> str:
    if part.kind == "negation" and part.end is None:
        return say("health.slice_negation_open", begin=part.begin)
    if part.kind == "negation" and part.begin == part.end:
        return say("health.slice_negation_one", begin=part.begin)
    return say(f"health.slice_{part.kind}", begin=part.begin, end=part.end)


def _dots(slices: Sequence[Slice], rows: list[int], names: list[str], say: Translator, theme: Theme) -> go.Scatter:
    hover = say(
        "health.hover_slice",
        name="%{customdata[0]}",
        accuracy="%{x:.1%}",
        low="%{customdata[1]:.1%}",
        high="%{customdata[2]:.1%}",
        baseline="%{customdata[3]:.1%}",
    )
    hover_data = [[name, part.low, part.high, part.baseline] for name, part in zip(names, slices, strict=True)]
    return interval_dots(
        [part.accuracy for part in slices],
        [part.low for part in slices],
        [part.high for part in slices],
        rows,
        hover,
        hover_data,
        theme,
    )


def _baselines(slices: Sequence[Slice], rows: list[int], theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=[part.baseline for part in slices],
        y=rows,
        mode="markers",
        hoverinfo="skip",
        cliponaxis=False,
        marker=dict(symbol="line-ns", size=theme.row * 0.6, line=dict(color=theme.muted, width=2)),
    )
