"""What a model can do and what it cannot: how many probes of each category it answered right."""

from __future__ import annotations

import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Probing
from viz_core.rendering import labels
from viz_core.rendering.theme import Theme, template

_CHANCE = 0.5  # half of every category has either answer


def probe_scores(probing: Probing, say: Translator, theme: Theme) -> go.Figure:
    """A row a category, all together last: accuracy as a dot on its 95 % interval, and how many were right.

    A dashed line marks what always the same answer reaches. Raises ValueError where there is no category.
    """
    if not probing.scores:
        raise ValueError("there are no categories to draw")
    scores = [*probing.scores, probing.overall]
    names = [labels.escape(say(f"probing.category_{score.category}")) for score in scores]
    counts = [say("probing.right", right=round(score.accuracy * score.n), n=score.n) for score in scores]
    rows = list(range(len(scores) - 1)) + [len(scores) - 0.6]  # all together stand a little apart
    figure = go.Figure(_dots(scores, names, rows, say, theme))
    for row, text in zip(rows, counts, strict=True):
        figure.add_annotation(x=1, xref="x domain", xanchor="left", xshift=theme.text, y=row, text=text, showarrow=False,
                              font=dict(size=theme.small, color=theme.muted))
    figure.add_vline(_CHANCE, line=dict(color=theme.muted, width=1.5, dash="dash"), layer="below")
    figure.update_xaxes(range=[-0.01, 1.01], tickformat=".0%", tickvals=[0, 0.25, 0.5, 0.75, 1], showline=True)
    figure.update_yaxes(tickvals=rows, ticktext=[*names[:-1], f"<b>{names[-1]}</b>"],
                        range=[rows[-1] + 0.6, -0.6], tickfont=dict(size=theme.text), ticklabelstandoff=8)
    _size(figure, names, counts, rows[-1] + 1.2, say, theme)
    return figure


def _dots(scores: list, names: list[str], rows: list[float], say: Translator, theme: Theme) -> go.Scatter:
    hover = say("probing.hover", name="%{customdata[0]}", accuracy="%{x:.0%}", low="%{customdata[1]:.0%}",
                high="%{customdata[2]:.0%}")
    return go.Scatter(
        x=[score.accuracy for score in scores], y=rows, mode="markers", cliponaxis=False,
        customdata=[[name, score.low, score.high] for name, score in zip(names, scores, strict=True)],
        hovertemplate=f"{hover}<extra></extra>", marker=dict(color=theme.accent, size=10, opacity=1),
        error_x=dict(type="data", symmetric=False, array=[max(score.high - score.accuracy, 0) for score in scores],
                     arrayminus=[max(score.accuracy - score.low, 0) for score in scores], color=theme.accent, thickness=2, width=0))


def _size(figure: go.Figure, names: list[str], counts: list[str], height: float, say: Translator, theme: Theme) -> None:
    left, right = (max(map(labels.columns, texts)) * size * labels.COLUMN + theme.text * 2
                   for texts, size in ((names, theme.text), (counts, theme.small)))
    note = labels.wrap(say("probing.chart_note"), theme.side / theme.small / labels.COLUMN * 0.95)
    above, below = theme.title * 2.3 + theme.small * (1 + 1.3 * len(note)), theme.small * 2.5
    figure.update_layout(
        template=template(theme), showlegend=False, width=theme.side,
        title=dict(text=say("probing.chart"), subtitle=dict(text="<br>".join(note))),
        height=round(above + theme.row * 1.2 * height + below),
        margin=dict(l=round(left), r=round(right), t=round(above), b=round(below), autoexpand=False))
