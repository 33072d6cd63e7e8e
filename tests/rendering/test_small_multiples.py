from dataclasses import replace

import numpy as np
import pytest

from tests.rendering import examples, translations
from tests.words import says
from viz_core.analysis.selection import translation_map
from viz_core.rendering.small_multiples import head_grid, pool

REVIEW, PAIR, HOSTILE = (
    examples.encoding(*texts) for texts in ((examples.REVIEW,), examples.PAIR, (examples.HOSTILE,))
)


def heads(encoding, count, name="Head"):
    return (
        [examples.attention_map(encoding, seed) for seed in range(count)],
        [f"{name} {number}" for number in range(1, count + 1)],
    )


def test_every_head_is_drawn_on_one_scale(say, light):
    maps, titles = heads(REVIEW, 6)
    figure = head_grid(maps, titles, say, light, "linear")
    assert [cells.coloraxis for cells in figure.data] == ["coloraxis"] * 6
    assert figure.layout.coloraxis.cmax == 1
    own = head_grid(maps, titles, say, light, limit="own").layout.coloraxis
    assert own.cmax == pytest.approx(max(attention.weights.max() for attention in maps))
    np.testing.assert_array_equal(figure.data[5].customdata, maps[5].weights)
    assert [note.text for note in figure.layout.annotations[:6]] == titles
    assert figure.data[4].xaxis == "x5", "four per row"


def test_differences_without_negative_numbers_diverge_too(say, light):
    maps = [replace(attention, signed=True) for attention in heads(REVIEW, 2)[0]]
    axis = head_grid(maps, ["Head 1", "Head 2"], say, light, "linear").layout.coloraxis
    assert axis.cmin == -axis.cmax and axis.colorscale[0][1] == light.diverging[0]


def test_titles_and_tokens_are_escaped(say, light):
    figure = head_grid([examples.attention_map(HOSTILE)], ["<b>%{x}</b>"], say, light)
    assert figure.layout.annotations[0].text == "&lt;b&gt;%{x}&lt;/b&gt;"
    assert "%{x}</b>" not in figure.data[0].hovertemplate and figure.data[0].x[1] == "2 · &lt;b&gt;bold&lt;/b&gt;"


def test_pool_takes_the_largest_of_each_block():
    weights = np.zeros((130, 130), np.float32)
    weights[4, 129], weights[129, 0] = 0.5, -0.75
    pooled, block = pool(weights)
    assert block == 3 and pooled.shape == (44, 44)
    assert pooled[1, 43] == 0.5 and pooled[43, 0] == -0.75 and np.count_nonzero(pooled) == 2


def test_64_tokens_are_not_pooled():
    weights = examples.attention(64)
    np.testing.assert_array_equal(pool(weights)[0], weights)


def test_the_note_states_pooling(say, light):
    maps, titles = heads(examples.long_text(512), 2)
    figure = head_grid(maps, titles, say, light)
    assert figure.data[0].z.shape == (64, 64)
    assert says(figure.layout.annotations[-1].text, "rendering.pooled", tokens=512, block=8)
    assert figure.data[0].x[0] == say("rendering.block", first="1 · [CLS]", last="8 · I")
    assert "512 · [SEP]" in figure.data[0].x[63]
    assert says(figure.data[0].hovertemplate, "rendering.hover_block")


def test_lengths_are_checked(say, light):
    maps, _ = heads(REVIEW, 2)
    with pytest.raises(ValueError, match="1 titles.*2 maps"):
        head_grid(maps, ["Head 1"], say, light)
    with pytest.raises(ValueError, match="0 titles.*0 maps"):
        head_grid([], [], say, light)
    with pytest.raises(ValueError, match="15 queries: 14"):
        head_grid([examples.attention_map(REVIEW, weights=np.ones((14, 15)))], ["Head 1"], say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_eight_heads(self, look, picture_of_figure):
        theme, say, name = look
        maps, titles = heads(PAIR, 8, "头" if say.language == "zh" else "Head")
        picture_of_figure(head_grid(maps, titles, say, theme), f"small_multiples_{name}")

    def test_of_hostile_tokens(self, say, light, picture_of_figure):
        picture_of_figure(
            head_grid([examples.attention_map(HOSTILE)] * 2, ["<b>Head</b>", "&lt;"], say, light),
            "small_multiples_hostile",
        )

    def test_of_512_tokens(self, say, light, picture_of_figure):
        picture_of_figure(head_grid(*heads(examples.long_text(512), 4), say, light), "small_multiples_512")


def test_rectangles_keep_their_proportions_and_later_tokens_are_hatched(say, light):
    translation = translations.of_length(40, 20)
    cross, causal = (
        head_grid([translation_map(translation, kind, 0, head) for head in range(2)], ["1", "2"], say, light)
        for kind in ("cross", "causal")
    )
    sizes = []
    for figure in (cross, causal):
        margin, layout = figure.layout.margin, figure.layout
        share = layout.xaxis.domain[1] - layout.xaxis.domain[0]
        sizes.append(((layout.width - margin.l - margin.r) * share, layout.height - margin.t - margin.b))
    assert [width / height for width, height in sizes] == pytest.approx([2, 1], rel=0.02)
    assert sum(shape.type == "path" for shape in causal.layout.shapes) == 2, "one path for each map"
    assert not any(shape.type == "path" for shape in cross.layout.shapes)
    assert np.isnan(causal.data[0].z[0, 1:]).all() and np.isfinite(causal.data[0].z[19]).all()
    assert say("rendering.unreachable") in causal.layout.annotations[-1].text
