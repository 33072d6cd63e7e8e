"""What a model can do and what it cannot: how many probes of each category it answered right."""

from __future__ import annotations

import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import BehaviouralResults
from viz_core.rendering import labels
from viz_core.rendering.intervals import interval_dots, lay_out_rows
from viz_core.rendering.theme import Theme

ROW = 1.2  # height of a row, in rows of the theme
_CHANCE = 0.5  # half of every category has either answer


def probe_scores(probing: BehaviouralResults, say: Translator, theme: Theme) -> go.Figure:
    """A row a category, all together last: accuracy as a dot on its 95 % interval, and how many were right.

    A dashed line marks what always the same answer reaches. Raises ValueError where there is no category.
    """
    if not probing.scores:
        raise ValueError("there are no categories to draw")
    scores = [*probing.scores, probing.overall]
    names = [labels.escape(say(f"behaviour.category_{score.category}")) for score in scores]
    counts = [say("behaviour.correct_of", right=round(score.accuracy * score.n), n=score.n) for score in scores]
    rows = list(range(len(scores) - 1)) + [len(scores) - 0.6]  # all together stand a little apart
    hover = say(
        "behaviour.hover",
        name="%{customdata[0]}",
        accuracy="%{x:.0%}",
        low="%{customdata[1]:.0%}",
        high="%{customdata[2]:.0%}",
    )
    told = [[name, score.low, score.high] for name, score in zip(names, scores, strict=True)]
    figure = go.Figure(
        interval_dots(
            [score.accuracy for score in scores],
            [score.low for score in scores],
            [score.high for score in scores],
            rows,
            hover,
            told,
            theme,
        )
    )
    figure.add_vline(_CHANCE, line=dict(color=theme.muted, width=1.5, dash="dash"), layer="below")
    figure.update_xaxes(range=[-0.01, 1.01], tickformat=".0%", tickvals=[0, 0.25, 0.5, 0.75, 1], showline=True)
    note = labels.wrap(say("behaviour.chart_note"), theme.side / theme.small / labels.COLUMN * 0.95)
    lay_out_rows(
        figure,
        theme,
        say("behaviour.chart"),
        "<br>".join(note),
        [*names[:-1], f"<b>{names[-1]}</b>"],
        counts,
        rows,
        theme.row * ROW,
        axis_title=False,
    )
    return figure
