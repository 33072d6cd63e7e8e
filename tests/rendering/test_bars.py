import numpy as np
import pytest

from tests.rendering import examples
from viz_core.records import TokenWeights
from viz_core.rendering.bars import token_bars

REVIEW, PAIR, HOSTILE = (
    examples.encoding(*texts) for texts in ((examples.REVIEW,), examples.PAIR, (examples.HOSTILE,))
)


def simple(values, tokens="abcdefgh"):
    count = len(values)
    return TokenWeights(
        tuple(tokens[:count]),
        np.array(values),
        np.zeros(count, int),
        np.array([(i, i + 1) for i in range(count)]),
        (tokens,),
        examples.TITLE,
    )


def test_all_bars_stand_in_the_order_of_the_text(say, light):
    figure = token_bars(simple([0.2, 0.5, 0.3], "aba"), say, light)
    assert figure.data[0].type == "bar" and figure.data[0].orientation == "h"
    assert list(figure.data[0].x) == [0.2, 0.5, 0.3]
    assert figure.layout.yaxis.categoryarray == ("1 · a", "2 · b", "3 · a"), "repeated tokens stay separate"
    assert figure.layout.yaxis.ticktext == ("a", "b", "a") and figure.layout.yaxis.range == (2.5, -0.5)


def test_top_is_sorted_by_size_and_says_so(say, light):
    figure = token_bars(simple([0.1, -0.6, 0.3, 0.1]), say, light, top=3)
    assert figure.layout.yaxis.categoryarray == ("2 · b", "3 · c", "1 · a"), "ties in the order of the text"
    assert list(figure.data[0].x) == [-0.6, 0.3, 0.1]
    assert figure.layout.title.subtitle.text == say("rendering.largest", count=3, all=4)
    assert figure.layout.xaxis.range[0] < -0.6


def test_top_beyond_the_text_shows_all(say, light):
    figure = token_bars(simple([0.1, 0.2]), say, light, top=10)
    assert len(figure.data[0].x) == 2 and figure.layout.title.subtitle.text is None


def test_a_pair_is_coloured_by_sentence_with_a_legend(say, light):
    figure = token_bars(examples.token_weights(PAIR), say, light)
    assert [(bar.name, bar.marker.color) for bar in figure.data] == [
        (say("rendering.sentence_a"), light.group(0)),
        (say("rendering.sentence_b"), light.group(1)),
        (say("rendering.special_tokens"), light.group(-1)),
    ]
    assert all(bar.showlegend for bar in figure.data)
    assert not any(bar.showlegend for bar in token_bars(examples.token_weights(REVIEW), say, light).data)


def test_numbers_are_written_and_hovered_exactly(say, light):
    bar = token_bars(simple([0.25, 0.031]), say, light).data[0]
    assert bar.texttemplate == "%{x:.3f}" and bar.textposition == "outside" and "%{x:.4f}" in bar.hovertemplate


def test_markup_is_escaped(say, light):
    assert "&lt;b&gt;bold&lt;/b&gt;" in token_bars(examples.token_weights(HOSTILE), say, light).layout.yaxis.ticktext


def test_all_zero_is_drawn(say, light):
    assert token_bars(simple([0.0, 0.0]), say, light).layout.xaxis.range[1] > 0


def test_lengths_are_checked(say, light):
    with pytest.raises(ValueError, match="15 labels.*14"):
        token_bars(examples.token_weights(REVIEW, weights=np.ones(14)), say, light)
    with pytest.raises(ValueError, match="top is 0"):
        token_bars(examples.token_weights(REVIEW), say, light, top=0)


def test_bounds_set_the_range_of_the_axis(say, light):
    weights = examples.token_weights(examples.encoding("a good film"))
    figure = token_bars(weights, say, light, bounds=(0.0, 2.0))
    assert tuple(figure.layout.xaxis.range) == pytest.approx((0.0, 2.3))


@pytest.mark.browser
class TestPictures:
    def test_of_the_largest(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(token_bars(examples.token_weights(REVIEW), say, theme, top=8), f"bars_top_{name}")

    def test_of_a_pair(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(token_bars(examples.token_weights(PAIR), say, theme), f"bars_pair_{name}")

    def test_of_signed_numbers(self, say, light, picture_of_figure):
        picture_of_figure(token_bars(simple([0.02, -0.31, 0.4, 0.0, -0.12]), say, light), "bars_signed")

    def test_of_hostile_tokens(self, say, light, picture_of_figure):
        picture_of_figure(token_bars(examples.token_weights(HOSTILE), say, light), "bars_hostile")
