"""The laboratory as a picture: both themes, both languages, as it opens and after something was changed.

`VIZ_UPDATE_BASELINES=1 .venv/bin/python -m pytest tests/explorer/test_laboratory_views.py` makes the baselines anew.
"""

from __future__ import annotations

import pytest

from tests.explorer import examples
from tests.explorer.test_laboratory import opened  # noqa: F401 - a fixture
from tests.pictures import compare

pytestmark = pytest.mark.browser


def picture(bench, name: str) -> None:
    bench.page.mouse.move(1, 1)
    bench.page.evaluate("document.activeElement?.blur()")
    bench.settled()
    compare(bench.page.locator(".laboratory").screenshot(animations="disabled"), f"laboratory_{name}")


def change(bench) -> None:
    """A head and a row, a token of each kind."""
    bench.click(bench.head(2, 3))
    bench.click(bench.head(1, 2), times=2)
    bench.click(bench.chip(3))
    bench.click(bench.chip(5), times=2)
    bench.click(bench.chip(6), times=3)
    bench.drag(2, 0.45)


def test_as_it_opens(opened):  # noqa: F811
    picture(opened(examples.review(layers=4)), "review_en_light")


def test_a_pair_that_was_changed_in_the_dark(opened):  # noqa: F811
    bench = opened(examples.pair(layers=4), "zh", "dark")
    change(bench)
    picture(bench, "pair_zh_dark")


def test_a_review_that_was_changed(opened):  # noqa: F811
    bench = opened(examples.review(), "zh", viewport={"width": 1800, "height": 1000})
    change(bench)
    picture(bench, "review_zh_light")


def test_a_pair_in_the_dark(opened):  # noqa: F811
    picture(opened(examples.pair(), "en", "dark"), "pair_en_dark")


def test_512_tokens(opened):  # noqa: F811
    bench = opened(examples.of_length(512), viewport={"width": 1280, "height": 1300})
    bench.click(bench.chip(9))
    picture(bench, "512")


def test_on_a_projector(opened):  # noqa: F811
    bench = opened(examples.pair(layers=4), projector=True, viewport={"width": 1920, "height": 1080})
    bench.click(bench.head(1, 1))
    picture(bench, "projector")


def test_on_a_telephone(opened):  # noqa: F811
    bench = opened(examples.pair(), "zh", viewport={"width": 390, "height": 1500})
    bench.server.refusing = "每段文本至少要留下一个词元：请恢复一个。"
    bench.click(bench.chip(3))
    picture(bench, "telephone")
