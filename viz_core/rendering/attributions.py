"""Attributions of several methods for the same tokens: a row per token, a column of bars per method."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz_core.language import Translator
from viz_core.records import Attribution
from viz_core.rendering import frame, labels, marks, scales
from viz_core.rendering.checks import check_attributions
from viz_core.rendering.theme import FIRST, SECOND, Theme

MAX_TOKENS = 25  # tokens shown: their rows have to fit on a screen
COLUMN, ALONE = 0.27, 0.9  # width of a method's bars, and of a single method, as a share of the theme's side
MIN_RANGE = {True: 0.02, False: 0.001}  # of a signed and an unsigned axis, so that negligible values look negligible
HEADING_COLUMNS = 16  # a longer name of a method is wrapped
PAIR = ("A", "B")  # names of two texts


def attribution_bars(
    attributions: Sequence[Attribution],
    classes: Sequence[str],
    say: Translator,
    theme: Theme,
    predicted: str = "",
    sides: tuple[str, str] = PAIR,
) -> go.Figure:
    """Bars per method and token, in the order of the text, each method on its own scale.

    Special tokens are omitted. Long inputs show only the MAX_TOKENS tokens that any method ranks
    highest. Signed bars have the hue of the class that the token supports, unsigned bars are
    violet.

    Args:
        classes: The labels of the task.
        predicted: The label of the prediction, by default the attributed one.
        sides: Names of both texts, if there are two.

    Raises:
        ValueError: If the tokens of the records differ.
        Failure: If values are not finite.
    """
    check_attributions(attributions, classes)
    real = np.flatnonzero(attributions[0].groups >= 0)
    values = np.stack([attribution.values for attribution in attributions])[:, real]
    columns = top_columns(values, MAX_TOKENS)
    tokens = [attributions[0].labels[real[column]] for column in columns]
    names = labels.categories(attributions[0].labels)
    rows = [names[real[column]] for column in columns]
    width = round(theme.side * (COLUMN if len(attributions) > 1 else ALONE))
    gap = frame.number_room(theme)  # half a number from both neighbours
    across = width * len(attributions) + gap * (len(attributions) - 1)
    headings = [
        "<br>".join(labels.wrap(say(f"attribution.{attribution.method}"), HEADING_COLUMNS))
        for attribution in attributions
    ]
    figure = make_subplots(
        1, len(attributions), shared_yaxes=True, horizontal_spacing=gap / across, subplot_titles=headings
    )
    ticks = frame.text_height(1, theme.small) + frame.TICKS
    figure.update_annotations(font=dict(size=theme.text), yshift=ticks)  # the headings are the only annotations so far
    for number, (attribution, row) in enumerate(zip(attributions, values, strict=True), 1):
        _column(figure, number, attribution, row, columns, rows, classes, say, theme)
    _legend(figure, attributions, classes, say, theme)
    frame.name_categories(figure, theme, rows, labels.tick_texts(tokens))
    _sentences(figure, attributions[0].groups[real][columns], sides, theme)
    figure.update_layout(bargap=0.3, barmode="overlay")
    frame.lay_out(
        figure,
        theme,
        _title(attributions[0], predicted, say),
        say("attribution.longest", count=len(columns), all=len(real)) if len(columns) < len(real) else "",
        legend=1,
        plot_width=across,
        plot_height=theme.row * len(rows),
        above=frame.headings_height(theme, headings) + ticks,
        right=frame.note_room(theme, sides, theme.text),
    )
    return figure


def _title(attribution: Attribution, predicted: str, say: Translator) -> str:
    label = labels.class_name(attribution.target, say)
    if attribution.against:
        return say("attribution.title_against", label=label, against=labels.class_name(attribution.against, say))
    return say(f"attribution.{'title' if predicted in ('', attribution.target) else 'title_other'}", label=label)


def top_columns(values: np.ndarray, count: int) -> np.ndarray:
    """The `count` columns of `(M, N)` with the best rank by absolute value in any row, ascending."""
    order = np.argsort(-np.abs(values), axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(values.shape[1])[None], axis=1)
    return np.sort(np.argsort(ranks.min(0), kind="stable")[:count])


def _hue(supports: bool, target: str, classes: Sequence[str], theme: Theme) -> str:
    """Hue of the class that a token supports.

    With two classes, opposing one supports the other; with more, it is grey.
    """
    if len(classes) > 2 and not supports:
        return theme.muted
    return theme.class_hues(len(classes))[classes.index(target) if supports else 1 - classes.index(target)]


def _column(
    figure: go.Figure,
    number: int,
    attribution: Attribution,
    values: np.ndarray,
    columns: np.ndarray,
    rows: list[str],
    classes: Sequence[str],
    say: Translator,
    theme: Theme,
) -> None:
    """Bars of one method; its axis spans the values of the whole input, not only of these columns."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    min_range = MIN_RANGE[attribution.signed]
    if max(high, -low) < min_range:
        low, high = -min_range * attribution.signed, min_range
    largest = max(high, -low)
    number_format = f"{{:{'+' if attribution.signed else ''}.{scales.digits(largest)}f}}"
    colours = (
        theme.accent
        if not attribution.signed
        else [_hue(bool(value >= 0), attribution.target, classes, theme) for value in values[columns]]
    )
    value = "%{x:+.4f}" if attribution.signed else "%{x:.4f}"
    values_of = dict(method=say(f"attribution.{attribution.method}"), token="%{y}", value=value)  # noqa: S106
    hover = labels.hover_sentence(say, "attribution.hover", **values_of)
    bars = go.Bar(x=values[columns], y=rows, orientation="h", marker_color=colours, showlegend=False)
    figure.add_trace(bars.update(hovertemplate=hover), 1, number)
    ends = [value for value in (low, high) if abs(value) > 0.3 * largest]  # labels nearer to 0 would collide with it
    figure.update_xaxes(
        range=[low, high],
        side="top",
        tickvals=[0, *ends],
        ticktext=["0", *map(number_format.format, ends)],
        tickfont=dict(color=theme.muted),
        tickangle=0,
        row=1,
        col=number,
    )
    figure.add_vline(0, line_color=theme.line, line_width=1, row=1, col=number)


def _legend(
    figure: go.Figure, attributions: Sequence[Attribution], classes: Sequence[str], say: Translator, theme: Theme
) -> None:
    target = attributions[0].target
    label = labels.class_name(target, say)
    entries = [
        (say("attribution.supports", label=label), _hue(True, target, classes, theme)),
        (say("attribution.opposes", label=label), _hue(False, target, classes, theme)),
    ]
    if not all(attribution.signed for attribution in attributions):
        entries.append((say("attribution.unsigned"), theme.accent))
    for name, colour in entries:
        square = dict(color=colour, symbol="square", size=theme.small)
        figure.add_trace(marks.legend_entry(name, "markers", marker=square), 1, 1)


def _sentences(figure: go.Figure, groups: np.ndarray, sides: tuple[str, str], theme: Theme) -> None:
    """For a pair, draw a line between the sentences and their names on the right."""
    if not {FIRST, SECOND} <= set(groups.tolist()):
        return
    edge = int((groups == FIRST).sum()) - 0.5
    figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=edge, y1=edge, line=dict(color=theme.muted, width=1))
    for group, name in zip((FIRST, SECOND), sides, strict=True):
        place = dict(xref="paper", x=1, xanchor="left", xshift=theme.text)
        middle = float(np.flatnonzero(groups == group).mean())
        frame.annotate(figure, name, theme.text, theme.group(group), font_weight=700, y=middle, **place)
