"""The map of what each part carries of the difference between two texts."""

from dataclasses import replace

import numpy as np
import pytest

from tests.tiny import text_encoder
from tests.words import says
from viz_core.records import Contrast, Failure, Patching
from viz_core.rendering.patching import patching_map
from viz_core.tables.downloads import patching_csv

TEXT = text_encoder("imdb")
SOURCE, TARGET = TEXT.encode("a good film"), TEXT.encode("not a bad film")
PAIRS = np.array([[0, 0], [1, 2], [2, 3], [3, 4], [4, 5]])
CONTRAST = Contrast("small", "imdb", SOURCE, TARGET, PAIRS, ("positive", "negative"), (1, 0), 2.0, -2.0)
RESIDUAL = np.array([[0.0, 0.0, 0.75, 0.0, 0.0], [0.5, -0.25, 1.5, 0.0, 0.0]])
HEADS = np.array([[0.1, -0.2], [0.9, 0.0]])
SMALL = Patching(CONTRAST, {"residual": RESIDUAL, "heads": HEADS}, is_exact=True)


def deep() -> Patching:
    random = np.random.default_rng(0)
    text = TEXT.encode("<b> " + "a bad film with a good story and not a film " * 2)
    pairs = np.repeat(np.arange(len(text.tokens))[:, None], 2, axis=1)
    contrast = replace(CONTRAST, source=text, target=text, pairs=pairs)
    effects = {"residual": random.normal(0, 0.2, (14, len(pairs))), "heads": random.normal(0, 0.3, (14, 12))}
    return Patching(contrast, effects, is_exact=False)


def told(figure) -> dict:
    return {
        (x, y): (text, hover)
        for trace in figure.data
        if trace.type == "scatter" and trace.mode == "markers+text"
        for x, y, text, hover in zip(trace.x, trace.y, trace.text, trace.customdata, strict=True)
    }


def test_a_column_per_token_and_both_names_where_one_replaces_another(say, light):
    figure = patching_map(SMALL, "residual", say, light)
    (cells,) = (trace for trace in figure.data if trace.type == "heatmap")
    np.testing.assert_array_equal(cells.z, RESIDUAL)
    assert list(figure.layout.xaxis.ticktext) == ["[CLS]", "a", "bad←good", "film", "[SEP]"]
    text, hover = told(figure)[2, 1]
    assert text == "+1.50" and says(hover, "patching.hover_residual", layer=2, name="bad←good", value="+1.50")
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-1.5, 1.5)


def test_a_column_per_head_on_a_scale_that_has_all_of_the_difference(say, light):
    figure = patching_map(SMALL, "heads", say, light)
    assert list(figure.layout.xaxis.ticktext) == ["1", "2"]
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-1, 1)
    assert says(told(figure)[0, 1][1], "patching.hover_heads", layer=2, name="1", value="+0.90")


def test_an_estimate_says_so(say, light):
    exact, estimated = (
        patching_map(replace(SMALL, is_exact=exact), "heads", say, light).layout.title.subtitle.text
        for exact in (True, False)
    )
    assert says(exact, "patching.scale") and says(estimated, "patching.scale_estimated")


def test_shapes_and_numbers_are_checked(say, light):
    with pytest.raises(ValueError, match="5 columns"):
        patching_map(Patching(CONTRAST, {"residual": RESIDUAL[:, 1:]}, True), "residual", say, light)
    with pytest.raises(Failure):
        patching_map(Patching(CONTRAST, {"heads": HEADS * np.nan}, True), "heads", say, light)


def test_the_table_has_a_line_per_layer():
    lines = [line.split(",") for line in patching_csv(SMALL, "heads").splitlines()]
    assert lines[0] == ["layer", "1", "2"] and [[*map(float, line)] for line in lines[1:]] == [
        [1, 0.1, -0.2],
        [2, 0.9, 0],
    ]
    assert patching_csv(SMALL, "residual").splitlines()[0] == "layer,1 [CLS],3 a,4 bad,5 film,6 [SEP]"


@pytest.mark.browser
class TestPictures:
    def test_of_tokens(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(patching_map(SMALL, "residual", say, theme), f"patching_{name}")

    def test_of_a_deep_model(self, say, light, picture_of_figure):
        picture_of_figure(patching_map(deep(), "residual", say, light), "patching_deep")
