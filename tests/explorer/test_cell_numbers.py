"""The numbers in the cells of the heat map: as many digits as fit."""

import re

import pytest

from tests.explorer import examples

pytestmark = pytest.mark.browser

# In a font whose characters are all 6 px wide: 0.46 takes 24 px, .46 takes 18; 3 px remain free on either side.
WRITE = """const write = cell_numbers.numberFormat((text) => 6 * text.length, cell, 12, largest, isSigned);
return write && weights.map(write)"""


def numbers(js, cell, largest, weights, is_signed=False):
    return js(WRITE, cell=cell, largest=largest, weights=weights, isSigned=is_signed)


def test_as_many_digits_as_fit_by_hand(js):
    assert numbers(js, 30, 0.9, [0.456, 1, 0.0449]) == ["0.46", "1.00", "0.04"]
    assert numbers(js, 29, 0.9, [0.456, 1, 0.997]) == [".46", "1.0", "1.0"]
    assert numbers(js, 23, 0.9, [0.456]) is None
    assert [numbers(js, cell, 0.2, [0.1234]) for cell in (36, 30, 24, 23)] == [["0.123"], [".123"], [".12"], None]
    assert numbers(js, 24, 0.05, [0.05]) is None, "two decimals would not tell such weights apart"
    assert numbers(js, 42, 0.01, [0.00123]) == ["0.0012"]


def test_norms_may_have_several_digits_before_the_point(js):
    """12.34 takes 30 px, 12.3 takes 24."""
    assert [numbers(js, cell, 12.6, [12.345, 0.456]) for cell in (36, 30, 29)] == [
        ["12.35", "0.46"],
        ["12.3", "0.5"],
        None,
    ]


def test_differences_have_signs_that_take_space(js):
    assert numbers(js, 36, 0.9, [0.456, -0.456], True) == ["+0.46", "−0.46"]
    assert numbers(js, 30, 0.9, [0.456, -0.456], True) == ["+.46", "−.46"]
    assert numbers(js, 29, 0.9, [0.456], True) is None


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
    assert legend_remark(explorer).inner_text() == f"no number: below {least:.2g}"


def test_nothing_is_said_where_no_number_fits(open_explorer):
    explorer = open_explorer(examples.of_length(64, heads=1), {"head": "2.1", "views": "2"})
    assert legend_remark(explorer).is_hidden()
    for _ in range(6):
        explorer.click(explorer.view("heatmap").get_by_role("button", name="Zoom in"))
    assert legend_remark(explorer).is_visible(), "enlarged, the cells have numbers"
