import pytest

from tests.analysis.fake_health import collapsed_health, good_health
from viz_core.language import Translator
from viz_core.records import Slice
from viz_core.rendering.slices import slice_accuracy
from viz_core.rendering.theme import theme


def slices_of(health, kind):
    return [part for part in health.slices if part.kind == kind]


def test_a_row_per_slice_with_interval_baseline_and_count(say, light):
    figure = slice_accuracy(slices_of(good_health(), "negation"), say, light)
    ticks, dots = figure.data
    assert figure.layout.yaxis.ticktext == (
        say("health.slice_negation_one", begin=0),
        say("health.slice_negation", begin=1, end=2),
        say("health.slice_negation_open", begin=6),
    )
    assert (tuple(dots.x), tuple(ticks.x)) == ((0.93, 0.9, 0.86), (0.3, 0.41, 0.59))
    assert dots.error_x.array == pytest.approx([0.03] * 3) == list(dots.error_x.arrayminus)
    assert [note.text for note in figure.layout.annotations] == [
        say("health.slice_count", count=count) for count in (244, 800, 611)
    ]
    assert tuple(figure.layout.yaxis.range) == (2.5, -0.5), "the first slice is on top"


@pytest.mark.parametrize(
    ("health", "kind", "bounds"),
    [(good_health(), "length", [(26, 126), (127, 512)]), (collapsed_health(), "overlap", [(0.3, 0.4), (0.6, 1.0)])],
)
def test_slices_are_named(say, light, health, kind, bounds):
    names = tuple(say(f"health.slice_{kind}", begin=begin, end=end) for begin, end in bounds)
    assert slice_accuracy(slices_of(health, kind), say, light).layout.yaxis.ticktext == names


@pytest.mark.parametrize(("kind", "value"), [("length", 6.0), ("negation", 1.0), ("overlap", 1.0)])
def test_a_slice_of_one_value_is_named_by_it(say, light, kind, value):
    figure = slice_accuracy([Slice(kind, value, value, 9, 0.5, 0.2, 0.8, 0.4)], say, light)
    assert figure.layout.yaxis.ticktext == (say(f"health.slice_{kind}_one", begin=value),)


def test_no_slices_and_slices_of_two_kinds_are_rejected(say, light):
    for slices in ([], good_health().slices):
        with pytest.raises(ValueError, match="kind"):
            slice_accuracy(slices, say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_negations(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(slice_accuracy(slices_of(good_health(), "negation"), say, theme), f"slices_{name}")

    def test_on_a_projector(self, picture_of_figure):
        picture_of_figure(
            slice_accuracy(slices_of(collapsed_health(), "overlap"), Translator("zh"), theme("dark", projector=True)),
            "slices_projector",
        )
