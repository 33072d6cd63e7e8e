import re

import numpy as np
import pytest

from tests.rendering import examples
from tests.words import says
from viz_core.records import TokenWeights
from viz_core.rendering.heatmap import colour_axis
from viz_core.rendering.shaded_text import shaded_text

REVIEW, PAIR, HOSTILE = (
    examples.encoding(*texts) for texts in ((examples.REVIEW,), examples.PAIR, (examples.HOSTILE,))
)


def visible_text(html):
    """The visible text of the lines, without chips."""
    lines = re.findall(r'<div class="typed">(.*?)</div>', html, re.DOTALL)
    return [re.sub(r"<[^>]+>", "", re.sub(r'<span class="chip".*?</span>', "", line)) for line in lines]


def test_the_text_stays_as_typed(say, light):
    assert [line.strip(" ") for line in visible_text(shaded_text(examples.token_weights(REVIEW), say, light))] == [
        examples.REVIEW
    ]
    spaced = examples.encoding("  Two\n\n lines … ")
    assert "  Two\n\n lines … " in visible_text(shaded_text(examples.token_weights(spaced), say, light))[0]


def test_a_weight_of_1_has_the_last_colour_or_the_largest_where_the_limit_is_its_own(say, light):
    weights = TokenWeights(
        ("a", "b", "c"),
        np.array([0, 0.1, 0.4]),
        np.zeros(3, int),
        np.array([(0, 1), (2, 3), (4, 5)]),
        ("a b c",),
        examples.TITLE,
    )
    full, own = (
        re.findall(r'class="token" style="background:(#\w+)', shaded_text(weights, say, light, *colours))
        for colours in ((), ("sqrt", "own"))
    )
    assert full == [light.sequential[0], light.sequential[1], light.sequential[4]]
    assert own == [light.sequential[0], light.sequential[5], light.sequential[-1]]


def test_signed_weights_diverge(say, light):
    weights = TokenWeights(
        ("a", "b"), np.array([-0.4, 0.4]), np.zeros(2, int), np.array([(0, 1), (2, 3)]), ("a b",), examples.TITLE
    )
    colours = re.findall(r'class="token" style="background:(#\w+)', shaded_text(weights, say, light))
    assert colours == [light.diverging[0], light.diverging[-1]]


def test_tooltips_show_numbers(say, light):
    weights = examples.token_weights(REVIEW)
    html = shaded_text(weights, say, light)
    assert says(html, "rendering.hover_bar", token="not", weight=f"{weights.weights[4]:.4f}")


def legend(html: str) -> list[str]:
    """The numbers below the colours."""
    return re.findall(r"<span[^>]*>([^<]*)</span>", html.partition('<div class="marks">')[2])


@pytest.mark.parametrize("scale", ["linear", "sqrt", "log"])
@pytest.mark.parametrize("bounds", [(0, 1), (-0.5, 0.5)])
def test_the_legend_has_the_numbers_of_the_heat_maps(say, light, scale, bounds):
    weights = examples.token_weights(REVIEW, weights=np.linspace(*bounds, len(REVIEW.labels)))
    bar = colour_axis(bounds, say, light, scale, 200)["colorbar"]
    assert legend(shaded_text(weights, say, light, scale)) == list(bar["ticktext"])


def test_the_legend_ends_at_the_largest_weight_or_at_the_limit(say, light):
    weights = examples.token_weights(REVIEW)
    assert legend(shaded_text(weights, say, light)) == ["0", "0.2", "0.4", "0.6", "0.8", "1"]
    assert legend(shaded_text(weights, say, light, limit="own"))[-1] == f"{weights.weights.max():.2g}"
    beyond = examples.token_weights(examples.encoding("a " * 40), weights=np.eye(42)[1])
    assert legend(shaded_text(beyond, say, light))[-1] == "≥ 0.38", "16 of 42"


def test_special_tokens_are_chips_around_their_sentence(say, light):
    lines = re.findall(r'<div class="typed">(.*?)</div>', shaded_text(examples.token_weights(PAIR), say, light))
    marks = [[kind[0] for kind in re.findall(r'class="(chip|token)"', line)] for line in lines]
    assert ["".join(line) for line in marks] == ["cttttttc", "ttttttc"]


def test_a_special_token_that_stands_in_a_text_is_a_chip_in_its_place(say, light):
    """[CLS] a <m> b [SEP] <m> c: the second marker is the first token of the second text."""
    weights = TokenWeights(
        ("[CLS]", "a", "<m>", "b", "[SEP]", "<m>", "c"),
        np.linspace(0, 0.6, 7),
        np.array([-1, 0, -1, 0, -1, -1, 1]),
        np.array([(0, 0), (0, 1), (1, 4), (4, 5), (0, 0), (0, 3), (3, 4)]),
        ("a<m>b", "<m>c"),
        examples.TITLE,
    )
    lines = re.findall(r'<div class="typed">(.*?)</div>', shaded_text(weights, say, light))
    marks = [[kind[0] for kind in re.findall(r'class="(chip|token)"', line)] for line in lines]
    assert ["".join(line) for line in marks] == ["ctctc", "ct"]
    assert [line.strip() for line in visible_text(shaded_text(weights, say, light))] == ["ab", "c"]


def test_a_pair_is_labelled(say, light):
    html = shaded_text(examples.token_weights(PAIR), say, light)
    assert '<span class="name a">A</span>' in html and '<span class="name b">B</span>' in html
    assert "name a" not in shaded_text(examples.token_weights(REVIEW), say, light)


def test_markup_is_escaped(say, light):
    html = shaded_text(examples.token_weights(HOSTILE), say, light)
    assert "<script" not in html and "<b>" not in html and "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    quoted = examples.encoding('say "hi" <')
    assert 'title=""' not in shaded_text(examples.token_weights(quoted), say, light)


def test_styles_apply_to_the_view_only(say, light):
    css = re.search(r"<style>(.*?)</style>", shaded_text(examples.token_weights(REVIEW), say, light), re.DOTALL).group(
        1
    )
    selectors = [part for rule in re.findall(r"([^{}]+)\{", css) for part in rule.split(",")]
    assert all(selector.strip().startswith(".am-shaded") for selector in selectors)


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(spans=np.zeros((3, 2), int)), "15 labels, against spans: 3 values"),
        (dict(spans=REVIEW.offsets[::-1]), "spans of text 0"),
        (dict(texts=("short",)), "beyond its 5 characters"),
    ],
)
def test_records_are_checked(say, light, changes, message):
    with pytest.raises(ValueError, match=message):
        shaded_text(examples.token_weights(REVIEW, **changes), say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_a_review(self, look, picture_of_html):
        theme, say, name = look
        picture_of_html(shaded_text(examples.token_weights(REVIEW), say, theme), f"shaded_text_review_{name}", theme)

    def test_of_a_pair(self, look, picture_of_html):
        theme, say, name = look
        picture_of_html(shaded_text(examples.token_weights(PAIR), say, theme), f"shaded_text_pair_{name}", theme)

    def test_of_signed_weights(self, say, light, picture_of_html):
        signed = examples.token_weights(REVIEW, weights=examples.token_weights(REVIEW).weights - 0.06)
        picture_of_html(shaded_text(signed, say, light), "shaded_text_signed", light)

    def test_of_hostile_tokens(self, say, light, picture_of_html):
        picture_of_html(shaded_text(examples.token_weights(HOSTILE), say, light), "shaded_text_hostile", light)
