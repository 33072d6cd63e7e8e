"""Position embeddings: the vectors themselves, the wavelengths of sinusoids, and similarity by distance."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import PositionVectors, SimilarityByDistance
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme

HEIGHT = 0.62  # of a plot area, as a share of the theme's side
WIDTH = 0.8
BAND = 0.16  # opacity of a range
MOST = 0.99  # share of the numbers that counts as most of them
FAR = 3  # colours stop at most numbers if the largest exceeds them by more than this factor


def position_map(positions: PositionVectors, say: Translator, theme: Theme) -> go.Figure:
    """Heat map of the vectors: a row per position, a column per dimension.

    The colours reach to the largest absolute number, or as far as most numbers do, if a few are far
    larger, as in models pre-trained like BERT.
    """
    check_finite(positions.vectors)
    sizes = np.abs(positions.vectors)
    largest, most = max(float(sizes.max()), 1e-9), float(np.quantile(sizes, MOST))
    bound = most if 0 < FAR * most < largest else largest
    T, D = positions.vectors.shape
    note = "positions.map_note" if bound == largest else "positions.map_note_beyond"
    hover = labels.hover_sentence(say, "positions.hover_map", position="%{y}", dimension="%{x}", value="%{z:.3f}")
    figure = go.Figure(marks.cells(positions.vectors, hover, 0))
    height = theme.side * HEIGHT
    values = [-bound, 0, bound]
    bar = frame.colour_bar(theme, height, marks=values, texts=[f"{value:.2g}" for value in values])
    figure.layout.coloraxis = frame.colour_axis(theme.diverging, -bound, bound, bar)
    figure.update_xaxes(title_text=say("positions.dimension"))
    figure.update_yaxes(title_text=say("positions.position"), autorange="reversed")
    frame.lay_out(
        figure,
        theme,
        say(f"positions.map_{positions.kind}"),
        say(note, positions=T, dimensions=D, largest=f"{largest:.2g}"),
        plot_width=theme.side * HEIGHT,
        plot_height=height,
    )
    return figure


def wavelength_chart(wavelengths: np.ndarray, tokens: int, say: Translator, theme: Theme) -> go.Figure:
    """Dots for the wavelengths of the pairs of dimensions `(D/2,)`, on a logarithmic axis.

    A line marks the number of positions of the model.
    """
    check_finite(wavelengths)
    pairs = np.arange(1, len(wavelengths) + 1)
    hover = labels.hover_sentence(say, "positions.hover_wavelength", pair="%{x}", length="%{y:,.1f}")
    figure = go.Figure(marks.dots(pairs, wavelengths, hover, color=theme.accent, size=7))
    figure.add_hline(tokens, line=dict(color=theme.muted, width=1.5, dash="dash"))
    figure.update_yaxes(type="log", title_text=say("positions.wavelength"), tickformat=",~r", dtick=1)
    figure.update_xaxes(title_text=say("positions.pair"))
    _lay_out_lines(
        figure, say("positions.wavelengths"), say("positions.wavelengths_note", positions=tokens), theme, columns=6
    )
    return figure


def similarity_lines(series: Sequence[SimilarityByDistance], say: Translator, theme: Theme) -> go.Figure:
    """Line per kind of vectors: the mean over all pairs at a distance, and the range of most of them."""
    figure = go.Figure()
    for similarity, hue in zip(series, (theme.heads[0], theme.heads[1]), strict=False):
        check_finite(similarity.mean)
        distances = np.arange(len(similarity.mean))
        name = say(f"positions.kind_{similarity.kind}")
        figure.add_traces(marks.band(distances, similarity.low, similarity.high, hue, BAND))
        values = dict(kind=name, distance="%{x}", value="%{y:.3f}")
        hover = labels.hover_sentence(say, "positions.hover_similarity", **values)
        figure.add_trace(marks.line(distances, similarity.mean, hover, color=hue, width=2.5).update(name=name))
    figure.add_hline(0, line=dict(color=theme.line, width=1))
    figure.update_xaxes(title_text=say("positions.distance"))
    title = say(f"positions.similarity_{series[0].measure}")  # beside a legend, an axis title would be inside the plot
    _lay_out_lines(figure, title, say("positions.similarity_note"), theme, legend=1)
    return figure


def _lay_out_lines(
    figure: go.Figure, title: str, subtitle: str, theme: Theme, legend: int = 0, columns: int = 5
) -> None:
    frame.lay_out(
        figure,
        theme,
        title,
        subtitle,
        legend=legend,
        plot_width=theme.side * WIDTH,
        plot_height=theme.side * HEIGHT,
        left=frame.margin(theme, frame.number_room(theme, columns), title=True),
    )
