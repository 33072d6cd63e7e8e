"""What-if compared with its baselines: both themes, both languages, initially and after changes.

`VIZ_UPDATE_BASELINES=1 .venv/bin/python -m pytest tests/explorer/test_whatif_views.py` regenerates the baselines.
"""

import pytest

from tests.explorer import examples
from tests.pictures import compare

pytestmark = pytest.mark.browser


def compare_with_baseline(whatif, name: str) -> None:
    whatif.page.mouse.move(1, 1)
    whatif.page.evaluate("document.activeElement?.blur()")
    whatif.wait_until_idle()
    compare(whatif.page.locator(".whatif").screenshot(animations="disabled"), f"whatif_{name}")


def change(whatif) -> None:
    """Changes two heads, a row, and a token in each way."""
    whatif.click(whatif.head(2, 3))
    whatif.click(whatif.head(1, 2), times=2)
    whatif.click(whatif.chip(3))
    whatif.click(whatif.chip(5), times=2)
    whatif.click(whatif.chip(6), times=3)
    whatif.drag(2, 0.45)


def test_initial_state(open_whatif):
    compare_with_baseline(open_whatif(examples.review(layers=4)), "review_en_light")


@pytest.mark.slow
def test_a_changed_pair_in_dark_mode(open_whatif):
    whatif = open_whatif(examples.pair(layers=4), "zh", "dark")
    change(whatif)
    compare_with_baseline(whatif, "pair_zh_dark")


def test_a_pair_in_dark_mode(open_whatif):
    compare_with_baseline(open_whatif(examples.pair(), "en", "dark"), "pair_en_dark")


def test_512_tokens(open_whatif):
    whatif = open_whatif(examples.of_length(512), viewport={"width": 1280, "height": 1300})
    whatif.click(whatif.chip(9))
    compare_with_baseline(whatif, "512")


def test_on_a_projector(open_whatif):
    whatif = open_whatif(examples.pair(layers=4), projector=True, viewport={"width": 1920, "height": 1080})
    whatif.click(whatif.head(1, 1))
    compare_with_baseline(whatif, "projector")


def test_on_a_telephone(open_whatif):
    whatif = open_whatif(examples.pair(), "zh", viewport={"width": 390, "height": 1500})
    whatif.server.refusal = "每段文本至少要保留一个词元：请恢复一个。"
    whatif.click(whatif.chip(3))
    compare_with_baseline(whatif, "telephone")
