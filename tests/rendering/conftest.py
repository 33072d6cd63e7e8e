"""What the picture tests share: a Chromium, a page in it, and a camera for figures and HTML."""

from __future__ import annotations

import pytest

from tests.browser import FLAGS
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


@pytest.fixture(scope="session")
def page(chromium):
    """A browser page that refuses the network: a view that needs it fails here."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_context(offline=True, viewport={"width": 860, "height": 900}).new_page()
        yield page
        browser.close()


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


@pytest.fixture(params=LOOKS, ids=["-".join(look) for look in LOOKS])
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
