"""How far the answer moves when the sentences are swapped, or their characters shuffled."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Shuffles
from viz_core.rendering import frame, labels
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme

ROW = 1.7  # height of a row, in rows of the theme: dots lie on each other and need white around


def control_strip(
    shuffles: Shuffles, swapped: float, threshold: float, label: str, say: Translator, theme: Theme
) -> go.Figure:
    """A row a change: a dot a try, a tick for their mean; a line through all rows where it was before, dashed where it turns.

    swapped: the probability of the last class with the sentences exchanged; threshold: from which on that class, `label`, is
    the answer. Raises Failure where a number is not finite.
    """
    tries = {"swap": np.array([swapped])} | {
        name: np.asarray(values, float) for name, values in shuffles.shuffled.items()
    }
    check_finite(*tries.values(), np.array([shuffles.original]))
    class_, figure = say(f"rendering.label_{label}"), go.Figure()
    rows = [say(f"pairs.change_{name}") for name in tries]
    for row, (name, values) in enumerate(zip(rows, tries.values(), strict=True)):
        figure.add_traces(_row(row, name, values, class_, say, theme))
    marks = [
        (shuffles.original, say("pairs.original", percent=f"{shuffles.original:.0%}"), dict(color=theme.ink, width=2)),
        (
            threshold,
            say("rendering.threshold_mark", percent=f"{threshold:.0%}"),
            dict(color=theme.muted, width=1, dash="dash"),
        ),
    ]
    for number, (place, text, line) in enumerate(marks):  # one label above the other: the two may stand in one place
        figure.add_vline(place, line=line, layer="below")
        figure.add_annotation(
            x=place,
            y=1,
            yref="y domain",
            yanchor="bottom",
            yshift=frame.lines(number, theme.small),
            text=text,
            showarrow=False,
            font=dict(size=theme.small, color=line["color"]),
        )
    figure.update_xaxes(
        range=[-0.02, 1.02],
        tickformat=".0%",
        showline=True,
        nticks=6,
        title=dict(text=say("pairs.probability", label=class_)),
    )
    frame.name_rows(figure, theme, rows)
    figure.update_layout(showlegend=False)
    frame.lay_out(
        figure,
        theme,
        say("pairs.control"),
        say("pairs.control_note"),
        width=theme.side,
        plot_height=theme.row * ROW * len(rows),
        left=frame.margin(theme, frame.tick_room(rows, theme.text)),
        above=frame.lines(len(marks), theme.small),
        below=frame.axis_below(theme, title=True),
    )
    return figure


def _row(row: int, name: str, values: np.ndarray, label: str, say: Translator, theme: Theme) -> list[go.Scatter]:
    hover = say("pairs.hover_change", change=name, label=label, value="%{x:.1%}")
    dots = go.Scatter(
        x=values,
        y=[row] * len(values),
        mode="markers",
        cliponaxis=False,
        marker=dict(color=theme.accent, size=11, opacity=0.55 if len(values) > 1 else 1),
        hovertemplate=labels.hover(hover),
    )
    if len(values) == 1:
        return [dots]
    told = say(
        "pairs.hover_mean",
        change=name,
        mean=f"{values.mean():.1%}",
        low=f"{values.min():.1%}",
        high=f"{values.max():.1%}",
        count=len(values),
    )
    return [
        dots,
        go.Scatter(
            x=[values.mean()],
            y=[row],
            mode="markers",
            cliponaxis=False,
            marker=dict(symbol="line-ns", size=theme.row * 0.75, line=dict(color=theme.accent, width=3)),
            hovertemplate=labels.hover(told),
        ),
    ]
