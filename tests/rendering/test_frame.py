"""Margins computed by hand for the light theme: title 18, text 14, small 12, rows of 26, sides of 560 px."""

import plotly.graph_objects as go
import pytest

from viz_core.rendering import frame, labels
from viz_core.rendering.theme import theme


def lay_out(light, *args, **kwargs) -> go.Layout:
    figure = go.Figure()
    frame.lay_out(figure, light, *args, **kwargs)
    return figure.layout


def test_lines_by_hand():
    assert frame.text_height(1, 12) == 15 and frame.text_height(2, 14) == 35
    assert frame.ticks_height(["line", "two<br>lines"], 12) == 30


def test_header_by_hand(light):
    assert frame.header_height(light, "title") == pytest.approx(41.4)
    assert frame.header_height(light, "") == 14, "without a title only the edge"
    assert frame.header_height(light, "title", "note") == pytest.approx(41.4 + 30), "a line and a blank line below"
    assert frame.header_height(light, "title", "two<br>lines") == pytest.approx(41.4 + 45)
    assert frame.header_height(light, "title", "note", legend=2) == pytest.approx(41.4 + 30 + 45)


def test_headings_by_hand(light):
    assert frame.headings_height(light, ["line", "two<br>lines"]) == 2.5 * 17.5


def test_margins_by_hand(light):
    assert frame.margin(light) == 14
    assert frame.axis_below(light) == 29 and frame.axis_below(light, title=True) == 43
    assert frame.axis_below(light, ["two<br>lines"]) == 44 and frame.margin(light, 40, title=True) == 68
    assert frame.tick_room(["0.5", "word"], 12) == 28 + 10  # 4 columns of 0.58 * 12, rounded up, and the distance
    assert frame.number_room(light) == 35 + 10
    assert frame.note_room(light, ["10", "n = 9"], 10) == pytest.approx(29 + 28)


def test_markup_has_no_width():
    assert frame.tick_room(["<b>word</b>"], 12) == frame.tick_room(["word"], 12)
    assert frame.tick_room(["&lt;b&gt;"], 12) == frame.tick_room(["<i>abc</i>"], 12)


def test_a_plot_area_and_its_margins_make_the_figure(light):
    layout = lay_out(light, "title", "note", plot_width=300, plot_height=200, left=50, below=43)
    assert (layout.width, layout.height) == (50 + 300 + 28, 71 + 200 + 43)
    margins = layout.margin
    assert (margins.l, margins.r, margins.t, margins.b, margins.autoexpand) == (50, 28, 71, 43, False)
    assert layout.title.text == "title" and layout.title.subtitle.text == "note"


def test_a_long_subtitle_is_wrapped(light):
    subtitle = " ".join(["five!"] * 20)  # 119 columns of 6 px, in 300 - 2 * 14 px
    layout = lay_out(light, "title", subtitle, width=300, plot_height=100)
    lines = layout.title.subtitle.text.split("<br>")
    assert " ".join(lines) == subtitle and len(lines) == 3 and max(map(len, lines)) <= 45
    assert layout.margin.t == round(41.4 + 4 * 15)


def test_explicit_sizes_are_used(light):
    layout = lay_out(light, "title", width=560, height=308, left=60)
    assert (layout.width, layout.height, layout.margin.t, layout.margin.l) == (560, 308, 41, 60)
    assert layout.title.subtitle.text is None


def test_margins_follow_from_ticks_and_titles_of_the_axes(light):
    figure = go.Figure()
    frame.name_rows(figure, light, ["four", "a"])  # 4 columns of 0.58 * 14 and the distance of 10, then the edge
    figure.update_xaxes(ticktext=["two<br>lines"], title_text="title")
    frame.lay_out(figure, light, plot_width=300, plot_height=100)
    assert (figure.layout.margin.l, figure.layout.margin.b, figure.layout.margin.r) == (33 + 10 + 14, 30 + 28, 28)
    figure.update_yaxes(visible=False)
    figure.update_xaxes(side="top")
    figure.update_layout(coloraxis=frame.colour_axis(light.sequential, 0, 1, frame.colour_bar(light, 100)))
    frame.lay_out(figure, light, plot_width=300, plot_height=100)
    assert (figure.layout.margin.l, figure.layout.margin.b, figure.layout.margin.r) == (14, 14, 98)


def test_a_narrow_figure_gets_white_space_on_the_right(light):
    layout = lay_out(light, "title", plot_width=300, plot_height=200, left=50, right=28, min_width=400)
    assert (layout.width, layout.margin.r) == (400, 50)


def test_the_legend_is_above_the_headings_at_the_left_border(light):
    legend = lay_out(light, "title", plot_width=272, plot_height=100, left=100, legend=1, above=42.5).legend
    assert (legend.xref, legend.xanchor, legend.yanchor) == ("container", "left", "bottom")
    assert legend.x == 14 / 400 and legend.y == pytest.approx(1.5)  # 42.5 and half a line of 15, over 100


def test_a_colour_bar_is_as_long_as_its_map_up_to_a_limit(light):
    short, long = frame.colour_bar(light, 200), frame.colour_bar(light, 900, "weight", [0, 1], ["0", "all"])
    assert short["len"] == 200 and short["tickvals"] == [0, 0.25, 0.5, 0.75, 1] and short["ticktext"] is None
    assert long["len"] == 320 and long["ticktext"] == ["0", "all"] and long["title"]["text"] == "weight"
    assert short["xpad"] == 28 and frame.bar_room(light) == 98
    axis = frame.colour_axis(light.sequential, 0, 2, short)
    assert (axis["cmin"], axis["cmax"], axis["colorscale"][0][1]) == (0, 2, light.sequential[0])


def test_rows_start_at_the_top(light):
    figure = go.Figure(go.Bar(x=[1, 2], y=["1 · a", "2 · a"], orientation="h"))
    frame.name_categories(figure, light, ["1 · a", "2 · a"], ["a", "a"])
    assert figure.layout.yaxis.range == (1.5, -0.5) and figure.layout.yaxis.ticktext == ("a", "a")
    frame.name_rows(figure, light, ["a", "b"], [0, 1.4])
    assert figure.layout.yaxis.range == (1.9, -0.5) and figure.layout.yaxis.tickvals == (0, 1.4)


def test_a_hover_names_the_columns_of_its_data(say):
    template = labels.hover_sentence(say, "pairs.hover_mass_head", "head", name="A", value="%{y:.1%}")
    assert template == labels.hover(say("pairs.hover_mass_head", head="%{customdata}", name="A", value="%{y:.1%}"))
    columns = labels.hover_sentence(say, "health.hover_slice", "name", "low:.1%", "high:.1%", "baseline", accuracy="x")
    assert "%{customdata[0]}" in columns and "%{customdata[2]:.1%}" in columns and "%{customdata[3]}" in columns


def test_a_projector_widens_every_margin(light):
    large = theme("light", projector=True)
    for room in (frame.margin, frame.bar_room, frame.number_room):
        assert 1.2 < room(large) / room(light) < 1.5
