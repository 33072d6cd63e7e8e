"""Training curves of runs over epochs: a hue per run, a line style per kind of line (validation, training)."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator, catalogue
from viz_core.records import Curve, Evaluation
from viz_core.records.figures import Measure
from viz_core.rendering import frame, labels
from viz_core.rendering.theme import Theme

LOSS = Measure("loss", figure="validation_loss", training="loss")
LR = Measure("lr", format=".2g", from_zero=True)
SPEED = Measure("speed", format=",.0f", figure="tokens_per_second", from_zero=True)
HEIGHT = 0.55  # of the figure, as a share of the theme's side
NAME_COLUMNS = 18  # a longer name of a run is truncated beside its line
_DASHES = ("solid", "dot")
_TICK = 2.2  # minimum distance of the labels on the y axis, in font sizes
_MAX_MARKERS = 40  # with more evaluations, a line has no markers


def curves(run: str, rows: Iterable[Evaluation], measure: Measure) -> list[Curve]:
    """Lines of a chart from the evaluations of a run, pre-training excluded; missing values are NaN."""
    training = [row for row in rows if row.phase == "train" and row.epoch is not None]
    epochs = np.array([row.epoch for row in training], float)
    return [
        Curve(run, kind, epochs, np.array([row.numbers.get(name) for row in training], float))
        for kind, name in measure.lines.items()
    ]


def training_curves(
    series: Sequence[Curve],
    say: Translator,
    theme: Theme,
    measure: Measure,
    width: int | None = None,
    baseline: float | None = None,
) -> go.Figure:
    """Lines over epochs, labelled with their last values, or with a legend if the labels do not fit.

    Without any values, the figure has empty axes and a sentence.

    Args:
        width: Width of the whole figure in px; by default the theme's.
        baseline: What the majority class or a uniform head would have, drawn as a dashed line that
            the subtitle explains.

    Raises:
        ValueError: If epochs and values differ in number, or for an unknown kind of line.
    """
    kinds = list(measure.lines)
    for curve in series:
        if len(curve.epochs) != len(curve.values):
            raise ValueError(
                f"{len(curve.epochs)} epochs of {curve.run!r}: {len(curve.values)} values; each epoch needs one"
            )
        if curve.kind not in kinds:
            raise ValueError(f"{curve.kind!r} is not a line of {measure.name!r}: use {', '.join(kinds)}")
    names = list(dict.fromkeys(curve.run for curve in series))
    drawable = [curve for curve in series if np.isfinite(curve.values).any()]
    hues = {name: theme.heads[number % len(theme.heads)] for number, name in enumerate(names)}
    # The solid line of each run carries its name.
    main = {curve.run: curve for curve in sorted(drawable, key=lambda curve: -kinds.index(curve.kind))}
    figure = go.Figure(
        [_line(curve, hues[curve.run], kinds.index(curve.kind), measure, say, theme) for curve in drawable]
    )
    for trace, curve in zip(figure.data, drawable, strict=True):
        trace.update(legendgroup=str(names.index(curve.run)), showlegend=main[curve.run] is curve)
    title, width = name_measure(say, "rendering.curves", measure.name), width or theme.side
    subtitle = frame.wrap_subtitle(theme, _subtitle(names, kinds, baseline, measure, say), width)
    height, below = round(theme.side * HEIGHT), frame.axis_below(theme, title=True)
    inner = height - frame.header_height(theme, title, subtitle) - below
    ends = [
        (curve, *_end(curve, len(names) == 1, measure, say))
        for curve in drawable
        if len(names) == 1 or main[curve.run] is curve
    ]
    fits = len(ends) * frame.text_height(1, theme.small) <= inner
    right = frame.note_room(theme, [text for _, _, text in ends], theme.small) if fits and ends else None
    y_range = _axes(figure, drawable, measure, baseline, inner, say, theme)
    frame.lay_out(figure, theme, title, subtitle, width=width, height=height, right=right, below=below)
    figure.update_layout(
        showlegend=not fits,
        uirevision=measure.name,
        margin_autoexpand=not fits,
        legend=dict(orientation="v", x=1.02, y=1, xanchor="left", yanchor="top"),
    )
    if fits:
        _add_labels(figure, ends, hues, y_range, inner, theme)
    if baseline is not None:
        figure.add_hline(baseline, line=dict(color=theme.muted, width=1, dash="dash"))
    if not drawable:
        figure.update_yaxes(showticklabels=False, showgrid=False)
        middle = dict(x=0.5, y=0.5, xref="x domain", yref="y domain")
        frame.annotate(figure, say("rendering.curves_none"), theme.text, theme.muted, **middle)
    return figure


def name_measure(say: Translator, key: str, name: str, **values: object) -> str:
    """Entry `KEY_NAME` of the catalogues; for a measure that they do not know, its name in `KEY_other`."""
    entry = f"{key}_{name}"
    known = entry in catalogue(say.language)
    return say(entry if known else f"{key}_other", measure=name.replace("_", " "), **values)


def _finite(values: np.ndarray) -> np.ndarray:
    """Values with infinities as NaN, which draw as gaps."""
    values = np.asarray(values, float)
    return np.where(np.isfinite(values), values, np.nan)


def _short(name: str) -> str:
    return labels.shorten(labels.printable(name), NAME_COLUMNS)


def _line(curve: Curve, hue: str, style: int, measure: Measure, say: Translator, theme: Theme) -> go.Scatter:
    values = _finite(curve.values)
    markers = len(values) <= _MAX_MARKERS or np.isnan(values).any()  # a point between two gaps has no line
    kind = name_measure(say, "rendering.curve", curve.kind)
    name = labels.escape(labels.shorten(labels.printable(curve.run), labels.HOVER_COLUMNS))
    values_of = dict(name="%{text}", epoch="%{x:.4~g}", value=f"%{{y:{measure.format}}}")
    hover = labels.hover_sentence(say, "rendering.hover_curve", **values_of)
    return go.Scatter(
        x=np.asarray(curve.epochs, float),
        y=values,
        mode="lines+markers" if markers else "lines",
        connectgaps=False,
        line=dict(color=hue, width=2.5 if style == 0 else 2, dash=_DASHES[style]),
        marker=dict(size=5, color=hue),
        name=labels.escape(_short(curve.run)),
        text=f"{name} · {kind}",
        hovertemplate=hover,
        cliponaxis=False,
    )


def _subtitle(
    names: Sequence[str], kinds: Sequence[str], baseline: float | None, measure: Measure, say: Translator
) -> str:
    """The name of a single run, the line styles, and the baseline."""
    parts = []
    if len(names) == 1:
        parts.append(labels.escape(labels.shorten(labels.printable(names[0]), labels.HOVER_COLUMNS // 2)))
    if names and len(kinds) > 1:
        first, second = (name_measure(say, "rendering.curve", kind) for kind in kinds)
        parts.append(say("rendering.curve_styles", solid=first, dotted=second))
    if baseline is not None:
        # Not a label beside the line, since the curves start there.
        parts.append(name_measure(say, "rendering.curve_baseline", measure.name, value=f"{baseline:{measure.format}}"))
    return " · ".join(parts)


def _end(curve: Curve, alone: bool, measure: Measure, say: Translator) -> tuple[float, str]:
    """Last value of a line and its label: the kind of line if there is only one run, else the run."""
    last = float(curve.values[np.isfinite(curve.values)][-1])
    name = name_measure(say, "rendering.curve", curve.kind) if alone else _short(curve.run)
    return last, f"{name} {last:{measure.format}}"


def _axes(
    figure: go.Figure,
    series: Sequence[Curve],
    measure: Measure,
    baseline: float | None,
    height: float,
    say: Translator,
    theme: Theme,
) -> tuple[float, float]:
    """Set the axes; returns the range of the y axis.

    Args:
        height: Height of the plot area.
    """
    values = np.concatenate([_finite(curve.values) for curve in series] or [np.array([np.nan])])
    marks = [mark for mark in (baseline, measure.top) if mark is not None]
    values = np.append(values[~np.isnan(values)], marks)
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if measure.from_zero:
        low = min(0.0, low)
    padding = 0.08 * (high - low) or abs(high) * 0.1 or 0.5
    low, high = low - padding * (not measure.from_zero), high + padding
    last = max((float(np.nanmax(curve.epochs)) for curve in series), default=1.0)
    last = last if last > 0 else 1.0
    figure.update_xaxes(
        title_text=say("rendering.epoch"),
        range=[0, last],
        showline=True,
        tickformat="~g",
        **(dict(dtick=1) if 1 <= last <= 10 else dict(nticks=8)),
    )
    figure.update_yaxes(
        **frame.grid(theme),
        range=[low, high],
        nticks=min(6, max(3, int(height / (_TICK * theme.small)))),
        tickformat=(".0%" if high - low > 0.05 else ".1%") if measure.format.endswith("%") else ",~g",
    )
    return low, high


def _add_labels(
    figure: go.Figure,
    ends: list[tuple[Curve, float, str]],
    hues: Mapping[str, str],
    y_range: tuple[float, float],
    height: float,
    theme: Theme,
) -> None:
    """Add labels right of the plot area at the ends of the lines, moved apart if they would overlap."""
    (low, high), line = y_range, frame.text_height(1, theme.small)
    ends = sorted(ends, key=lambda end: end[1])
    targets = [(value - low) / (high - low) * height for _, value, _ in ends]
    positions = list(targets)
    for number in range(1, len(positions)):
        positions[number] = max(positions[number], positions[number - 1] + line)
    for number in reversed(range(len(positions))):  # labels pushed beyond the upper edge move back
        positions[number] = min(positions[number], height - (len(positions) - 1 - number) * line)
    for (curve, value, text), position, target in zip(ends, positions, targets, strict=True):
        place = dict(x=1, xref="x domain", xanchor="left", xshift=theme.text * frame.EDGE, yanchor="middle")
        beside = dict(y=value, yshift=position - target)
        frame.annotate(figure, labels.escape(text), theme.small, hues[curve.run], font_weight=600, **place, **beside)
