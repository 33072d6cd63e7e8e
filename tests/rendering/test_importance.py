import numpy as np
import pytest

from viz_core.language import Translator
from viz_core.records import Failure, HeadImportance
from viz_core.rendering.importance import head_importance
from viz_core.rendering.theme import theme


def importance(layers=4, heads=4, seed=0, **changes) -> HeadImportance:
    random = np.random.default_rng(seed)
    accuracy, loss = random.normal(-0.004, 0.01, (layers, heads)), random.normal(0.01, 0.02, (layers, heads)) ** 3 * 2e3
    taylor = random.random((layers, heads)) * 0.05

    def interval(values, half):
        return np.stack([values - half, values + half], axis=-1)

    return HeadImportance(
        **{
            **dict(
                n=3449,
                accuracy=0.588,
                loss=0.574,
                accuracy_change=accuracy,
                accuracy_interval=interval(accuracy, 0.008),
                loss_change=loss,
                loss_interval=interval(loss, 0.01),
                taylor=taylor,
                taylor_per_layer=taylor / np.linalg.norm(taylor, axis=1, keepdims=True),
            ),
            **changes,
        }
    )


TWO = dict(
    accuracy_change=np.array([[-0.05, 0.001]]),
    accuracy_interval=np.array([[[-0.06, -0.04], [-0.01, 0.012]]]),
    loss_change=np.array([[0.2, -0.0001]]),
    loss_interval=np.array([[[0.1, 0.3], [-0.01, 0.01]]]),
    taylor=np.array([[0.03, 0.04]]),
    taylor_per_layer=np.array([[0.6, 0.8]]),
)


def cell_texts(figure) -> dict[tuple, str]:
    """The text of each cell by layer and head, from 1."""
    return {(y, x): text for trace in figure.data[1:] for x, y, text in zip(trace.x, trace.y, trace.text, strict=True)}


def test_cells_hold_points_and_a_star_where_the_interval_excludes_0(say, light):
    figure = head_importance(importance(**TWO), "accuracy", say, light)
    assert cell_texts(figure) == {(1, 1): "−5.0*", (1, 2): "+0.1"}
    np.testing.assert_allclose(figure.data[0].z, [[-5, 0.1]])
    points = figure.data[1:]
    hover = {x: list(row) for trace in points for x, row in zip(trace.x, trace.customdata, strict=True)}
    assert hover[1][:3] == ["−5.00", "−6.00", "−4.00"] and hover[2][:3] == ["+0.10", "−1.00", "+1.20"]


def test_worse_without_the_head_is_orange_for_accuracy_and_loss(say, light):
    orange = light.diverging[0]
    accuracy, loss = (
        head_importance(importance(**TWO), measure, say, light).data[0] for measure in ("accuracy", "loss")
    )
    assert accuracy.colorscale[0][1] == orange and accuracy.z[0][0] == accuracy.zmin == -accuracy.zmax
    assert loss.colorscale[-1][1] == orange and loss.z[0][0] == loss.zmax == -loss.zmin
    assert cell_texts(head_importance(importance(**TWO), "loss", say, light)) == {(1, 1): "+0.200*", (1, 2): "0.000"}


def test_taylor_scores_are_normalised_per_layer(say, light):
    figure = head_importance(importance(**TWO), "taylor", say, light)
    assert cell_texts(figure) == {(1, 1): "0.60", (1, 2): "0.80"}
    assert (figure.data[0].zmin, figure.data[0].zmax, figure.data[0].colorscale[0][1]) == (0, 1, light.sequential[0])


def test_cells_can_be_clicked_and_the_marked_cell_has_a_frame(say, light):
    figure = head_importance(importance(), "accuracy", say, light, marked=(2, 1))
    assert set(cell_texts(figure)) == {(layer, head) for layer in range(1, 5) for head in range(1, 5)}
    assert figure.layout.clickmode == "event+select" and figure.data[0].hoverinfo == "skip"
    (frame,) = figure.layout.shapes
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (1.5, 2.5, 2.5, 3.5)
    assert tuple(figure.layout.yaxis.range) == (4.5, 0.5), "layer 1 is on top"
    for trace in figure.data[1:]:  # a selection must not fade the other cells
        assert trace.unselected.textfont.color == trace.textfont.color and trace.unselected.marker.opacity == 0


def test_narrow_cells_show_only_the_star(say, light):
    figure = head_importance(importance(12, 16), "loss", say, light)
    assert set(cell_texts(figure).values()) == {"", "*"} and figure.layout.width <= 562


@pytest.mark.parametrize("layers", [1, 2, 6])
def test_the_colour_bar_fits_into_the_figure(say, light, layers):
    figure = head_importance(importance(layers, 4), "loss", say, light)
    assert figure.data[0].colorbar.len <= figure.layout.height - figure.layout.margin.t


def test_a_map_of_zeros(say, light):
    zero, nothing = np.zeros((2, 2)), np.zeros((2, 2, 2))
    figure = head_importance(importance(2, 2, accuracy_change=zero, accuracy_interval=nothing), "accuracy", say, light)
    assert set(cell_texts(figure).values()) == {"0.0"} and figure.data[0].zmin == -0.5


def test_rounding_errors_stay_pale_and_without_a_star(say, light):
    """The loss of a constant model changes by 1e-9, in every row alike."""
    tiny = np.full((2, 2), 1e-9)
    negligible = importance(2, 2, loss_change=tiny, loss_interval=np.stack([tiny / 2, tiny * 2], -1))
    figure = head_importance(negligible, "loss", say, light)
    assert set(cell_texts(figure).values()) == {"0.0000"} and figure.data[0].zmax == 0.005


def test_inconsistent_values_are_rejected(say, light):
    with pytest.raises(ValueError, match="'auc'.*accuracy, loss, taylor"):
        head_importance(importance(), "auc", say, light)
    with pytest.raises(ValueError, match=r"\(4, 4\).*\(4, 3, 2\)"):
        head_importance(importance(loss_interval=np.zeros((4, 3, 2))), "loss", say, light)
    with pytest.raises(Failure):
        head_importance(importance(taylor_per_layer=np.full((4, 4), np.nan)), "taylor", say, light)


@pytest.mark.browser
class TestPictures:
    @pytest.mark.parametrize("measure", ["accuracy", "taylor"])
    def test_of_four_layers(self, look, picture_of_figure, measure):
        theme, say, name = look
        picture_of_figure(head_importance(importance(), measure, say, theme, (1, 2)), f"importance_{measure}_{name}")

    def test_of_six_layers_of_eight_heads(self, say, light, picture_of_figure):
        picture_of_figure(head_importance(importance(6, 8), "loss", say, light), "importance_loss")

    def test_on_a_projector(self, picture_of_figure):
        figure = head_importance(importance(2, 4), "loss", Translator("zh"), theme("dark", projector=True), (0, 0))
        picture_of_figure(figure, "importance_projector")
