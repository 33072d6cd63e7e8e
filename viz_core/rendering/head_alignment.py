"""How well each head of the cross-attention aligns words, with means and baselines: a row per method."""

from math import inf

import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import AlignmentScore, WordAlignment
from viz_core.records.alignment import QUERIES
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.theme import Theme

WIDTH = 1.1  # of the figure, as a share of the theme's side
ROW = 0.95  # height of a row, in rows of the theme
_APART = 0.15  # distance of each query's dots from the middle of the row, in rows


def head_alignment(alignment: WordAlignment, say: Translator, theme: Theme) -> go.Figure:
    """Alignment error rates on their 95% intervals; farther left is better.

    A row for each head, for the mean over each layer and over all heads, with a dot for each query;
    a row for leave-one-out; a dotted line for the diagonal and a band for random links, named above
    the plot. The best head is in bold; the numbers on the right are those of the better query.
    """
    rows = _rows(alignment)
    names = [_name(row[0], say) for row in rows]
    best = next(number for number, row in enumerate(rows) if alignment.best in row)
    named = [f"<b>{name}</b>" if number == best else name for number, name in enumerate(names)]
    notes = [f"{min(score.error_rate for score in row):.1%}" for row in rows]
    figure = go.Figure([_dots(query, rows, names, say, theme) for query in (*QUERIES, "")])
    _add_baselines(figure, alignment, say, theme)
    for number, row in enumerate(rows[1:], 1):
        if row[0].layer != rows[number - 1][0].layer:
            figure.add_hline(number - 0.5, line=dict(color=theme.line, width=1), layer="below")
    frame.name_rows(figure, theme, named)
    frame.note_rows(figure, theme, notes, range(len(rows)))
    figure.update_xaxes(range=[0, 1], dtick=0.2, tickformat=".0%", title_text=say("alignment.axis"))
    frame.lay_out(
        figure,
        theme,
        say("alignment.chart"),
        say("alignment.chart_note", pairs=alignment.pairs),
        legend=1,
        above=frame.text_height(1.5, theme.small),
        width=theme.side * WIDTH,
        plot_height=theme.row * ROW * len(rows),
        right=frame.note_room(theme, notes, theme.small),
    )
    return figure


def _rows(alignment: WordAlignment) -> list[tuple[AlignmentScore, ...]]:
    """Scores of each row, by query.

    Layer by layer its heads and their mean, then the mean of all heads, then leave-one-out.
    """

    def position(score: AlignmentScore) -> tuple[float, ...]:
        return tuple(inf if number is None else number for number in (score.layer, score.head))

    queries = (sorted((score for score in alignment.scores if score.query == query), key=position) for query in QUERIES)
    return [*zip(*queries, strict=True), (alignment.of("leave_one_out"),)]


def _name(score: AlignmentScore, say: Translator) -> str:
    if score.method != "attention":
        return say(f"alignment.{score.method}")
    if score.layer is None:
        return say("alignment.mean")
    if score.head is None:
        return say("alignment.layer_mean", layer=score.layer + 1)
    return say("alignment.head", head=score.name)


def _dots(
    query: str, rows: list[tuple[AlignmentScore, ...]], names: list[str], say: Translator, theme: Theme
) -> go.Scatter:
    """Dots of one query, or of the methods without a query."""
    shown = [(number, score) for number, row in enumerate(rows) for score in row if score.query == query]
    scores = [score for _, score in shown]
    shift = {"produces": -_APART, "reads": _APART}.get(query, 0.0)
    colour = theme.ink if not query else theme.accent if query == "produces" else theme.muted
    columns = ("name", "low:.1%", "high:.1%", "precision:.1%", "recall:.1%")
    hover = labels.hover_sentence(say, "alignment.hover", *columns, rate="%{x:.1%}")
    rates, low, high = ([getattr(score, name) for score in scores] for name in ("error_rate", "low", "high"))
    data = [[names[number], score.low, score.high, score.precision, score.recall] for number, score in shown]
    mark = dict(color=colour, size=9, symbol=f"circle{'-open' * (query == 'reads')}", line=dict(color=colour, width=2))
    return marks.dots(rates, [number + shift for number, _ in shown], hover, data, **mark).update(
        name=say(f"alignment.query_{query}") if query else "",
        showlegend=bool(query),
        error_x=marks.interval(rates, low, high, colour, thickness=1.5),
    )


def _add_baselines(figure: go.Figure, alignment: WordAlignment, say: Translator, theme: Theme) -> None:
    """Draw the line of the diagonal and the band of random links, labelled above the plot.

    The diagonal's label ends at its line, and the label of random links begins with the band, so
    that they never meet.
    """
    diagonal, random = alignment.of("diagonal"), alignment.of("random")
    figure.add_vrect(random.low, random.high, fillcolor=theme.muted, opacity=0.28, line_width=0, layer="below")
    figure.add_vline(diagonal.error_rate, line=dict(color=theme.ink, width=1.5, dash="dot"))
    for score, x, anchor in ((diagonal, diagonal.error_rate, "right"), (random, random.low, "left")):
        text = f"{say(f'alignment.{score.method}')} {score.error_rate:.1%}"
        place = dict(x=x, xanchor=anchor, y=1, yref="y domain", yanchor="bottom")
        frame.annotate(figure, text, theme.small, theme.muted, **place)
