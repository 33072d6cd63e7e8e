"""Five methods on the same tokens: a row per token, a column of bars per method."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz_core.language import Translator
from viz_core.records import Attribution
from viz_core.rendering import frame, labels, scales
from viz_core.rendering.checks import check_attributions
from viz_core.rendering.theme import FIRST, SECOND, Theme

MOST = 25  # tokens; a row each has to fit on a screen
COLUMN = 0.27  # width of a method's bars, as a share of the theme's side
LEAST = {True: 0.02, False: 0.001}  # an axis, with a sign or without, reaches so far: next to nothing must look so
HEADING = 16  # columns of a method's name, before it goes on in another line


def attribution_bars(
    attributions: Sequence[Attribution], classes: Sequence[str], say: Translator, theme: Theme
) -> go.Figure:
    """Bars per method and token, in the order of the text; each method has a scale of its own. Special tokens are left out.

    Of long inputs: the MOST tokens that any method ranks highest. classes: the labels of the task, whose hues tell for which
    one a token speaks; weights, which have no sign, are violet. Raises ValueError where the records are not of the same
    tokens; Failure where values are not finite.
    """
    check_attributions(attributions, classes)
    real = np.flatnonzero(attributions[0].groups >= 0)
    values = np.stack([attribution.values for attribution in attributions])[:, real]
    shown = largest_of_any(values, MOST)
    tokens = [attributions[0].labels[real[place]] for place in shown]
    names = labels.categories(attributions[0].labels)
    rows = [names[real[place]] for place in shown]
    width, gap = round(theme.side * COLUMN), frame.number_room(theme)  # half a number from either side
    across = width * len(attributions) + gap * (len(attributions) - 1)
    headings = [
        "<br>".join(labels.wrap(say(f"attribution.{attribution.method}"), HEADING)) for attribution in attributions
    ]
    figure = make_subplots(
        1, len(attributions), shared_yaxes=True, horizontal_spacing=gap / across, subplot_titles=headings
    )
    ticks = frame.lines(1, theme.small) + frame.TICKS
    figure.update_annotations(font=dict(size=theme.text), yshift=ticks)  # the headings: the only annotations so far
    for number, (attribution, row) in enumerate(zip(attributions, values, strict=True), 1):
        _column(figure, number, attribution, row, shown, rows, classes, say, theme)
    _legend(figure, attributions[0].target, classes, say, theme)
    frame.name_categories(figure, theme, rows, labels.tick_texts(tokens))
    _sentences(figure, attributions[0].groups[real][shown], theme)
    figure.update_layout(bargap=0.3, barmode="overlay")
    frame.lay_out(
        figure,
        theme,
        say("attribution.title", label=say(f"rendering.label_{attributions[0].target}")),
        say("attribution.longest", count=len(shown), all=len(real)) if len(shown) < len(real) else "",
        legend=1,
        plot_width=across,
        plot_height=theme.row * len(rows),
        above=frame.headings(theme, headings) + ticks,
        left=frame.margin(theme, frame.tick_room(labels.tick_texts(tokens), theme.text)),
        right=frame.note_room(theme, "AB", theme.text),
    )
    return figure


def largest_of_any(values: np.ndarray, most: int) -> np.ndarray:
    """Places, in growing order, of the `most` columns of values `(M, N)` that stand highest, by size, in any of the rows."""
    order = np.argsort(-np.abs(values), axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(values.shape[1])[None], axis=1)
    return np.sort(np.argsort(ranks.min(0), kind="stable")[:most])


def _hue(speaks_for: bool, target: str, classes: Sequence[str], theme: Theme) -> str:
    """The hue of the class that a token speaks for: the last has its own, all others share one."""
    return theme.classes[(target == classes[-1]) == speaks_for]


def _column(
    figure: go.Figure,
    number: int,
    attribution: Attribution,
    values: np.ndarray,
    shown: np.ndarray,
    rows: list[str],
    classes: Sequence[str],
    say: Translator,
    theme: Theme,
) -> None:
    """The bars of one method, between the least and the largest value of the whole input, which its axis names."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    if max(high, -low) < LEAST[attribution.signed]:
        low, high = -LEAST[attribution.signed] * attribution.signed, LEAST[attribution.signed]
    largest = max(high, -low)
    written = f"{{:{'+' if attribution.signed else ''}.{scales.digits(largest)}f}}"
    colours = (
        theme.accent
        if not attribution.signed
        else [_hue(bool(value >= 0), attribution.target, classes, theme) for value in values[shown]]
    )
    hover = say(
        "attribution.hover",
        method=say(f"attribution.{attribution.method}"),
        token="%{y}",
        value="%{x:+.4f}" if attribution.signed else "%{x:.4f}",
    )
    figure.add_trace(
        go.Bar(
            x=values[shown],
            y=rows,
            orientation="h",
            marker=dict(color=colours),
            showlegend=False,
            hovertemplate=labels.hover(hover),
        ),
        1,
        number,
    )
    ends = [value for value in (low, high) if abs(value) > 0.3 * largest]  # nearer to 0 the two would collide
    figure.update_xaxes(
        range=[low, high],
        side="top",
        tickvals=[0, *ends],
        ticktext=["0", *map(written.format, ends)],
        tickfont=dict(color=theme.muted),
        tickangle=0,
        row=1,
        col=number,
    )
    figure.add_vline(0, line_color=theme.line, line_width=1, row=1, col=number)


def _legend(figure: go.Figure, target: str, classes: Sequence[str], say: Translator, theme: Theme) -> None:
    label = say(f"rendering.label_{target}")
    for name, colour in (
        (say("attribution.supports", label=label), _hue(True, target, classes, theme)),
        (say("attribution.opposes", label=label), _hue(False, target, classes, theme)),
        (say("attribution.unsigned"), theme.accent),
    ):
        figure.add_trace(
            go.Scatter(
                x=[None],
                y=[None],
                mode="markers",
                name=name,
                hoverinfo="skip",
                marker=dict(color=colour, symbol="square", size=theme.small),
            ),
            1,
            1,
        )


def _sentences(figure: go.Figure, groups: np.ndarray, theme: Theme) -> None:
    """For a pair: a line between the sentences, and their letters at the right."""
    if not {FIRST, SECOND} <= set(groups.tolist()):
        return
    edge = int((groups == FIRST).sum()) - 0.5
    figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=edge, y1=edge, line=dict(color=theme.muted, width=1))
    for group, name in ((FIRST, "A"), (SECOND, "B")):
        figure.add_annotation(
            text=name,
            showarrow=False,
            xref="paper",
            x=1,
            xanchor="left",
            xshift=theme.text,
            y=float(np.flatnonzero(groups == group).mean()),
            font=dict(size=theme.text, color=theme.group(group), weight=700),
        )
