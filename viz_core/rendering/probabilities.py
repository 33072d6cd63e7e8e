"""The answer: how likely each class is, and the same in words."""

from __future__ import annotations

import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Explanation, Message
from viz_core.rendering.checks import check_probabilities
from viz_core.rendering.theme import Theme, template

EVEN = 0.5  # the threshold of a model whose answer is simply the likelier class
FAIRLY, VERY = 0.2, 0.8  # share of the way from the threshold to certainty: with threshold 50 %, that is 60 % and 90 %


def percent(probability: float) -> str:
    """A probability as text, `97.3%`; never a rounded 0 or 100, since no model is that sure."""
    if 0.9995 <= probability < 1:
        return ">99.9%"
    if 0 < probability < 0.0005:
        return "<0.1%"
    return f"{probability:.1%}"


def probability_bars(explanation: Explanation, say: Translator, theme: Theme) -> go.Figure:
    """One bar per class with its percentage; a line marks the decision threshold on the last class unless it is 50 %.

    Raises ValueError where labels and probabilities differ in number; Failure where they are not finite.
    """
    check_probabilities(explanation)
    names = [say(f"rendering.label_{label}") for label in explanation.labels]
    values = [float(value) for value in explanation.probabilities]
    hover = say("rendering.hover_probability", label="%{y}", percent="%{text}")
    figure = go.Figure([
        go.Bar(x=[1.0] * len(names), y=names, orientation="h", marker=dict(color=theme.surface), hoverinfo="skip"),
        go.Bar(x=values, y=names, orientation="h", text=[percent(value).replace("<", "&lt;") for value in values],
               hovertemplate=f"{hover}<extra></extra>", textposition="none",
               marker=dict(color=[theme.classes[0]] * (len(names) - 1) + [theme.classes[1]]))])
    for index, value in enumerate(values):  # numbers stand in a column of their own, right-aligned
        answer = index == explanation.predicted
        figure.add_annotation(
            x=1, xref="paper", y=names[index], text=percent(value).replace("<", "&lt;"), showarrow=False, xanchor="right",
            xshift=theme.text * 5, font=dict(size=theme.title, weight=700 if answer else 400,
                                             color=theme.ink if answer else theme.muted))
    if explanation.threshold != EVEN:
        _mark_threshold(figure, explanation.threshold, len(names) - 1, say, theme)
    _layout(figure, names, explanation.predicted, say, theme)
    return figure


def verdict(explanation: Explanation) -> Message:
    """The answer and how sure it is, in words, with percentages; names the threshold where it is not 50 %.

    How sure: the share of the way from the threshold to certainty (below 20 % barely, below 80 % fairly, else very). Of an
    answer that is less likely than the other one, given because of the threshold, it is never said to be sure.
    """
    check_probabilities(explanation)
    answer, threshold = explanation.predicted, explanation.threshold
    last = float(explanation.probabilities[-1])
    positive = answer == len(explanation.labels) - 1
    reached, room = (last - threshold, 1 - threshold) if positive else (threshold - last, threshold)
    share = reached / room if room > 0 else 1.0
    probability = float(explanation.probabilities[answer])
    if share < FAIRLY:
        grade = "barely"
    elif probability < EVEN:
        grade = "leans"
    else:
        grade = "fairly" if share < VERY else "very"
    note = "" if threshold == EVEN else Message(
        "rendering.verdict_threshold", {"label": _name(explanation.labels[-1]), "percent": percent(threshold)})
    return Message(f"rendering.verdict_{grade}", {
        "label": _name(explanation.labels[answer]), "percent": percent(probability), "threshold": note})


def _name(label: str) -> Message:
    return Message(f"rendering.label_{label}")


def _mark_threshold(figure: go.Figure, threshold: float, row: int, say: Translator, theme: Theme) -> None:
    figure.add_shape(type="line", x0=threshold, x1=threshold, y0=row - 0.42, y1=row + 0.42,
                     line=dict(color=theme.ink, width=2))
    figure.add_annotation(
        x=threshold, y=row + 0.42, yanchor="top", showarrow=False,
        text=say("rendering.threshold_mark", percent=percent(threshold)), font=dict(size=theme.small, color=theme.muted))


def _layout(figure: go.Figure, names: list[str], answer: int, say: Translator, theme: Theme) -> None:
    row, above = theme.row * 1.7, theme.title * 2.3
    left = max(theme.text * 0.62 * sum(2 if ord(c) > 0x2E7F else 1 for c in name) for name in names) + theme.text
    ticks = [f"<b>{name}</b>" if index == answer else name for index, name in enumerate(names)]
    figure.update_xaxes(visible=False, range=[0, 1])
    figure.update_yaxes(
        tickvals=names, ticktext=ticks, tickfont=dict(size=theme.text), autorange="reversed", ticklabelstandoff=8)
    figure.update_layout(
        template=template(theme), title=dict(text=say("rendering.probability_title")), showlegend=False, barmode="overlay",
        bargap=0.45, width=round(left + theme.side), height=round(above + row * len(names) + theme.small * 2),
        margin=dict(l=round(left), r=round(theme.text * 6), t=round(above), b=theme.small * 2, autoexpand=False))
