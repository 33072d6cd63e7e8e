import numpy as np
import pytest

from tests.words import plain, says
from viz_core.language import Translator
from viz_core.records import Agreement, Message
from viz_core.rendering.agreement import agreement_matrix
from viz_core.rendering.theme import theme

METHODS = ("leave_one_out", "integrated_gradients", "gradient_attention", "rollout", "attention")
NOTE = Message("attribution.agreement_input", {"count": 13})


def agreement(tau=None, methods=METHODS):
    if tau is None:
        samples = np.random.default_rng(0).uniform(-0.6, 0.95, (len(methods), len(methods)))
        tau = np.tril(samples, -1) + np.tril(samples, -1).T + np.eye(len(methods))
    tau = np.array(tau, float)
    return Agreement(methods, tau, tau - 0.2, tau + 0.1, 13)


def test_each_pair_once_with_its_interval(say, light):
    three = agreement([[1, 0.5, -0.25], [0.5, 1, 0], [-0.25, 0, 1]], METHODS[:3])
    cells, numbers = agreement_matrix(three, NOTE, say, light).data
    assert cells.type == "heatmap" and (cells.zmin, cells.zmax) == (0, 1)
    assert np.array_equal(cells.z, [[0.5, np.nan], [-0.25, 0]], equal_nan=True)
    assert list(zip(numbers.y, numbers.x, strict=True)) == [(0, 0), (1, 0), (1, 1)]
    assert numbers.text[1].startswith("<b>-0.25</b>") and "-0.45 … -0.15" in numbers.text[1]
    assert list(cells.customdata[1][0]) == [
        say("attribution.gradient_attention"),
        say("attribution.leave_one_out"),
        -0.45,
        -0.15,
    ]


def test_rows_and_columns_name_the_methods(say, light):
    axes = agreement_matrix(agreement(), NOTE, say, light).layout
    assert plain(axes.xaxis.ticktext[0]) == plain(say("attribution.leave_one_out")) and len(axes.xaxis.ticktext) == 4
    assert plain(axes.yaxis.ticktext[0]) == plain(say("attribution.integrated_gradients")) and axes.yaxis.range == (
        3.5,
        -0.5,
    )
    assert says(axes.title.subtitle.text, NOTE.key, **NOTE.values)


def test_an_undefined_tau_is_a_dash(say, light):
    tau = np.eye(5)
    tau[4, :4] = np.nan
    assert list(agreement_matrix(agreement(tau), NOTE, say, light).data[1].text[-4:]) == ["–"] * 4


def test_lengths_are_checked(say, light):
    with pytest.raises(ValueError, match=r"5 methods.*\(3, 3\)"):
        agreement_matrix(agreement(np.eye(3)), NOTE, say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_five_methods(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(agreement_matrix(agreement(), NOTE, say, theme), f"agreement_{name}")

    def test_on_a_projector(self, picture_of_figure):
        picture_of_figure(
            agreement_matrix(agreement(), NOTE, Translator("zh"), theme("dark", projector=True)), "agreement_projector"
        )
