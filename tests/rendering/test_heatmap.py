import numpy as np
import pytest

from tests.rendering import examples, translations
from tests.words import says
from viz_core.analysis.selection import translation_map
from viz_core.language import Translator
from viz_core.records import AttentionMap, Failure, Message
from viz_core.rendering import heatmap
from viz_core.rendering.export import standalone_html
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.theme import theme

REVIEW, PAIR, HOSTILE = (
    examples.encoding(*texts) for texts in ((examples.REVIEW,), examples.PAIR, (examples.HOSTILE,))
)


def test_cells_hold_the_weights(say, light):
    attention = examples.attention_map(REVIEW)
    figure = attention_heatmap(attention, say, light)
    cells = figure.data[0]
    assert cells.type == "heatmap" and cells.z.dtype == np.float32
    np.testing.assert_array_equal(cells.z, attention.weights)
    assert cells.x[3] == "4 · is" and cells.y[0] == "1 · [CLS]"
    assert tuple(figure.layout.yaxis.range) == (14.5, -0.5), "the first query is on top"


@pytest.mark.parametrize(
    "scale, transform", [("linear", lambda w: w), ("sqrt", np.sqrt), ("log", lambda w: np.log1p(w / 1e-3))]
)
def test_colours_follow_the_scale_and_numbers_are_the_weights(say, light, scale, transform):
    attention = examples.attention_map(REVIEW)
    figure = attention_heatmap(attention, say, light, scale)
    cells, axis = figure.data[0], figure.layout.coloraxis
    np.testing.assert_allclose(cells.z, transform(attention.weights), rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(cells.customdata, attention.weights)
    assert "%{customdata:.4f}" in cells.hovertemplate
    assert axis.cmin == 0 and axis.cmax == pytest.approx(transform(1.0), rel=1e-4)
    for position, text in zip(axis.colorbar.tickvals[:-1], axis.colorbar.ticktext, strict=False):
        assert position == pytest.approx(transform(float(text)), rel=1e-4), "the legend shows weights"


def test_uniform_attention_looks_uniform(say, light):
    figure = attention_heatmap(examples.attention_map(REVIEW, weights=np.full((15, 15), 1 / 15)), say, light)
    assert figure.layout.coloraxis.cmin == 0, "noise around 1/15 must not span the whole scale"


def test_differences_diverge_around_zero(say, light):
    weights = examples.attention(15) - 0.1
    axis = attention_heatmap(examples.attention_map(REVIEW, weights=weights), say, light, "sqrt").layout.coloraxis
    assert axis.cmin == -axis.cmax and axis.colorscale[0][1] == light.diverging[0]


def test_a_difference_without_negative_numbers_diverges_too(say, light):
    """Otherwise a map where attention has only grown would have the colours of weights."""
    weights = np.full((15, 15), 0.1)
    attention = examples.attention_map(REVIEW, weights=weights, signed=True)
    axis = attention_heatmap(attention, say, light).layout.coloraxis
    assert (axis.cmin, axis.cmax) == pytest.approx((-0.1, 0.1))
    assert axis.colorscale[-1][1] == light.diverging[-1] and axis.colorbar.title.text == say("rendering.difference")


@pytest.mark.parametrize("tokens, labels", [(10, 10), (37, 37), (64, 32), (512, 37)])
def test_large_maps_label_fewer_tokens(say, light, tokens, labels):
    axes = attention_heatmap(examples.attention_map(examples.long_text(tokens)), say, light).layout
    assert len(axes.xaxis.tickvals) == len(axes.yaxis.ticktext) == labels
    assert 560 <= axes.width <= 800 and 560 <= axes.height <= 800


def test_lines_separate_segments(say, light):
    figure = attention_heatmap(examples.attention_map(PAIR), say, light)
    assert [shape.x0 for shape in figure.layout.shapes if shape.x0 == shape.x1] == [0.5, 6.5, 7.5, 13.5]
    assert [note.text for note in figure.layout.annotations] == ["A", "B", "A", "B"]
    assert not attention_heatmap(examples.attention_map(REVIEW), say, light).layout.annotations


def test_small_maps_show_their_numbers(say, light):
    small = examples.attention_map(examples.encoding("good film"))
    numbers = attention_heatmap(small, say, light).data[1]
    assert numbers.mode == "text" and f"{small.weights.max():.2f}" in numbers.text
    assert len(attention_heatmap(examples.attention_map(REVIEW), say, light).data) == 1


def test_renormalised_rows_are_stated(say, light):
    title = attention_heatmap(examples.attention_map(REVIEW, renormalised=True), say, light).layout.title
    assert title.subtitle.text == say("rendering.renormalised")


@pytest.mark.parametrize(
    "changes, numbers",
    [
        (dict(weights=np.ones((15, 14))), "15 keys: 14"),
        (dict(queries=("a", "b")), "2 queries: 15"),
        (dict(key_groups=np.zeros(3)), "15 keys.*: 3"),
        (dict(weights=np.ones(15)), "15 queries: 0"),
    ],
)
def test_lengths_are_checked(say, light, changes, numbers):
    with pytest.raises(ValueError, match=numbers):
        attention_heatmap(examples.attention_map(REVIEW, **changes), say, light)


def test_weights_that_are_not_finite_are_a_failure(say, light):
    weights = examples.attention(15)
    weights[0, :3] = np.nan
    with pytest.raises(Failure) as failure:
        attention_heatmap(examples.attention_map(REVIEW, weights=weights), say, light)
    assert failure.value.message.values["count"] == 3 and say(failure.value.message)


def test_titles_are_escaped(say, light):
    title = Message("rendering.hover_bar", {"token": "<i>&{0}", "weight": 1})
    figure = attention_heatmap(examples.attention_map(REVIEW, title=title), say, light)
    assert says(figure.layout.title.text, title.key, token="&lt;i&gt;&amp;{0}")


@pytest.mark.browser
def test_hover_shows_hostile_tokens_literally(page, say, light):
    """In a browser: markup of a token is text, and the weight is exact on a logarithmic scale."""
    weights = np.zeros((3, 3), np.float32)
    weights[0, 1] = 0.12344
    tokens = ("<b>x</b>", "<script>%{z}&amp;", "$a$")
    attention = AttentionMap(tokens, tokens, weights, np.zeros(3), np.zeros(3), examples.TITLE)
    page.set_content(standalone_html(attention_heatmap(attention, say, light, "log"), "hover", light))
    box = page.locator(".plotly .nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] / 6)
    hover = page.locator(".hoverlayer .hovertext .nums")
    hover.wait_for()
    assert hover.text_content() == "query 1 · <b>x</b> → key 2 · <script>%{z}&amp; : 0.1234"
    assert [tick.text_content() for tick in page.locator(".xtick text").all()] == ["<b>x</b>", "<script>%{z}&…", "$a$"]


def test_the_limit_sets_the_range_of_the_colours(say, light):
    """At first a colour means the same weight in every map, so that a uniform head is pale."""
    encoding = examples.encoding("a good film")
    small = examples.attention_map(encoding, weights=np.full((5, 5), 0.2, np.float32))
    own, full = (attention_heatmap(small, say, light, "sqrt", limit) for limit in ("own", "full"))
    assert own.layout.coloraxis.cmax == pytest.approx(0.2**0.5) and full.layout.coloraxis.cmin == 0
    assert full.layout.coloraxis.cmax == 1 and full.layout.coloraxis.colorbar.ticktext[-1] == "1"
    assert np.array_equal(own.data[0].z, full.data[0].z)
    assert own.data[1].textfont.color[0] != full.data[1].textfont.color[0]


@pytest.mark.browser
class TestPictures:
    def test_of_a_review(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(
            attention_heatmap(examples.attention_map(REVIEW), say, theme, "sqrt"), f"heatmap_review_{name}"
        )

    def test_of_a_pair(self, look, picture_of_figure):
        theme, say, name = look
        attention = examples.attention_map(PAIR, renormalised=True)
        picture_of_figure(attention_heatmap(attention, say, theme), f"heatmap_pair_{name}")

    def test_of_hostile_tokens(self, say, light, picture_of_figure):
        picture_of_figure(attention_heatmap(examples.attention_map(HOSTILE), say, light, "log"), "heatmap_hostile")

    def test_of_a_difference(self, picture_of_figure):
        groups = np.zeros(3, int)
        weights = np.array([[0.2, -0.05, 0.01], [0, -0.3, 0.1], [0.1, 0.02, 0.15]])
        words = AttentionMap(
            ("花呗", "怎么", "还款"), ("花呗", "如何", "还钱"), weights, groups, groups + 1, examples.TITLE
        )
        picture_of_figure(attention_heatmap(words, Translator("zh"), theme("dark")), "heatmap_difference")

    def test_of_512_tokens(self, say, light, picture_of_figure):
        attention = examples.attention_map(examples.long_text(512))
        picture_of_figure(attention_heatmap(attention, say, light, "sqrt"), "heatmap_512")

    def test_upright_chinese_on_a_projector(self, picture_of_figure):
        longer = examples.encoding("我的花呗账单为什么还没有出来呢", "花呗的账单怎么还没有显示出来啊")
        figure = attention_heatmap(
            examples.attention_map(longer), Translator("zh"), theme("dark", projector=True), "sqrt"
        )
        picture_of_figure(figure, "heatmap_projector")


TRANSLATION = translations.translation()


def test_a_rectangle_has_square_cells(say, light):
    figure = attention_heatmap(translation_map(TRANSLATION, "cross", 1, 0), say, light)
    layout, margin = figure.layout, figure.layout.margin
    width, height = layout.width - margin.l - margin.r, layout.height - margin.t - margin.b
    assert width / 10 == pytest.approx(height / 7, rel=0.01)
    assert tuple(figure.layout.xaxis.range) == (-0.5, 9.5) and tuple(figure.layout.yaxis.range) == (6.5, -0.5)
    assert all(shape.type == "line" for shape in figure.layout.shapes), "nothing is hatched"


def test_later_tokens_are_blank_and_hatched_not_zero(say, light):
    figure = attention_heatmap(translation_map(TRANSLATION, "causal", 1, 0), say, light)
    cells = figure.data[0]
    np.testing.assert_array_equal(np.isnan(cells.z), np.triu(np.ones((7, 7), bool), 1))
    assert not cells.hoverongaps, "there is no weight to name"
    (hatching,) = [shape for shape in figure.layout.shapes if shape.type == "path"]
    assert hatching.path.startswith("M") and say("rendering.unreachable") in figure.layout.title.subtitle.text


@pytest.mark.parametrize("per_cell", [1, 5])
@pytest.mark.parametrize("reach", [[1, 2, 3, 4], [1, 1, 3, 3], [2, 4, 4, 4], [4, 4, 4, 4]])
def test_hatching_stays_within_its_cells(reach, per_cell):
    """Every point of a line lies in a cell that cannot be attended to, and every such cell is crossed."""
    crossed = set()
    for x0, y0, x1, y1 in heatmap._hatching(np.array(reach), 4, per_cell):
        assert x0 + y0 == pytest.approx(x1 + y1), "a diagonal from bottom left to top right"
        for share in np.linspace(0.01, 0.99, 50):
            column, row = round(x0 + share * (x1 - x0)), round(y0 + share * (y1 - y0))
            assert reach[row] <= column < 4
            crossed.add((row, column))
    assert crossed == {(row, column) for row in range(4) for column in range(reach[row], 4)}


@pytest.mark.browser
@pytest.mark.parametrize(("kind", "mode", "language"), [("cross", "light", "en"), ("causal", "dark", "zh")])
def test_pictures_of_a_translation(picture_of_figure, kind, mode, language):
    map_ = translation_map(TRANSLATION, kind, 1, 0)
    figure = attention_heatmap(map_, Translator(language), theme(mode), "sqrt")
    picture_of_figure(figure, f"heatmap_{kind}_{language}_{mode}")
