import pytest

from tests.rendering import examples
from viz_core.rendering.bars import token_bars
from viz_core.rendering.caption import add_caption, caption, name_head
from viz_core.rendering.shaded_text import shaded_text

REVIEW = examples.encoding(examples.REVIEW)
EXPLANATION = examples.explanation(*examples.PAIR)


def test_a_caption_names_what_the_picture_depends_on(say):
    model = f"{EXPLANATION.task} / {EXPLANATION.model}"
    texts = say("explorer.caption_text", text="花呗怎么还款 / 花呗如何还钱")
    head, scale = (
        say("explorer.caption_head", head="2.1"),
        say("explorer.caption_scale", scale=say("explorer.scale_sqrt")),
    )
    assert caption(EXPLANATION, say, "2026-11-22") == f"{model} · 2026-11-22 · {texts}"
    chosen = caption(EXPLANATION, say, "2026-11-22", "2.1", "sqrt")
    assert chosen == f"{model} · {head} · {scale} · 2026-11-22 · {texts}"


def test_heads_are_named_as_in_links():
    assert [name_head(1, 0), name_head(1, None), name_head(None, None)] == ["2.1", "2.*", "*.*"]


def test_the_caption_stands_below_the_figure(say, light):
    """A line of 15 px and an edge of 14 px are added at the bottom; everything else stays where it was."""
    bare, figure = (token_bars(examples.token_weights(REVIEW), say, light) for _ in range(2))
    add_caption(figure, "<b> & co", light)
    assert figure.layout.height == bare.layout.height + 29
    assert figure.layout.margin.b == bare.layout.margin.b + 29 and figure.layout.margin.t == bare.layout.margin.t
    (line,) = figure.layout.annotations[len(bare.layout.annotations) :]
    assert line.text == "&lt;b&gt; &amp; co"
    assert line.yshift == -figure.layout.margin.b + 14, "an edge above the border"
    assert line.xshift == 14 - figure.layout.margin.l


def test_a_long_caption_is_wrapped(say, light):
    figure = token_bars(examples.token_weights(REVIEW), say, light)
    add_caption(figure, "many words " * 30, light)
    assert figure.layout.annotations[-1].text.count("<br>") > 1


@pytest.mark.browser
def test_pictures(picture_of_figure, picture_of_html, look):
    theme, say, suffix = look
    text = caption(EXPLANATION, say, "2026-11-22", "2.1", "sqrt")
    weights = examples.token_weights(REVIEW)
    picture_of_figure(add_caption(token_bars(weights, say, theme, 5), text, theme), f"caption_{suffix}")
    picture_of_html(add_caption(shaded_text(weights, say, theme), text, theme), f"caption_text_{suffix}", theme)
