"""Accuracy by number of labels: of an encoder that had read before, and of the same from random weights."""

from statistics import fmean

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records.comparison import LearningCurves
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.probabilities import percent
from viz_core.rendering.theme import Theme

_HEIGHT = 0.5  # of the plot area, as a share of the theme's side
_ROOM = (-0.25, 0.25)  # for the numbers beside the first and the last point, in powers of ten


def learning_curves(model: str, curves: LearningCurves, say: Translator, theme: Theme) -> go.Figure:
    """Means over seeds as two lines with their numbers, from the lowest to the highest seed as a bar."""
    counts = [point.labels for point in curves.points]
    hues, figure = (theme.accent, theme.muted), go.Figure()
    for name, hue, side in zip(("started", "scratch"), hues, ("top left", "bottom right"), strict=True):
        values = [getattr(point, name) for point in curves.points]
        means, numbers = list(map(fmean, values)), [percent(fmean(seeds)) for seeds in values]
        hover = labels.hover_sentence(say, "comparison.hover_curves", count="%{x:,}", value="%{y:.1%}")
        trace = marks.line(counts, means, hover, color=hue, width=2.5)
        trace.update(mode="lines+markers+text", text=numbers, textposition=side, cliponaxis=False)
        trace.update(marker_size=8, textfont=dict(color=hue, size=theme.small))
        trace.update(name=say(f"comparison.curves_{name}"))
        trace.update(error_y=marks.interval(means, list(map(min, values)), list(map(max, values)), hue))
        figure.add_trace(trace)
    figure.update_xaxes(type="log", tickvals=counts, ticktext=[f"{count:,}" for count in counts])
    figure.update_xaxes(range=np.log10([counts[0], counts[-1]]) + _ROOM, title_text=say("comparison.curves_labels"))
    figure.update_xaxes(showline=True, fixedrange=True)
    figure.update_yaxes(**frame.grid(theme), tickformat=".0%", fixedrange=True)
    seeds = sorted({len(seeds) for point in curves.points for seeds in (point.started, point.scratch)})
    about = {"model": model, "start": curves.start, "seeds": "–".join(map(str, sorted({seeds[0], seeds[-1]})))}
    frame.lay_out(
        figure,
        theme,
        say("comparison.curves"),
        frame.wrap_subtitle(theme, say("comparison.curves_note", **about), theme.side),
        plot_width=theme.side,
        plot_height=theme.side * _HEIGHT,
        legend=2,
    )
    return figure
