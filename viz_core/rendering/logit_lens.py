"""Logit lens: the classifier, or a decoder's output layer, applied after every layer."""

from collections.abc import Sequence
from math import ceil

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records.inside import ClassLens, TokenLens
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme

HEIGHT = 0.62  # of the lines, as a share of the theme's side
TICKS = 7  # most layers that are named below the lines
PER_ROW = 4  # names in a row of the legend
POSITIONS = 14  # most positions: more cells would be too narrow for their tokens
CELL, ROW = 4.6, 2.1  # width and height of a cell, in font sizes
DEEP, LOW = 13, 1.55  # from so many rows, the height of a cell
LONGEST = 9  # columns of a token in a cell; a Chinese character takes two


def class_lines(lens: ClassLens, say: Translator, theme: Theme) -> go.Figure:
    """Lines of the class probabilities before the first layer and after each one.

    The last point is the prediction.

    Raises:
        ValueError: If labels and probabilities differ in number.
        Failure: If probabilities are not finite.
    """
    probabilities = np.asarray(lens.probabilities, float)
    if probabilities.ndim != 2 or probabilities.shape[1] != len(lens.labels):
        raise ValueError(
            f"{len(lens.labels)} labels: probabilities of shape {probabilities.shape} must have a column for each"
        )
    check_finite(probabilities)
    stages = _stages(len(probabilities), say)
    names = [labels.class_name(label, say) for label in lens.labels]
    figure = go.Figure(
        [
            marks.line(list(range(len(stages))), row.tolist(), labels.hover(f"{name} : %{{y:.1%}}"), color=hue).update(
                name=name, mode="lines+markers", marker=dict(color=hue, size=8)
            )
            for name, row, hue in zip(names, probabilities.T, theme.class_hues(len(names)), strict=True)
        ]
    )
    figure.update_layout(hovermode="x unified")
    named = range(0, len(stages), max(1, ceil((len(stages) - 1) / TICKS)))
    figure.update_xaxes(
        tickvals=list(named), ticktext=[stages[stage] for stage in named], range=[-0.2, len(stages) - 0.8]
    )
    figure.update_xaxes(title_text=say("lens.axis_layers"))
    figure.update_yaxes(range=[-0.02, 1.02], tickformat=".0%", showgrid=True)
    frame.lay_out(
        figure,
        theme,
        say("lens.title"),
        say("lens.class_note"),
        width=theme.side,
        height=theme.side * HEIGHT,
        legend=ceil(len(names) / PER_ROW),
    )
    return figure


def token_cells(lens: TokenLens, say: Translator, theme: Theme) -> go.Figure:
    """Table of the likeliest next token, with a row per layer and a column per position.

    Coloured by the probability of the token that is produced there, or that follows in the text.
    Only the first POSITIONS are drawn.

    Raises:
        ValueError: If tokens and probabilities differ in number.
        Failure: If probabilities are not finite.
    """
    shape = len(lens.likeliest), len(lens.outputs)
    if {lens.probabilities.shape, lens.ranks.shape} != {shape} or {len(row) for row in lens.likeliest} != {shape[1]}:
        raise ValueError(
            f"{shape[1]} outputs: probabilities of shape {lens.probabilities.shape}; each output needs a column"
        )
    check_finite(lens.probabilities)
    shown = min(shape[1], POSITIONS)
    probabilities, ranks = lens.probabilities[:, :shown], lens.ranks[:, :shown]
    stages = _stages(shape[0], say)
    tokens = [labels.shorten(token, LONGEST) for row in lens.likeliest for token in row[:shown]]
    texts = marks.numbers(labels.tick_texts(tokens), probabilities, theme.sequential, theme.small)
    cells = marks.cells(probabilities, labels.hover("%{customdata}"), customdata=_hovers(lens, stages, ranks, say))
    figure = go.Figure([cells, texts])
    cell, row = theme.text * CELL, theme.text * (ROW if shape[0] < DEEP else LOW)
    figure.update_xaxes(
        tickvals=list(range(shown)),
        ticktext=labels.tick_texts([labels.shorten(token, LONGEST) for token in lens.outputs[:shown]]),
        range=[-0.5, shown - 0.5],
        tickangle=0,
        title_text=say("lens.axis_outputs"),
    )
    frame.name_rows(figure, theme, stages)
    bar = frame.colour_bar(theme, row * shape[0], say("lens.probability"), (0, 0.5, 1), ("0%", "50%", "100%"))
    figure.layout.coloraxis = frame.colour_axis(theme.sequential, 0, 1, bar)
    notes = [say("lens.token_note")]
    if shown < lens.positions:
        last = lens.start + shown
        notes.append(say("lens.window", first=lens.start + 1, last=last, all=lens.positions))
    frame.lay_out(
        figure,
        theme,
        say("lens.title"),
        "<br>".join(notes),
        plot_width=cell * shown,
        plot_height=row * shape[0],
        min_width=theme.side,
    )
    return figure


def _stages(count: int, say: Translator) -> list[str]:
    """Names of the rows of a lens: before the first layer, after each."""
    return [say("lens.before_layers"), *(say("lens.after_layer", layer=layer) for layer in range(1, count))]


def _hovers(lens: TokenLens, stages: Sequence[str], ranks: np.ndarray, say: Translator) -> list[list[str]]:
    """Hover sentence of each cell, escaped."""

    def sentence(layer: int, position: int) -> str:
        return say(
            "lens.hover_token",
            stage=stages[layer],
            read=labels.escape(lens.read[position]),
            likeliest=labels.escape(lens.likeliest[layer][position]),
            output=labels.escape(lens.outputs[position]),
            probability=f"{lens.probabilities[layer, position]:.1%}",
            rank=int(ranks[layer, position]),
        )

    return [[sentence(layer, position) for position in range(ranks.shape[1])] for layer in range(len(stages))]
