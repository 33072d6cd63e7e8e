"""How far a head attends: the share of its weight by distance, beside that of a uniform head."""

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import DISTANCE_BINS, HeadSurvey
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme

_HEIGHT = 0.42  # of the plot area, as a share of the theme's side


def head_distance(survey: HeadSurvey, layer: int, head: int, say: Translator, theme: Theme) -> go.Figure:
    """Bars of a head, with a dash on each for a uniform head; distances that no query can reach are left out.

    Raises:
        Failure: If numbers are not finite.
    """
    check_finite(survey.distances, survey.uniform_distances)
    reached = np.flatnonzero(survey.uniform_distances > 0)
    names = [bin_name(number) for number in reached.tolist()]
    shares, uniform = survey.distances[layer, head][reached], survey.uniform_distances[reached]
    hover = labels.hover_sentence(say, "heads.hover_distance", "uniform:.1%", distance="%{x}", share="%{y:.1%}")
    bars = go.Bar(x=names, y=shares, hovertemplate=hover, customdata=uniform, marker_color=theme.accent)
    bars.update(name=say("heads.this_head", head=f"{layer + 1}.{head + 1}"))
    dash = dict(symbol="line-ew", size=theme.text, line=dict(color=theme.ink, width=2))
    control = marks.dots(names, uniform, **dash).update(name=say("health.uniform"))
    figure = go.Figure([bars, control])
    figure.update_xaxes(type="category", title_text=say("heads.distance_axis"), tickangle=0, fixedrange=True)
    figure.update_xaxes(tickvals=[name for name in names if name in _TICKS])
    figure.update_yaxes(**frame.grid(theme), tickformat=".0%", rangemode="tozero", fixedrange=True)
    frame.lay_out(
        figure,
        theme,
        say("heads.by_distance"),
        say("heads.distance_note"),
        plot_width=theme.side,
        plot_height=theme.side * _HEIGHT,
        legend=1,
    )
    return figure


def bin_name(number: int) -> str:
    """A distance or a range of distances; negative to the left."""
    low, high = DISTANCE_BINS[number], (*DISTANCE_BINS, 0)[number + 1] - 1
    if number == 0:
        name = f"≤ {high:+d}"
    elif number == len(DISTANCE_BINS) - 1:
        name = f"≥ {low:+d}"
    else:
        name = f"{low:+d}" if low == high else f"{low:+d} … {high:+d}"
    return name.replace("-", "−").replace("+0", "0")


_TICKS = {
    bin_name(0),
    bin_name(len(DISTANCE_BINS) - 1),
    *(bin_name(DISTANCE_BINS.index(low)) for low in (-8, -4, 0, 4, 8)),
}
