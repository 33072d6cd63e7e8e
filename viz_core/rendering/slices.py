"""Where a model is right and where it is not: its accuracy on parts of the inputs, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Slice
from viz_core.rendering import labels
from viz_core.rendering.theme import Theme, template


def slice_accuracy(slices: Sequence[Slice], say: Translator, theme: Theme) -> go.Figure:
    """A row a slice of one kind: accuracy as a dot on its interval, a tick for the baseline, the number of inputs.

    Raises ValueError where there is no slice, or they are of several kinds.
    """
    kinds = {one.kind for one in slices}
    if len(kinds) != 1:
        raise ValueError(f"slices of the kinds {sorted(kinds)}: they must be of one")
    kind, = kinds
    names, rows = [_name(one, say) for one in slices], list(range(len(slices)))
    counts = [say("health.slice_count", count=one.n) for one in slices]
    figure = go.Figure([_baselines(slices, rows, theme), _dots(slices, rows, names, say, theme)])
    for row, text in zip(rows, counts, strict=True):
        figure.add_annotation(x=1, xref="x domain", xanchor="left", xshift=theme.text, y=row, text=text, showarrow=False,
                              font=dict(size=theme.small, color=theme.muted))
    low = min(min(one.low, one.baseline) for one in slices)
    figure.update_xaxes(range=[max(0.0, min(0.5, low) - 0.03), 1.01], tickformat=".0%", showgrid=True, gridcolor=theme.line,
                        nticks=7, title=dict(text=say("health.accuracy"), standoff=6))
    figure.update_yaxes(tickvals=rows, ticktext=names, range=[len(rows) - 0.5, -0.5], tickfont=dict(size=theme.text),
                        ticklabelstandoff=8)
    left, right = (max(map(labels.columns, texts)) * size * labels.COLUMN + theme.text * 2
                   for texts, size in ((names, theme.text), (counts, theme.small)))
    above, below = theme.title * 2.3 + theme.small * 2.6, theme.small * 4
    figure.update_layout(
        template=template(theme), showlegend=False, width=theme.side,
        height=round(above + below + theme.row * 1.3 * len(rows)),
        title=dict(text=say(f"health.{kind}"), subtitle=dict(text=say("health.slices_note"))),
        margin=dict(l=round(left), r=round(right), t=round(above), b=round(below), autoexpand=False))
    return figure


def _name(one: Slice, say: Translator) -> str:
    if one.kind == "negation" and one.end is None:
        return say("health.slice_negation_open", begin=one.begin)
    if one.kind == "negation" and one.begin == one.end:
        return say("health.slice_negation_one", begin=one.begin)
    return say(f"health.slice_{one.kind}", begin=one.begin, end=one.end)


def _dots(slices: Sequence[Slice], rows: list[int], names: list[str], say: Translator, theme: Theme) -> go.Scatter:
    hover = say("health.hover_slice", name="%{customdata[0]}", accuracy="%{x:.1%}", low="%{customdata[1]:.1%}",
                high="%{customdata[2]:.1%}", baseline="%{customdata[3]:.1%}")
    return go.Scatter(
        x=[one.accuracy for one in slices], y=rows, mode="markers", cliponaxis=False,
        customdata=[[name, one.low, one.high, one.baseline] for name, one in zip(names, slices, strict=True)],
        hovertemplate=f"{hover}<extra></extra>", marker=dict(color=theme.accent, size=10, opacity=1),
        error_x=dict(type="data", symmetric=False, array=[one.high - one.accuracy for one in slices],
                     arrayminus=[one.accuracy - one.low for one in slices], color=theme.accent, thickness=2, width=0))


def _baselines(slices: Sequence[Slice], rows: list[int], theme: Theme) -> go.Scatter:
    return go.Scatter(x=[one.baseline for one in slices], y=rows, mode="markers", hoverinfo="skip", cliponaxis=False,
                      marker=dict(symbol="line-ns", size=theme.row * 0.6, line=dict(color=theme.muted, width=2)))
