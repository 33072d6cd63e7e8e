"""Accuracy of a model on slices of the inputs, each with its interval."""

from collections.abc import Sequence

import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Slice
from viz_core.rendering import labels, marks
from viz_core.rendering.intervals import interval_dots, lay_out_rows
from viz_core.rendering.theme import Theme

ROW = 1.3  # height of a row, in rows of the theme


def slice_accuracy(slices: Sequence[Slice], say: Translator, theme: Theme) -> go.Figure:
    """Accuracy by slice, as dots on intervals, with a tick for the baseline and the number of inputs.

    Raises:
        ValueError: Without slices, or if they are of several kinds.
    """
    kinds = {part.kind for part in slices}
    if len(kinds) != 1:
        raise ValueError(f"slices of the kinds {sorted(kinds)}: they must be of the same kind")
    (kind,) = kinds
    names, rows = [_name(part, say) for part in slices], list(range(len(slices)))
    counts = [say("health.slice_count", count=part.n) for part in slices]
    accuracies, low, high, baselines = zip(
        *((part.accuracy, part.low, part.high, part.baseline) for part in slices), strict=True
    )
    columns = ("name", "low:.1%", "high:.1%", "baseline:.1%")
    hover = labels.hover_sentence(say, "health.hover_slice", *columns, accuracy="%{x:.1%}")
    hover_data = list(zip(names, low, high, baselines, strict=True))
    tick = dict(symbol="line-ns", size=theme.row * 0.6, line=dict(color=theme.muted, width=2))
    dots = interval_dots(accuracies, low, high, rows, hover, hover_data, theme)
    figure = go.Figure([marks.dots(baselines, rows, **tick), dots])
    lowest = max(0.0, min(0.5, *low, *baselines) - 0.03)
    figure.update_xaxes(range=[lowest, 1.01], tickformat=".0%", nticks=7, showgrid=True, gridcolor=theme.line)
    figure.update_xaxes(title_text=say("health.accuracy"))
    title, note = say(f"health.{kind}"), say("health.slices_note")
    lay_out_rows(figure, theme, title, note, names, counts, rows, theme.row * ROW)
    return figure


def _name(part: Slice, say: Translator) -> str:
    key = f"health.slice_{part.kind}"
    if part.end is None:
        return say(f"{key}_open", begin=part.begin)
    if part.begin == part.end:
        return say(f"{key}_one", begin=part.begin)
    return say(key, begin=part.begin, end=part.end)
