"""The translation compared with its baselines: both themes, both languages.

`VIZ_UPDATE_BASELINES=1 .venv/bin/python -m pytest tests/explorer/test_translation_views.py` regenerates the baselines.
"""

import pytest

from tests.explorer.test_translation import open_translation  # noqa: F401
from tests.pictures import compare

pytestmark = pytest.mark.browser


def compare_with_baseline(page, name: str) -> None:
    page.page.mouse.move(1, 1)
    page.page.evaluate("document.activeElement?.blur()")
    compare(page.wait().page.locator(".instrument").screenshot(animations="disabled"), f"translation_{name}")


def test_beam_search(open_translation):  # noqa: F811
    compare_with_baseline(open_translation(decoding="beam"), "beam_en_light")


def test_changes_in_dark_mode(open_translation):  # noqa: F811
    compare_with_baseline(open_translation("zh", "dark", masked="1.2", blocked="4", fed="1:they"), "changes_zh_dark")


def test_teacher_forcing(open_translation):  # noqa: F811
    link = {"view": "training", "reference": "we will go to school tomorrow ."}
    compare_with_baseline(open_translation("zh", **link), "training_zh_light")
