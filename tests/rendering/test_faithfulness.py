from dataclasses import replace

import numpy as np
import pytest

from tests.words import says
from viz_core.language import Translator
from viz_core.records import Failure, Faithfulness
from viz_core.rendering.faithfulness import faithfulness_bars
from viz_core.rendering.theme import theme

METHODS = ("leave_one_out", "integrated_gradients", "gradient_attention", "rollout", "attention")
COMPREHENSIVENESS, SUFFICIENCY = [0.47, 0.41, 0.22, 0.07, -0.04], [-0.03, 0.02, 0.08, 0.25, 0.31]


def measures(intervals=False, comprehensiveness=COMPREHENSIVENESS, sufficiency=SUFFICIENCY, methods=METHODS):
    records = []
    for name, values, control in (
        ("comprehensiveness", comprehensiveness, (0.1, 0.02, 0.24)),
        ("sufficiency", sufficiency, (0.21, 0.1, 0.3)),
    ):
        values = np.array(values)
        low, high = (values - 0.03, values + 0.04) if intervals else (None, None)
        records.append(Faithfulness(name, methods, values, low, high, control, 200 if intervals else 1))
    return records


def test_a_column_per_measure_and_a_bar_per_method(say, light):
    figure = faithfulness_bars(measures(), say, light)
    left, right = figure.data[:2]
    assert list(left.x) == COMPREHENSIVENESS and list(right.x) == SUFFICIENCY and list(left.y) == list(right.y)
    assert (
        left.y[0] == say("attribution.leave_one_out")
        and figure.layout.yaxis.range == (4.5, -0.5)
        and left.error_x.array is None
    )
    assert left.customdata[4] == "-4.0" and says(figure.layout.title.subtitle.text, "attribution.over_input")


def test_the_control_is_a_band_with_its_mean(say, light):
    figure = faithfulness_bars(measures(), say, light)
    bands = [(shape.x0, shape.x1) for shape in figure.layout.shapes if shape.type == "rect"]
    lines = [shape.x0 for shape in figure.layout.shapes if shape.type == "line" and shape.x0]
    assert bands == [(0.02, 0.24), (0.1, 0.3)] and lines == [0.1, 0.21]
    assert [trace.name for trace in figure.data[2:]] == [say("attribution.control"), say("attribution.control_mean")]


def test_intervals_over_inputs(say, light):
    figure = faithfulness_bars(measures(intervals=True), say, light)
    assert list(figure.data[0].error_x.array) == pytest.approx([0.04] * 5)
    assert list(figure.data[0].error_x.arrayminus) == pytest.approx([0.03] * 5)
    assert figure.data[0].customdata[0] == "+47.0 (+44.0 … +51.0)"
    assert says(figure.layout.title.subtitle.text, "attribution.over_inputs", count=200)


@pytest.mark.parametrize("intervals", [False, True])
def test_shares_and_divisor_that_differ_from_the_paper_are_said_where_the_figure_stands(say, light, intervals):
    note = faithfulness_bars(measures(intervals=intervals), say, light).layout.title.subtitle.text
    assert says(note, f"attribution.over_{'inputs' if intervals else 'input'}")


def test_the_axis_covers_all_values_and_intervals(say, light):
    low, high = faithfulness_bars(measures(intervals=True), say, light).layout.xaxis.range
    assert low < -0.07 and high > 0.51


def test_negligible_values_look_negligible(say, light):
    negligible = measures(comprehensiveness=[1e-6] * 5)
    flat = [replace(measure, control=(1e-6, 0.0, 2e-6)) for measure in negligible]
    assert faithfulness_bars(flat, say, light).layout.xaxis.range[1] > 0.02


def test_inconsistent_records_are_rejected(say, light):
    with pytest.raises(ValueError, match="4 values"):
        faithfulness_bars(measures(comprehensiveness=COMPREHENSIVENESS[:4]), say, light)
    with pytest.raises(ValueError, match="methods"):
        faithfulness_bars([measures()[0], measures(methods=METHODS[::-1])[1]], say, light)
    with pytest.raises(Failure):
        faithfulness_bars(measures(comprehensiveness=[np.nan] * 5), say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_one_input(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(faithfulness_bars(measures(), say, theme), f"faithfulness_{name}")

    def test_of_many_inputs(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(faithfulness_bars(measures(intervals=True), say, theme), f"faithfulness_validation_{name}")

    def test_of_a_model_that_reads_nothing(self, say, light, picture_of_figure):
        tiny = measures(comprehensiveness=[1e-6] * 5, sufficiency=[0.0] * 5)
        flat = [replace(measure, control=(1e-6, 0.0, 2e-6)) for measure in tiny]
        picture_of_figure(faithfulness_bars(flat, say, light), "faithfulness_nothing")

    def test_on_a_projector(self, picture_of_figure):
        picture_of_figure(
            faithfulness_bars(measures(), Translator("zh"), theme("dark", projector=True)), "faithfulness_projector"
        )
