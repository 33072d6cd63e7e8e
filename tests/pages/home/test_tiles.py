"""A tile per page, each with a picture for both themes."""

import pytest
from PIL import Image

from pages.home import tiles
from pages.shared.tasks import PAGES
from tests.pages.app import open_page
from tests.words import english

URLS = [*(page.url for page in PAGES.values()), "inside", "models", "evaluation", "training"]


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("url", URLS)
def test_a_picture_is_crisp_and_small(url, mode):
    file = tiles._PICTURES / f"{url}_{mode}.webp"
    with Image.open(file) as picture:
        assert picture.size == (256, 256)  # for 83 px, and 104 in projector mode
    assert file.stat().st_size < 40_000


def test_every_tile_has_its_picture_and_a_new_page_none(checkpoints_dir):
    app = open_page("home")
    pictures = [element for element in app.get("html") if "<img" in element.proto.body]
    assert len(pictures) == len(URLS) and all('alt=""' in picture.proto.body for picture in pictures)
    assert tiles._picture("weather", "light") == ""


def test_a_tile_has_the_name_of_its_page_in_the_navigation_and_its_title(checkpoints_dir):
    links = [link.label for link in open_page("home").get("page_link")]
    assert f"**{english('imdb.page')}** · {english('imdb.title')}" in links
    assert f"**{english('health.page')}** · {english('pages.models_title')}" in links
    assert f"**{english('inside.page')}**" in links  # its title is the same
