"""The logit lens: lines of classes and cells of tokens."""

from dataclasses import replace

import numpy as np
import pytest

from tests.words import says
from viz_core.records import Failure
from viz_core.records.inside import ClassLens, TokenLens
from viz_core.rendering.logit_lens import POSITIONS, class_lines, token_cells

TWO = ClassLens(("negative", "positive"), np.zeros((4, 2)), np.array([[0.5, 0.5], [0.4, 0.6], [0.7, 0.3], [0.1, 0.9]]))
TOKENS = TokenLens(
    ("[CLS]", "we", "<b>go</b>"),
    ("we", "<b>go</b>", "[SEP]"),
    (("the", "we", "."), ("we", "<b>go</b>", "[SEP]")),
    np.array([[0.01, 0.2, 0.003], [0.9, 0.6, 0.99]]),
    np.array([[12, 2, 40], [1, 1, 1]]),
    start=0,
    positions=3,
)


def many_classes() -> ClassLens:
    probabilities = np.random.default_rng(0).dirichlet(np.full(3, 0.7), size=5)
    return ClassLens(("negative", "positive", "same"), np.zeros((5, 3)), probabilities)


def long_translation() -> TokenLens:
    words = tuple(["我们", "学校", "extraordinary", "go"][index % 4] for index in range(30))
    probabilities = np.linspace(0, 1, 120).reshape(4, 30)
    return TokenLens(words, words, (words,) * 4, probabilities, np.ones((4, 30), int), start=10, positions=40)


def stages(say, layers: int) -> tuple[str, ...]:
    return (say("lens.before_layers"), *(say("lens.after_layer", layer=layer + 1) for layer in range(layers)))


def test_a_line_per_class_from_the_embedding_to_the_last_layer(say, light):
    figure = class_lines(TWO, say, light)
    assert [line.name for line in figure.data] == [
        say(f"rendering.label_{label}") for label in ("negative", "positive")
    ]
    assert [line.line.color for line in figure.data] == list(light.classes)
    assert list(figure.data[1].y) == [0.5, 0.6, 0.3, 0.9]
    assert figure.layout.xaxis.ticktext == stages(say, 3)


def test_of_thirty_layers_every_fifth_is_named(say, light):
    figure = class_lines(ClassLens(TWO.labels, np.zeros((31, 2)), np.full((31, 2), 0.5)), say, light)
    assert figure.layout.xaxis.tickvals == tuple(range(0, 31, 5)) and len(figure.data[0].x) == 31
    assert figure.layout.xaxis.ticktext == stages(say, 30)[::5]


def test_a_cell_has_the_likeliest_token_and_the_colour_of_the_output(say, light):
    figure = token_cells(TOKENS, say, light)
    cells, tokens = figure.data
    np.testing.assert_array_equal(cells.z, TOKENS.probabilities)
    assert tokens.text[1] == "we" and tokens.text[4] == "&lt;b&gt;go&lt;/b&gt;"
    stage = say("lens.before_layers")
    assert says(cells.customdata[0][0], "lens.hover_token", stage=stage, read="[CLS]", likeliest="the", rank=12)
    assert figure.layout.xaxis.ticktext[2] == "[SEP]" and figure.layout.yaxis.ticktext == stages(say, 1)


def test_of_many_positions_the_first_are_shown_and_named(say, light):
    figure = token_cells(long_translation(), say, light)
    assert np.shape(figure.data[0].z) == (4, POSITIONS)
    assert says(figure.layout.title.subtitle.text, "lens.window", first=11, last=24, all=40)


def test_lengths_and_numbers_are_checked(say, light):
    with pytest.raises(ValueError, match="2 labels"):
        class_lines(ClassLens(TWO.labels, TWO.logits, np.zeros((4, 3))), say, light)
    with pytest.raises(Failure):
        class_lines(ClassLens(TWO.labels, TWO.logits, TWO.probabilities * np.nan), say, light)
    with pytest.raises(ValueError, match="3 outputs"):
        token_cells(replace(TOKENS, probabilities=np.zeros((2, 2))), say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_three_classes(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(class_lines(many_classes(), say, theme), f"lens_classes_{name}")

    def test_of_a_translation(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(token_cells(long_translation(), say, theme), f"lens_tokens_{name}")
