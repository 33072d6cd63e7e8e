import pytest

from tests.analysis.fake_alignment import alignment
from viz_core.language import Translator
from viz_core.rendering.head_alignment import head_alignment
from viz_core.rendering.theme import theme


def test_a_row_per_head_mean_and_leave_one_out(say, light):
    def head(name: str) -> str:
        return say("alignment.head", head=name)

    figure = head_alignment(alignment(), say, light)
    assert list(figure.layout.yaxis.ticktext) == [
        *(head("1.1"), head("1.2"), say("alignment.layer_mean", layer=1)),
        *(f"<b>{head('2.1')}</b>", head("2.2"), say("alignment.layer_mean", layer=2)),
        *(say("alignment.mean"), say("alignment.leave_one_out")),
    ]
    assert tuple(figure.layout.yaxis.range) == (7.5, -0.5), "the first layer is on top"
    notes = [note.text for note in figure.layout.annotations if note.xref == "x domain"]
    assert notes == ["60.0%", "52.0%", "45.0%", "41.0%", "47.0%", "30.0%", "28.0%", "15.0%"]


def test_a_dot_per_query_on_its_interval(say, light):
    produces, reads, others = head_alignment(alignment(), say, light).data
    assert list(produces.x) == [0.6, 0.52, 0.45, 0.41, 0.47, 0.3, 0.28]
    assert list(reads.x) == [0.85, 0.8, 0.86, 0.9, 0.88, 0.84, 0.83]
    assert list(others.x) == [0.15] and list(others.y) == [7]
    assert [round(y) for y in produces.y] == list(range(7)) == [round(y) for y in reads.y]
    assert all(above < below for above, below in zip(produces.y, reads.y, strict=True)), "they never cover each other"
    assert list(produces.error_x.array) == pytest.approx([0.05] * 7) == list(produces.error_x.arrayminus)
    assert [trace.name for trace in (produces, reads)] == [
        say(f"alignment.query_{query}") for query in ("produces", "reads")
    ]
    assert produces.customdata[3] == [
        say("alignment.head", head="2.1"),
        0.36,
        0.46,
        pytest.approx(0.58),
        pytest.approx(0.6),
    ]


def test_the_diagonal_is_a_line_and_random_links_are_a_band_with_their_names(say, light):
    figure = head_alignment(alignment(), say, light)
    named = [(note.text, note.x, note.xanchor) for note in figure.layout.annotations if note.yref == "y domain"]
    assert named == [
        (f"{say('alignment.diagonal')} 50.0%", 0.5, "right"),
        (f"{say('alignment.random')} 84.0%", 0.79, "left"),
    ]
    shapes = figure.layout.shapes
    assert [(shape.x0, shape.x1) for shape in shapes if shape.type == "rect"] == [(0.79, 0.89)]
    lines = [shape for shape in shapes if shape.type == "line"]
    assert [line.x0 for line in lines if line.x0 == line.x1] == [0.5]
    assert [line.y0 for line in lines if line.y0 == line.y1] == [2.5, 5.5], "between layers"


@pytest.mark.browser
class TestPictures:
    def test_of_two_layers(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(head_alignment(alignment(), say, theme), f"head_alignment_{name}")

    def test_on_a_projector(self, picture_of_figure):
        picture_of_figure(
            head_alignment(alignment(), Translator("en"), theme("dark", projector=True)), "head_alignment_projector"
        )
