"""The numbers in the cells of the heat map: as many digits as fit."""

import re

import pytest

from tests.explorer import examples
from tests.words import english

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("tokens, form", [(12, r"[01]\.\d\d"), (20, r"[01]\.\d\d|\.\d\d|1\.0"), (64, None)])
def test_numbers_vanish_only_where_they_do_not_fit(open_explorer, tokens, form):
    explorer = open_explorer(examples.of_length(tokens, heads=1), {"head": "2.1", "views": "2"})
    texts = [text for text in explorer.canvas_texts("heatmap") if re.fullmatch(r"[01]?\.\d+", text)]
    assert bool(texts) == bool(form) and all(re.fullmatch(form, text) for text in texts)


def legend_remark(explorer):
    return explorer.view("heatmap").locator(".unnumbered:not(.difference *)")


def test_the_legend_says_which_cells_have_no_number(open_explorer):
    inputs = examples.of_length(12, heads=1)
    explorer = open_explorer(inputs, {"head": "2.1", "views": "2"})
    least = inputs.attention[1, 0].max() / 20
    numbers = [text for text in explorer.canvas_texts("heatmap") if re.fullmatch(r"[01]\.\d\d", text)]
    assert len(numbers) == (inputs.attention[1, 0] >= least).sum() < 144, "some cells, not all, have one"
    assert legend_remark(explorer).inner_text() == english("explorer.unnumbered", least=f"{least:.2g}")


def test_nothing_is_said_where_no_number_fits(open_explorer):
    explorer = open_explorer(examples.of_length(64, heads=1), {"head": "2.1", "views": "2"})
    assert legend_remark(explorer).is_hidden()
    for _ in range(6):
        explorer.click(explorer.view("heatmap").get_by_role("button", name="Zoom in"))
    assert legend_remark(explorer).is_visible(), "enlarged, the cells have numbers"
