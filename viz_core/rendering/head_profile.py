"""Statistics of every head over many inputs: a table of heads × statistics, shares coloured on one scale."""

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import HeadProfile
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.theme import Theme

_COLUMN, _ROW = 5.9, 1.7  # width and height of a cell, in font sizes of the text
_HEADING = 12  # width of a line in a heading, in columns
_IN_TOKENS = "distance"  # the only statistic that is not a share


def head_profile(
    profile: HeadProfile, say: Translator, theme: Theme, rank_by: str = "", note: str = "health.profile_note"
) -> go.Figure:
    """Table with a row per head and a column per statistic, with numbers.

    Colours run from 0 to 1, those of the distance from 0 to its largest value. A uniform head, for
    comparison, stands among the ranked heads, otherwise below all, between lines.

    Args:
        rank_by: The statistic that heads are ranked by, from its largest value down; by default
            they are ordered by layer and number.
        note: Key of the message that says what the numbers are means of, with `rows`.

    Raises:
        ValueError: Without statistics, if their shapes differ, or for an unknown `rank_by`.
    """
    shapes = {np.shape(values) for values in profile.statistics.values()}
    if len(shapes) != 1 or len(next(iter(shapes))) != 2:
        raise ValueError(f"statistics of shapes {sorted(shapes)}: they must share one, layers × heads")
    ((layers, heads),) = shapes
    if rank_by and rank_by not in profile.statistics:
        raise ValueError(f"{rank_by!r} is not one of {', '.join(profile.statistics)}")
    names = [say(f"health.statistic_{name}") for name in profile.statistics]
    headings = ["<br>".join(labels.wrap(name, _HEADING)) for name in names]
    digits_of = [1 if name == _IN_TOKENS else 2 for name in profile.statistics]
    values = _values(profile)
    order = np.arange(len(values))
    lines = [layer * heads for layer in range(1, layers + bool(profile.uniform))]  # above these rows
    if rank_by:
        column = list(profile.statistics).index(rank_by)
        headings[column] = f"<b>{'<br>'.join(labels.wrap(f'{names[column]} ↓', _HEADING))}</b>"
        order = np.argsort(-values[:, column], kind="stable")  # undefined values last
        place = order.argmax()  # of the uniform head, the last row before sorting
        lines = [place, place + 1] if profile.uniform else []
    rows = [f"{row // heads + 1}.{row % heads + 1}" if row < layers * heads else say("health.uniform") for row in order]
    values = values[order]
    ends = [
        np.nanmax(column) or 1 if name == _IN_TOKENS else 1
        for name, column in zip(profile.statistics, values.T, strict=True)
    ]
    shares = values / ends
    numbers = [
        ["–" if np.isnan(value) else f"{value:.{digits}f}" for value, digits in zip(row, digits_of, strict=True)]
        for row in values
    ]
    hover = labels.hover_sentence(say, "health.hover_profile", "head", "name", value="%{text}")
    data = [[[row, name] for name in names] for row in rows]
    texts = marks.numbers(sum(numbers, []), np.nan_to_num(shares), theme.sequential, theme.small)
    figure = go.Figure([marks.cells(shares, hover, 1, theme.sequential, text=numbers, customdata=data), texts])
    for row in lines:
        figure.add_hline(row - 0.5, line=dict(color=theme.ink, width=1))
    figure.update_xaxes(side="top", tickangle=0, tickvals=list(range(len(names))), ticktext=headings)
    figure.update_xaxes(tickfont_color=theme.muted, ticklabelstandoff=frame.STANDOFF)
    frame.name_rows(figure, theme, rows)
    notes = [say(note, rows=profile.rows)] + [say("health.uniform_note")] * bool(profile.uniform)
    frame.lay_out(
        figure,
        theme,
        say("health.profile"),
        "<br>".join(notes),
        plot_width=len(names) * _COLUMN * theme.text,
        plot_height=len(rows) * _ROW * theme.text,
        above=frame.ticks_height(headings, theme.small) + 2 * frame.TICKS,
        left=frame.margin(theme, max(frame.number_room(theme), frame.tick_room(rows, theme.text))),
        right=theme.text * frame.EDGE,
    )
    return figure


def _values(profile: HeadProfile) -> np.ndarray:
    """Values `(L H + 1, S)` with a row per head and the uniform one last; `(L H, S)` without it."""
    values = np.stack([np.ravel(column).astype(float) for column in profile.statistics.values()], axis=1)
    if not profile.uniform:
        return values
    return np.vstack([values, [profile.uniform.get(name, np.nan) for name in profile.statistics]])
