import numpy as np
import pytest

from viz_core.language import Translator
from viz_core.records import Failure, Faithfulness
from viz_core.rendering.faithfulness import faithfulness_bars
from viz_core.rendering.theme import theme

METHODS = ("leave_one_out", "integrated_gradients", "gradient_attention", "rollout", "attention")
LOST, KEPT = [0.47, 0.41, 0.22, 0.07, -0.04], [-0.03, 0.02, 0.08, 0.25, 0.31]


def measures(intervals=False, lost=LOST, kept=KEPT, methods=METHODS):
    found = []
    for name, values, control in (
        ("comprehensiveness", lost, (0.1, 0.02, 0.24)),
        ("sufficiency", kept, (0.21, 0.1, 0.3)),
    ):
        values = np.array(values)
        low, high = (values - 0.03, values + 0.04) if intervals else (None, None)
        found.append(Faithfulness(name, methods, values, low, high, control, 200 if intervals else 1))
    return found


def test_a_column_per_measure_and_a_bar_per_method(say, light):
    figure = faithfulness_bars(measures(), say, light)
    one, other = figure.data[:2]
    assert list(one.x) == LOST and list(other.x) == KEPT and list(one.y) == list(other.y)
    assert one.y[0] == "leave one out" and figure.layout.yaxis.range == (4.5, -0.5) and one.error_x.array is None
    assert one.customdata[4] == "-4.0" and "this input" in figure.layout.title.subtitle.text.lower()


def test_the_control_is_a_band_with_its_mean(say, light):
    figure = faithfulness_bars(measures(), say, light)
    bands = [(shape.x0, shape.x1) for shape in figure.layout.shapes if shape.type == "rect"]
    lines = [shape.x0 for shape in figure.layout.shapes if shape.type == "line" and shape.x0]
    assert bands == [(0.02, 0.24), (0.1, 0.3)] and lines == [0.1, 0.21]
    assert [trace.name for trace in figure.data[2:]] == ["random order, 95%", "random order, mean"]


def test_intervals_over_inputs(say, light):
    figure = faithfulness_bars(measures(intervals=True), say, light)
    assert list(figure.data[0].error_x.array) == pytest.approx([0.04] * 5)
    assert list(figure.data[0].error_x.arrayminus) == pytest.approx([0.03] * 5)
    assert figure.data[0].customdata[0] == "+47.0 (+44.0 … +51.0)" and "200" in figure.layout.title.subtitle.text


def test_everything_is_within_sight(say, light):
    low, high = faithfulness_bars(measures(intervals=True), say, light).layout.xaxis.range
    assert low < -0.07 and high > 0.51


def test_next_to_nothing_looks_so(say, light):
    flat = [Faithfulness(**{**vars(one), "control": (1e-6, 0.0, 2e-6)}) for one in measures(lost=[1e-6] * 5)]
    assert faithfulness_bars(flat, say, light).layout.xaxis.range[1] > 0.02


def test_what_does_not_fit_together_is_refused(say, light):
    with pytest.raises(ValueError, match="4 values"):
        faithfulness_bars(measures(lost=LOST[:4]), say, light)
    with pytest.raises(ValueError, match="not of the same methods"):
        faithfulness_bars([measures()[0], measures(methods=METHODS[::-1])[1]], say, light)
    with pytest.raises(Failure):
        faithfulness_bars(measures(lost=[np.nan] * 5), say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_one_input(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(faithfulness_bars(measures(), say, theme), f"faithfulness_{name}")

    def test_of_many_inputs(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(faithfulness_bars(measures(intervals=True), say, theme), f"faithfulness_validation_{name}")

    def test_of_a_model_that_reads_nothing(self, say, light, picture_of_figure):
        tiny = measures(lost=[1e-6] * 5, kept=[0.0] * 5)
        flat = [Faithfulness(**{**vars(one), "control": (1e-6, 0.0, 2e-6)}) for one in tiny]
        picture_of_figure(faithfulness_bars(flat, say, light), "faithfulness_nothing")

    def test_on_a_projector(self, picture_of_figure):
        picture_of_figure(
            faithfulness_bars(measures(), Translator("zh"), theme("dark", projector=True)), "faithfulness_projector"
        )
