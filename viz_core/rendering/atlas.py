"""The atlas of heads: every head of a survey as a dot between two of its statistics, and in a grid of layers × heads.

Both have the colours of a third statistic, lines between similar heads, and points that report clicks.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import HeadImportance, HeadSurvey
from viz_core.records.translation import Kind
from viz_core.rendering import frame, labels, marks, scales
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme, ink_on, shade

IMPORTANCE = "importance"  # the change of the loss without a head, if it has been measured
IN_TOKENS = "distance"
_SIDE = 0.66  # of the plot area of the scatter, as a share of the theme's side
_MARGIN = 0.08  # of the range of an axis, on both sides
_MIN_RANGE = 0.05  # of an axis: smaller differences are not spread over the whole plot
_FIRST: dict[Kind, tuple[str, str, str]] = {
    "self": ("previous", "entropy", "same"),
    "causal": ("first", "previous", "entropy"),
    "cross": ("entropy", "dependence", "punctuation"),
}
_CELL_WIDTH, _CELL_HEIGHT = 72, 34  # px at most
_NUMBERED = 36  # px: a narrower cell has no room for its number

Head = tuple[int, int]
Values = Mapping[str, np.ndarray]


def atlas_values(survey: HeadSurvey, importance: HeadImportance | None = None) -> dict[str, np.ndarray]:
    """What an axis or a colour can show, `(L, H)` by name."""
    values = {name: np.asarray(statistic.mean, float) for name, statistic in survey.statistics.items()}
    return values if importance is None else {**values, IMPORTANCE: np.asarray(importance.loss_change, float)}


def first_choices(survey: HeadSurvey) -> tuple[str, str, str]:
    """What both axes and the colour show at first, as far as it is measured."""
    wanted = _FIRST[survey.kind]
    x, y, colour = (name if name in survey.statistics else "entropy" for name in wanted)
    return x, y, colour


def head_scatter(
    survey: HeadSurvey,
    axes: tuple[str, str],
    colour: str,
    say: Translator,
    theme: Theme,
    importance: HeadImportance | None = None,
    links: Sequence[tuple[int, int]] = (),
    named: Sequence[Head] = (),
) -> go.Figure:
    """Dots of all heads, with 95% intervals, and a cross for a uniform head. `customdata` holds `layer.head`.

    Args:
        axes: What x and y show, of `atlas_values`.
        colour: What the colour shows.
        links: Pairs of similar heads, by their numbers.
        named: Heads whose names stand above their dots first, where there is not room for all.

    Raises:
        ValueError: For an unknown name.
        Failure: If numbers are not finite.
    """
    values = _checked(survey, importance, (*axes, colour))
    x, y = (values[name].ravel() for name in axes)
    side, control = theme.side * _SIDE, _control(survey, axes)
    ranges = [_range([*at, *ends]) for at, ends in zip((x, y), control, strict=True)]
    names = _names(survey)
    places = [(at - low) / (high - low) * side for at, (low, high) in zip((x, y), ranges, strict=True)]
    shown = _labelled(names, places, [survey.number(*head) for head in named], theme)
    data = np.stack([names, *_written(values, axes, colour)], axis=1)
    hover = labels.hover_sentence(say, "heads.hover_scatter", "head", "x", "y", "colour", **_titles(axes, colour, say))
    dots = marks.dots(x, y, hover, data, size=theme.text * 0.9, line=dict(color=theme.ink, width=1))
    dots.marker.update(color=values[colour].ravel(), coloraxis="coloraxis")
    font = dict(size=theme.small, color=theme.ink)
    dots.update(mode="markers+text", text=shown, textposition="top center", textfont=font)
    for error, name, at in zip(("error_x", "error_y"), axes, (x, y), strict=True):
        dots.update({error: _interval(survey, importance, name, at, theme)})
    figure = go.Figure([*_lines(x, y, links, theme), dots, *_cross(control, say, theme)])
    _colours(figure, values[colour], colour, theme, side)
    for update, name, ends in zip((figure.update_xaxes, figure.update_yaxes), axes, ranges, strict=True):
        update(**frame.grid(theme), title_text=say(f"health.statistic_{name}"), range=ends)
        update(tickformat=None if name in (IN_TOKENS, IMPORTANCE) else ".0%", zeroline=False, fixedrange=True)
    figure.update_layout(showlegend=False, hovermode="closest", clickmode="event+select", dragmode=False)
    notes = [say("heads.scatter_note"), *_note(links, say), *([say("heads.cross_note")] if control[0] else [])]
    frame.lay_out(figure, theme, say("heads.scatter"), " ".join(notes), plot_width=side, plot_height=side)
    return figure


def head_map(
    survey: HeadSurvey,
    colour: str,
    say: Translator,
    theme: Theme,
    importance: HeadImportance | None = None,
    links: Sequence[tuple[int, int]] = (),
) -> go.Figure:
    """Cells of all heads, layers from top to bottom, with their numbers. `customdata` holds `layer.head`.

    Args and raises as `head_scatter`.
    """
    values = _checked(survey, importance, (colour,))[colour]
    layers, heads = values.shape
    left = frame.margin(theme, frame.number_room(theme, columns=2), title=True)
    width = min((theme.side - left - frame.bar_room(theme)) / heads, _CELL_WIDTH * theme.text / 14)
    height = min(max(width, theme.text * 1.6), _CELL_HEIGHT * theme.text / 14)
    row, column = (numbers.ravel() + 1 for numbers in np.indices(values.shape))
    (written,) = _written({colour: values}, (), colour)
    stops, low, high = _scale(values, colour, theme)
    inks = [ink_on(shade(stops, (value - low) / (high - low))) for value in values.ravel()]
    hover = labels.hover_sentence(say, "heads.hover_map", "head", "colour", **_titles((), colour, say))
    cells = go.Heatmap(z=values, x0=1, y0=1, xgap=2, ygap=2, hoverinfo="skip", coloraxis="coloraxis")
    # Heat maps report no clicks: an invisible point on each cell does.
    points = marks.dots(column, row, hover, np.stack([_names(survey), written], axis=1), symbol="square", opacity=0)
    points.marker.size = max(min(width, height) - 2, 6)
    numbers = written if width >= _NUMBERED * theme.text / 14 else [""] * values.size
    points.update(mode="markers+text", text=numbers, textfont=dict(size=theme.small, color=inks))
    points.update(selected=dict(marker_opacity=0), unselected=dict(marker_opacity=0))
    figure = go.Figure([cells, *_lines(column, row, links, theme), points])
    length = max(layers * height, theme.text * 8)
    _colours(figure, values, colour, theme, length)
    step = 1 if width >= theme.small * 1.8 else 2
    border = dict(fixedrange=True, showline=True, mirror=True, linecolor=theme.line)
    figure.update_xaxes(**border, title_text=say("importance.head"), range=[0.5, heads + 0.5])
    figure.update_xaxes(tickvals=list(range(1, heads + 1, step)))
    rows = list(range(1, layers + 1, labels.tick_step(height, theme.small * 1.3)))
    figure.update_yaxes(**border, title_text=say("importance.layer"), range=[layers + 0.5, 0.5], tickvals=rows)
    figure.update_layout(showlegend=False, hovermode="closest", clickmode="event+select", dragmode=False)
    frame.lay_out(
        figure,
        theme,
        say(f"health.statistic_{colour}"),
        " ".join(_note(links, say)),
        plot_width=heads * width,
        plot_height=layers * height,
        min_width=theme.side * 0.6,
        left=left,
        below=max(frame.axis_below(theme, title=True), length - layers * height),
    )
    return figure


def _checked(survey: HeadSurvey, importance: HeadImportance | None, names: Sequence[str]) -> dict[str, np.ndarray]:
    """The values of these names.

    Raises:
        ValueError: For an unknown name, or numbers of other heads.
        Failure: If numbers are not finite.
    """
    values = atlas_values(survey, importance)
    for name in names:
        if name not in values:
            raise ValueError(f"{name!r} is not one of {', '.join(values)}")
        if values[name].shape != survey.shape:
            raise ValueError(f"{name} of shape {values[name].shape}: the survey has {survey.shape}")
        check_finite(values[name])
    return {name: values[name] for name in names}


def _names(survey: HeadSurvey) -> list[str]:
    layers, heads = survey.shape
    return [f"{layer + 1}.{head + 1}" for layer in range(layers) for head in range(heads)]


def _titles(axes: Sequence[str], colour: str, say: Translator) -> dict[str, str]:
    names = dict(zip(("x_name", "y_name"), axes, strict=False))
    return {key: say(f"health.statistic_{name}") for key, name in {**names, "colour_name": colour}.items()}


def _written(values: Values, axes: Sequence[str], colour: str) -> list[list[str]]:
    """Numbers of all heads as texts: those of the axes and of the colour."""
    return [[write_value(name, value) for value in values[name].ravel()] for name in (*axes, colour)]


def write_value(name: str, value: float) -> str:
    """A value of a statistic as people read it: tokens, nats, or a share in percent."""
    if name == IMPORTANCE:
        return scales.with_sign(value, 4)
    return f"{value:.1f}" if name == IN_TOKENS else f"{value:.0%}"


def _labelled(names: Sequence[str], places: Sequence[np.ndarray], first: Sequence[int], theme: Theme) -> list[str]:
    """The names that fit above their dots without covering another name or dot, the others empty.

    Args:
        places: Where the dots are, px from the left and from the bottom, `(N,)` each.
        first: Numbers of the heads that are named first.
    """
    width, height, (x, y) = labels.text_width(names, theme.small), theme.small * 1.2, places
    kept: list[int] = []
    for number in dict.fromkeys([*first, *range(len(names))]):
        across, up = np.abs(x - x[number]), y - y[number]
        is_crowded = ((across < width) & (np.abs(up) < height))[kept].any()
        covers = ((across < width / 2) & (up > 0) & (up < 2 * height)).any()
        if not is_crowded and not covers:
            kept.append(number)
    return [name if number in kept else "" for number, name in enumerate(names)]


def _note(links: Sequence[tuple[int, int]], say: Translator) -> list[str]:
    return [say("heads.lines_note")] if links else []


def _lines(x: np.ndarray, y: np.ndarray, links: Sequence[tuple[int, int]], theme: Theme) -> list[go.Scatter]:
    """Lines between similar heads; none without links."""
    if not links:
        return []
    ends = [(values[a], values[b], None) for values in (x, y) for a, b in links]
    across, down = (sum(part, ()) for part in (ends[: len(links)], ends[len(links) :]))
    return [marks.line(across, down, color=theme.muted, width=1.5)]


def _interval(survey: HeadSurvey, importance: HeadImportance | None, name: str, at: np.ndarray, theme: Theme) -> dict:
    interval = importance.loss_interval if name == IMPORTANCE and importance else survey.statistics[name].interval
    low, high = np.asarray(interval).reshape(-1, 2).T
    return marks.interval(at, low, high, theme.muted, 1)


def _control(survey: HeadSurvey, axes: tuple[str, str]) -> tuple[list[float], list[float]]:
    """Where a uniform head is, x and y; nowhere if an axis is of something else than attention."""
    if IMPORTANCE in axes:
        return [], []
    x, y = ([survey.statistics[name].uniform] for name in axes)
    return x, y


def _cross(at: tuple[list[float], list[float]], say: Translator, theme: Theme) -> list[go.Scatter]:
    """A cross at a uniform head, if it is anywhere."""
    if not at[0]:
        return []
    style = dict(symbol="x-thin", size=theme.text * 0.9, line=dict(color=theme.muted, width=2.5))
    cross = marks.dots(*at, labels.hover(say("heads.uniform_head")), [""], **style)
    font = dict(size=theme.small, color=theme.muted)
    named = dict(text=[say("health.uniform")], textposition="middle right", textfont=font)
    return [cross.update(mode="markers+text", **named)]


def _range(values: Sequence[float]) -> list[float]:
    """Ends of an axis with all values; not far below 0 if none of them is."""
    low, high = float(min(values)), float(max(values))
    length = max((high - low) * (1 + 2 * _MARGIN), _MIN_RANGE)
    start = (low + high - length) / 2
    if low >= 0:
        start = max(start, -_MARGIN * length)
    return [start, start + length]


def _scale(values: np.ndarray, name: str, theme: Theme) -> tuple[tuple[str, ...], float, float]:
    """Colours and their ends: shares from 0 to 1, tokens from 0 to the largest, changes around 0."""
    if name == IMPORTANCE:
        largest = max(float(np.abs(values).max()), 1e-4)
        return theme.diverging[::-1], -largest, largest
    return theme.sequential, 0.0, max(float(values.max()), 1.0) if name == IN_TOKENS else 1.0


def _colours(figure: go.Figure, values: np.ndarray, name: str, theme: Theme, length: float) -> None:
    stops, low, high = _scale(values, name, theme)
    ends = (low, 0.0, high) if low < 0 else (low, (low + high) / 2, high)
    texts = [write_value(name, end) for end in ends]
    bar = frame.colour_bar(theme, length, marks=ends, texts=texts)
    figure.update_layout(coloraxis=frame.colour_axis(stops, low, high, bar))
