import gzip
import re

import plotly.graph_objects as go
import pytest
from plotly.offline import get_plotlyjs_version

from tests.explorer.locations import EXPLORER
from tests.rendering import examples
from viz_core.records import Failure, Message
from viz_core.rendering.bars import token_bars
from viz_core.rendering.export import PLOTLY, save, standalone_html

REVIEW = examples.encoding(examples.REVIEW)


@pytest.fixture
def figure(say, light):
    return token_bars(examples.token_weights(REVIEW), say, light, top=3)


@pytest.mark.browser
def test_png_and_svg(kaleido_server, figure, light, tmp_path):
    save(figure, tmp_path / "bars.png", light)
    assert (tmp_path / "bars.png").read_bytes().startswith(b"\x89PNG")
    save(figure, tmp_path / "bars.SVG", light, width=500, height=300)
    svg = (tmp_path / "bars.SVG").read_text(encoding="utf-8")
    assert 'width="500"' in svg and "[SEP]" in svg


def test_html_needs_nothing_else(figure, light, tmp_path):
    save(figure, tmp_path / "bars.html", light)
    html = (tmp_path / "bars.html").read_text(encoding="utf-8")
    assert html.startswith("<!DOCTYPE html>") and len(html) < 1_000_000
    assert not re.search(r"<(script|link)[^>]+(src|href)=", html)


def test_html_draws_with_the_version_of_plotly_that_the_app_draws_with():
    script = gzip.decompress(PLOTLY.read_bytes())
    source = EXPLORER / "node_modules" / "plotly.js-cartesian-dist-min" / "plotly-cartesian.min.js"
    assert script == source.read_bytes(), "another version of Plotly: change package.json, then make bundle"
    assert f"v{get_plotlyjs_version()}".encode() in script[:200]


def test_texts_of_a_figure_cannot_end_its_script(light):
    figure = go.Figure(go.Bar(x=["</script><b>"], y=[1]))
    assert "</script><b>" not in standalone_html(figure, "bars", light)


def test_html_views_and_titles(light):
    document = standalone_html("<p>view</p>", "<b> & co", light)
    assert "<p>view</p>" in document and "<title>&lt;b&gt; &amp; co</title>" in document


def test_unknown_format(figure, light, tmp_path):
    with pytest.raises(Failure) as failure:
        save(figure, tmp_path / "bars.bmp", light)
    assert failure.value.message == Message(
        "rendering.unknown_format", {"suffix": ".bmp", "formats": (".html", ".png", ".svg")}
    )


def test_html_views_are_no_png(light, tmp_path):
    with pytest.raises(Failure) as failure:
        save("<p>view</p>", tmp_path / "view.png", light)
    assert failure.value.message.values["formats"] == (".html",)


@pytest.mark.browser
def test_a_document_is_drawn_without_network(page, figure, light):
    page.set_content(standalone_html(figure, "bars", light))
    page.locator(".plotly .bars path").first.wait_for()
