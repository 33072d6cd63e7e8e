"""What the picture tests share: a Chromium, a page in it, and a camera for figures and HTML."""

from __future__ import annotations

import pytest

from tests.pictures import compare
from viz_core.language import Translator
from viz_core.rendering.export import image, standalone_html
from viz_core.rendering.theme import theme


@pytest.fixture(scope="session")
def kaleido_server(chromium):
    import kaleido

    kaleido.start_sync_server(path=chromium, mathjax=False)
    yield
    kaleido.stop_sync_server()


@pytest.fixture(scope="module")
def page(browser):
    """A browser page that refuses the network: a view that needs it fails here."""
    with browser.new_context(offline=True, viewport={"width": 860, "height": 900}) as context:
        yield context.new_page()


@pytest.fixture
def picture_of_figure(kaleido_server):
    """Compare a figure with its baseline."""
    return lambda figure, name: compare(image(figure, "png"), name)


@pytest.fixture
def picture_of_html(page):
    """Compare an HTML view, alone on a page of its theme, with its baseline."""

    def compare_html(html: str, name: str, theme) -> None:
        page.set_content(standalone_html(html, name, theme))
        compare(page.locator("body > div").screenshot(), name)

    return compare_html


LOOKS = [("light", "en"), ("dark", "en"), ("light", "zh"), ("dark", "zh")]
CROSSED = LOOKS[1:3]  # the others have shown each theme and each language already


@pytest.fixture(
    params=[pytest.param(look, id="-".join(look), marks=[pytest.mark.slow] * (look in CROSSED)) for look in LOOKS]
)
def look(request):
    """Every theme with every language: `(theme, say, suffix of the baseline)`."""
    mode, language = request.param
    return theme(mode), Translator(language), f"{language}_{mode}"


@pytest.fixture
def say():
    return Translator("en")


@pytest.fixture
def light():
    return theme("light")
