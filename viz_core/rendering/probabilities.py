"""The prediction: the probability of each class, and a sentence."""

from __future__ import annotations

import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Explanation, Failure, Message
from viz_core.rendering import frame, labels
from viz_core.rendering.checks import check_probabilities
from viz_core.rendering.theme import Theme

EVEN = 0.5  # at this threshold the likelier of two classes is predicted
ROW = 1.7  # height of a row, in rows of the theme: percentages are as large as a title
FAIRLY, VERY = 0.2, 0.8  # share of the way from the threshold to certainty: with threshold 50 %, that is 60 % and 90 %


def percent(probability: float) -> str:
    """A probability as text, `97.3%`; never rounded to 0% or 100%."""
    if 0.9995 <= probability < 1:
        return ">99.9%"
    if 0 < probability < 0.0005:
        return "<0.1%"
    return f"{probability:.1%}"


def probability_bars(explanation: Explanation, say: Translator, theme: Theme) -> go.Figure:
    """A bar per class with its percentage; a line marks the decision threshold on the last class unless it is 50%.

    Raises ValueError where labels and probabilities differ in number; Failure where they are not finite, or where there
    are none because the model has no classifier.
    """
    if not explanation.has_prediction:
        raise Failure("rendering.no_prediction")
    check_probabilities(explanation)
    names = [say(f"rendering.label_{label}") for label in explanation.labels]
    values = [float(value) for value in explanation.probabilities]
    numbers = [labels.escape(percent(value)) for value in values]
    hover = say("rendering.hover_probability", label="%{y}", percent="%{text}")
    figure = go.Figure(
        [
            go.Bar(x=[1.0] * len(names), y=names, orientation="h", marker=dict(color=theme.surface), hoverinfo="skip"),
            go.Bar(
                x=values,
                y=names,
                orientation="h",
                text=numbers,
                hovertemplate=labels.hover(hover),
                textposition="none",
                marker=dict(
                    color=theme.class_hues(len(names)), line=dict(color=theme.muted, width=int(len(names) > 2))
                ),
            ),
        ]
    )
    for index, text in enumerate(numbers):  # in a column of their own, right-aligned
        predicted = index == explanation.predicted
        figure.add_annotation(
            x=1,
            xref="paper",
            y=names[index],
            text=text,
            showarrow=False,
            xanchor="right",
            xshift=_room(theme) - theme.text * frame.EDGE,
            font=dict(
                size=theme.title, weight=700 if predicted else 400, color=theme.ink if predicted else theme.muted
            ),
        )
    if explanation.threshold not in (EVEN, None):
        _mark_threshold(figure, explanation.threshold, len(names) - 1, say, theme)
    _layout(figure, names, explanation.predicted, say, theme)
    return figure


def verdict(explanation: Explanation, doubt: Message | None = None) -> Message:
    """The prediction in words: `Positive, 97.0% (very confident)`.

    Of a model without a classifier: that there is none. doubt: about a model that has not learned its task, in place
    of the grade.

    The grade follows the margin. With two classes that is the distance from the decision threshold as a share of the
    way to certainty, with more the lead over the runner-up: below 20% barely, below 80% fairly, else very. A prediction
    with less than 50% probability at most leans to its class.
    """
    if not explanation.has_prediction:
        return Message("rendering.no_prediction")
    check_probabilities(explanation)
    predicted = explanation.predicted
    margin, probability = _certainty(explanation), float(explanation.probabilities[predicted])
    values = {"label": _name(explanation.labels[predicted]), "percent": percent(probability)}
    if doubt:
        return Message("rendering.verdict_doubted", {**values, "doubt": doubt})
    if margin < FAIRLY:
        grade = "barely"
    elif probability < EVEN:
        grade = "leans"
    else:
        grade = "fairly" if margin < VERY else "very"
    return Message(f"rendering.verdict_{grade}", values)


def threshold_mark(threshold: float) -> Message:
    """What a decision threshold is: `decision threshold 43.6% (tuned for MCC)`."""
    key = "rendering.threshold_even" if threshold == EVEN else "rendering.threshold_mark"
    return Message(key, {"percent": percent(threshold)})


def _certainty(explanation: Explanation) -> float:
    threshold, last = explanation.threshold, float(explanation.probabilities[-1])
    if threshold is None:
        second, first = sorted(explanation.probabilities.tolist())[-2:]
        return first - second
    positive = explanation.predicted == len(explanation.labels) - 1
    reached, room = (last - threshold, 1 - threshold) if positive else (threshold - last, threshold)
    return reached / room if room > 0 else 1.0


def _name(label: str) -> Message:
    return Message(f"rendering.label_{label}")


def _mark_threshold(figure: go.Figure, threshold: float, row: int, say: Translator, theme: Theme) -> None:
    figure.add_shape(
        type="line", x0=threshold, x1=threshold, y0=row - 0.42, y1=row + 0.42, line=dict(color=theme.ink, width=2)
    )
    figure.add_annotation(
        x=threshold,
        y=row + 0.42,
        yanchor="top",
        showarrow=False,
        text=say(threshold_mark(threshold)),
        font=dict(size=theme.small, color=theme.muted),
    )


def _room(theme: Theme) -> float:
    """Right margin for the widest possible percentage, so that bars of adjacent figures are equally long."""
    return frame.note_room(theme, [percent(0.9999)], theme.title)


def _layout(figure: go.Figure, names: list[str], predicted: int, say: Translator, theme: Theme) -> None:
    ticks = [f"<b>{name}</b>" if index == predicted else name for index, name in enumerate(names)]
    figure.update_xaxes(visible=False, range=[0, 1])
    frame.name_categories(figure, theme, names, ticks)
    figure.update_layout(showlegend=False, barmode="overlay", bargap=0.45)
    left = frame.margin(theme, frame.tick_room(names, theme.text))
    frame.lay_out(
        figure,
        theme,
        say("rendering.probability_title"),
        width=left + theme.side,
        plot_height=theme.row * ROW * len(names),
        left=left,
        right=_room(theme),
        below=frame.axis_below(theme),
    )
