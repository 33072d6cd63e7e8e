"""How the prediction changes when the sentences are swapped or their characters shuffled."""

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Shuffles
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme

ROW = 1.7  # height of a row, in rows of the theme


def control_strip(
    shuffles: Shuffles, swapped: float, threshold: float, label: str, say: Translator, theme: Theme
) -> go.Figure:
    """Row per change with a dot per trial and a tick for their mean.

    Lines mark the unchanged input and the threshold.

    Args:
        swapped: Probability of the last class, `label`, with the sentences exchanged.
        threshold: The probability from which that class is predicted.

    Raises:
        Failure: If a number is not finite.
    """
    trials = {"swap": np.array([swapped])} | {
        name: np.asarray(values, float) for name, values in shuffles.shuffled.items()
    }
    check_finite(*trials.values(), np.array([shuffles.original]))
    class_, figure = say(f"rendering.label_{label}"), go.Figure()
    rows = [say(f"pairs.change_{name}") for name in trials]
    for row, (name, values) in enumerate(zip(rows, trials.values(), strict=True)):
        figure.add_traces(_row(row, name, values, class_, say, theme))
    lines = [
        (shuffles.original, say("pairs.original", percent=f"{shuffles.original:.0%}"), dict(color=theme.ink, width=2)),
        (threshold, say("pairs.threshold", percent=f"{threshold:.0%}"), dict(color=theme.muted, width=1, dash="dash")),
    ]
    for number, (value, text, line) in enumerate(lines):  # labels on two lines, since the values may coincide
        figure.add_vline(value, line=line, layer="below")
        place = dict(x=value, y=1, yref="y domain", yanchor="bottom", yshift=frame.text_height(number, theme.small))
        frame.annotate(figure, text, theme.small, str(line["color"]), **place)
    figure.update_xaxes(range=[-0.02, 1.02], tickformat=".0%", showline=True, nticks=6)
    figure.update_xaxes(title_text=say("pairs.probability", label=class_))
    frame.name_rows(figure, theme, rows)
    figure.update_layout(showlegend=False)
    frame.lay_out(
        figure,
        theme,
        say("pairs.control"),
        say("pairs.control_note"),
        width=theme.side,
        plot_height=theme.row * ROW * len(rows),
        above=frame.text_height(len(lines), theme.small),
    )
    return figure


def _row(row: int, name: str, values: np.ndarray, label: str, say: Translator, theme: Theme) -> list[go.Scatter]:
    hover = labels.hover_sentence(say, "pairs.hover_change", change=name, label=label, value="%{x:.1%}")
    opacity = 0.55 if len(values) > 1 else 1
    dots = marks.dots(values, [row] * len(values), hover, color=theme.accent, size=11, opacity=opacity)
    if len(values) == 1:
        return [dots]
    figures = dict(mean=f"{values.mean():.1%}", low=f"{values.min():.1%}", high=f"{values.max():.1%}")
    mean = labels.hover_sentence(say, "pairs.hover_mean", change=name, count=len(values), **figures)
    tick = dict(symbol="line-ns", size=theme.row * 0.75, line=dict(color=theme.accent, width=3))
    return [dots, marks.dots([values.mean()], [row], mean, **tick)]
