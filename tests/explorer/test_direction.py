"""What a token attends to, or what attends to it: every view shows the same side."""

import pytest

from tests.explorer import examples

pytestmark = pytest.mark.browser

MARKED = "(canvas) => canvas.texts.map(({ text, x, y }) => ({ text, x, y }))"


def test_the_heat_map_marks_the_row_of_a_token_or_its_column(open_explorer):
    explorer = open_explorer(examples.review(), {"head": "2.1", "query": "6"})
    over = explorer.view("heatmap").locator("canvas.over")
    (row,) = over.evaluate(MARKED)
    explorer.click(explorer.view("text").get_by_role("button", name="is attended to by"))
    (column,) = over.evaluate(MARKED)
    assert row["text"] == column["text"] == "good"
    assert column["x"] > row["x"] + 100 and column["y"] < row["y"] - 100, "above its column, no longer beside its row"
