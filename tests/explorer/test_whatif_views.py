"""What-if as a picture: both themes, both languages, as it opens and after something was changed.

`VIZ_UPDATE_BASELINES=1 .venv/bin/python -m pytest tests/explorer/test_views.py` makes the baselines anew.
"""

from __future__ import annotations

import pytest

from tests.explorer import examples
from tests.explorer.test_whatif import opened  # noqa: F401 - a fixture
from tests.pictures import compare

pytestmark = pytest.mark.browser


def picture(whatif, name: str) -> None:
    whatif.page.mouse.move(1, 1)
    whatif.page.evaluate("document.activeElement?.blur()")
    whatif.settled()
    compare(whatif.page.locator(".whatif").screenshot(animations="disabled"), f"whatif_{name}")


def change(whatif) -> None:
    """Two heads and a row, a token of each kind."""
    whatif.click(whatif.head(2, 3))
    whatif.click(whatif.head(1, 2), times=2)
    whatif.click(whatif.chip(3))
    whatif.click(whatif.chip(5), times=2)
    whatif.click(whatif.chip(6), times=3)
    whatif.drag(2, 0.45)


def test_as_it_opens(opened):  # noqa: F811
    picture(opened(examples.review(layers=4)), "review_en_light")


def test_a_pair_that_was_changed_in_the_dark(opened):  # noqa: F811
    whatif = opened(examples.pair(layers=4), "zh", "dark")
    change(whatif)
    picture(whatif, "pair_zh_dark")


def test_a_review_that_was_changed(opened):  # noqa: F811
    whatif = opened(examples.review(), "zh", viewport={"width": 1800, "height": 1000})
    change(whatif)
    whatif.click(whatif.deletion)
    picture(whatif, "review_zh_light")


def test_a_pair_in_the_dark(opened):  # noqa: F811
    picture(opened(examples.pair(), "en", "dark"), "pair_en_dark")


def test_512_tokens(opened):  # noqa: F811
    whatif = opened(examples.of_length(512), viewport={"width": 1280, "height": 1300})
    whatif.click(whatif.chip(9))
    picture(whatif, "512")


def test_on_a_projector(opened):  # noqa: F811
    whatif = opened(examples.pair(layers=4), projector=True, viewport={"width": 1920, "height": 1080})
    whatif.click(whatif.head(1, 1))
    picture(whatif, "projector")


def test_on_a_telephone(opened):  # noqa: F811
    whatif = opened(examples.pair(), "zh", viewport={"width": 390, "height": 1500})
    whatif.server.refusing = "每段文本至少要留下一个词元：请恢复一个。"
    whatif.click(whatif.chip(3))
    picture(whatif, "telephone")
