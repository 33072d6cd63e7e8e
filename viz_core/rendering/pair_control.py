"""How the prediction changes when the sentences are swapped or their characters shuffled."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Shuffles
from viz_core.rendering import frame, labels
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme

ROW = 1.7  # height of a row, in rows of the theme


def control_strip(
    shuffles: Shuffles, swapped: float, threshold: float, label: str, say: Translator, theme: Theme
) -> go.Figure:
    """A row per change: a dot per trial and a tick for their mean; lines mark the unchanged input and the threshold.

    swapped: probability of the last class, `label`, with the sentences exchanged. threshold: the probability from which
    that class is predicted. Raises Failure where a number is not finite.
    """
    trials = {"swap": np.array([swapped])} | {
        name: np.asarray(values, float) for name, values in shuffles.shuffled.items()
    }
    check_finite(*trials.values(), np.array([shuffles.original]))
    class_, figure = say(f"rendering.label_{label}"), go.Figure()
    rows = [say(f"pairs.change_{name}") for name in trials]
    for row, (name, values) in enumerate(zip(rows, trials.values(), strict=True)):
        figure.add_traces(_row(row, name, values, class_, say, theme))
    marks = [
        (shuffles.original, say("pairs.original", percent=f"{shuffles.original:.0%}"), dict(color=theme.ink, width=2)),
        (threshold, say("pairs.threshold", percent=f"{threshold:.0%}"), dict(color=theme.muted, width=1, dash="dash")),
    ]
    for number, (value, text, line) in enumerate(marks):  # labels on two lines, since the values may coincide
        figure.add_vline(value, line=line, layer="below")
        figure.add_annotation(
            x=value,
            y=1,
            yref="y domain",
            yanchor="bottom",
            yshift=frame.text_height(number, theme.small),
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
        above=frame.text_height(len(marks), theme.small),
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
    mean_hover = say(
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
            hovertemplate=labels.hover(mean_hover),
        ),
    ]
