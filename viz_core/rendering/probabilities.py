"""The prediction: the probability of each class, and a sentence."""

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
    """Probability as text, `97.3%`; never rounded to 0% or 100%."""
    if 0.9995 <= probability < 1:
        return ">99.9%"
    if 0 < probability < 0.0005:
        return "<0.1%"
    return f"{probability:.1%}"


def probability_bars(explanation: Explanation, say: Translator, theme: Theme) -> go.Figure:
    """Bars with the percentages of the classes.

    A line marks the decision threshold on the last class unless it is 50%.

    Raises:
        ValueError: If labels and probabilities differ in number.
        Failure: If probabilities are not finite, or the model has no classifier.
    """
    if not explanation.has_prediction:
        raise Failure("rendering.no_prediction")
    check_probabilities(explanation)
    names = [say(f"rendering.label_{label}") for label in explanation.labels]
    values = [float(value) for value in explanation.probabilities]
    numbers = [labels.escape(percent(value)) for value in values]
    hover = labels.hover_sentence(say, "rendering.hover_probability", label="%{y}", percent="%{text}")
    edge = dict(color=theme.muted, width=int(len(names) > 2))
    row = dict(y=names, orientation="h")
    behind = go.Bar(x=[1.0] * len(names), marker_color=theme.surface, hoverinfo="skip", **row)
    bars = go.Bar(x=values, text=numbers, textposition="none", hovertemplate=hover, **row)
    figure = go.Figure([behind, bars.update(marker=dict(color=theme.class_hues(len(names)), line=edge))])
    for index, text in enumerate(numbers):  # in a column of their own, right-aligned
        predicted = index == explanation.predicted
        place = dict(x=1, xref="paper", y=names[index], xanchor="right", xshift=_room(theme) - theme.text * frame.EDGE)
        ink, weight = (theme.ink, 700) if predicted else (theme.muted, 400)
        frame.annotate(figure, text, theme.title, ink, font_weight=weight, **place)
    if explanation.threshold not in (EVEN, None):
        _mark_threshold(figure, explanation.threshold, len(names) - 1, say, theme)
    _layout(figure, names, explanation.predicted, say, theme)
    return figure


def verdict(explanation: Explanation, doubt: Message | None = None) -> Message:
    """The prediction in words: `Positive, 97.0% (very confident)`.

    For a model without a classifier, a sentence that it has none. The grade follows the margin.
    With two classes this is the distance from the decision threshold as a share of the way to
    certainty, with more the lead over the runner-up: below 20% barely, below 80% fairly, else very.
    A prediction with a probability below 60% at most leans to its class, however low its threshold.

    Args:
        doubt: Replaces the grade for a model that has not learned its task.
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
    elif probability < (1 + FAIRLY) / 2:
        grade = "leans"
    else:
        grade = "fairly" if margin < VERY else "very"
    return Message(f"rendering.verdict_{grade}", values)


def prediction_in_short(explanation: Explanation) -> Message:
    """The predicted class and its probability: `“positive” (88.1%)`."""
    predicted = explanation.predicted
    values = {"label": _name(explanation.labels[predicted])}
    return Message("rendering.in_short", {**values, "percent": percent(float(explanation.probabilities[predicted]))})


def threshold_mark(threshold: float) -> Message:
    """Description of a decision threshold: `decision threshold 43.6% (tuned for MCC)`."""
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
    line, low, high = dict(color=theme.ink, width=2), row - 0.42, row + 0.42
    figure.add_shape(type="line", x0=threshold, x1=threshold, y0=low, y1=high, line=line)
    text = say(threshold_mark(threshold))
    frame.annotate(figure, text, theme.small, theme.muted, x=threshold, y=high, yanchor="top")


def _room(theme: Theme) -> float:
    """Right margin for the widest possible percentage, so that bars of adjacent figures are equally long."""
    return frame.note_room(theme, [percent(0.9999)], theme.title)


def _layout(figure: go.Figure, names: list[str], predicted: int, say: Translator, theme: Theme) -> None:
    ticks = [f"<b>{name}</b>" if index == predicted else name for index, name in enumerate(names)]
    figure.update_xaxes(visible=False, range=[0, 1])
    frame.name_categories(figure, theme, names, ticks)
    figure.update_layout(showlegend=False, barmode="overlay", bargap=0.45)
    width, height, right = theme.side - round(_room(theme)), theme.row * ROW * len(names), round(_room(theme))
    title, below = say("rendering.probability_title"), frame.axis_below(theme)
    frame.lay_out(figure, theme, title, plot_width=width, plot_height=height, right=right, below=below)
