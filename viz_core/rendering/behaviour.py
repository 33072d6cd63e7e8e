"""Results of the behavioural tests: the accuracy of a model by category."""

import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import BehaviouralResults
from viz_core.rendering import frame, labels
from viz_core.rendering.intervals import interval_dots, lay_out_rows
from viz_core.rendering.theme import Theme

ROW = 1.2  # height of a row, in rows of the theme


def category_scores(results: BehaviouralResults, say: Translator, theme: Theme) -> go.Figure:
    """Accuracy by category and over all tests, as dots on 95% intervals, with the number correct.

    A dashed line marks the majority-class baseline.

    Raises:
        ValueError: Without categories.
    """
    if not results.scores:
        raise ValueError("there are no categories to draw: at least one is needed")
    scores = [*results.scores, results.overall]
    names = [labels.escape(say(f"behaviour.category_{score.category}")) for score in scores]
    counts = [say("behaviour.correct_of", correct=round(score.accuracy * score.n), n=score.n) for score in scores]
    rows = [*range(len(scores) - 1), len(scores) - 0.6]  # the total is set apart
    hover = labels.hover_sentence(say, "behaviour.hover", "name", "low:.0%", "high:.0%", accuracy="%{x:.0%}")
    accuracies, low, high = zip(*((score.accuracy, score.low, score.high) for score in scores), strict=True)
    hover_data = list(zip(names, low, high, strict=True))
    figure = go.Figure(interval_dots(accuracies, low, high, rows, hover, hover_data, theme))
    figure.add_vline(results.baseline, line=dict(color=theme.muted, width=1.5, dash="dash"), layer="below")
    figure.update_xaxes(range=[-0.01, 1.01], tickformat=".0%", tickvals=frame.QUARTERS, showline=True)
    names[-1] = f"<b>{names[-1]}</b>"
    title, note = say("behaviour.chart"), say("behaviour.chart_note")
    lay_out_rows(figure, theme, title, note, names, counts, rows, theme.row * ROW)
    return figure
