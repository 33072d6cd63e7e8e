"""Fixtures of the picture tests: Chromium, a page in it, and the comparison of figures and HTML with baselines."""

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
    """A browser page without network: a view that needs it fails."""
    with browser.new_context(offline=True, viewport={"width": 860, "height": 900}) as context:
        yield context.new_page()


@pytest.fixture
def picture_of_figure(kaleido_server):
    """Compares a figure with its baseline."""
    return lambda figure, name: compare(image(figure, "png"), name)


@pytest.fixture
def picture_of_html(page):
    """Compares an HTML view, alone on a page of its theme, with its baseline."""

    def compare_html(html: str, name: str, theme) -> None:
        page.set_content(standalone_html(html, name, theme))
        compare(page.locator("body > div").screenshot(), name)

    return compare_html


@pytest.fixture
def look():
    """Each view is drawn in light colours and English; on a projector, several in dark colours and Chinese:
    `(theme, say, suffix of the baseline)`."""
    return theme("light"), Translator("en"), "en_light"


@pytest.fixture
def say():
    return Translator("en")


@pytest.fixture
def light():
    return theme("light")
