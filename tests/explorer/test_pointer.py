"""The explorer with a mouse, in a standalone file; numbers are compared with NumPy."""

import numpy as np
import pytest

from tests.explorer import examples
from tests.explorer.explorer_page import weight_text
from tests.words import english, says

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]

REVIEW = examples.review()
WORDS = REVIEW.encoding.tokens  # [CLS] the plot is not good but i loved it the actors are wonderful [SEP]
HEAD = {"head": "2.1"}
WEIGHTS = REVIEW.attention[1, 0]
TALL = {"viewport": {"width": 1280, "height": 1900}}


@pytest.fixture
def explorer(open_explorer):
    return open_explorer(REVIEW, HEAD, **TALL)


def test_hovering_over_a_cell_shows_its_exact_weight(explorer):
    for row, column in ((0, 1), (5, 3), (14, 14), (13, 0)):
        explorer.point_at(explorer.cell(row, column))
        names = [f"{REVIEW.encoding.label(token)} ({token + 1})" for token in (row, column)]
        assert explorer.tip() == [weight_text(WEIGHTS, row, column), " → ".join(names)]
        assert (
            explorer.reading
            == f"{names[0]} gives {weight_text(WEIGHTS, row, column)} of its weight to {names[1]} (uniform: 0.067)."
        )
    explorer.point_at((5, 5))
    assert explorer.tip() == [] and explorer.reading.startswith("No token selected")


def test_clicking_a_cell_selects_it_in_every_view(explorer):
    explorer.click_at(explorer.cell(5, 3))
    explorer.point_at((5, 5))
    assert explorer.reading == f"good (6) gives {weight_text(WEIGHTS, 5, 3)} of its weight to is (4) (uniform: 0.067)."
    assert explorer.view("text").locator(".token.query, .token.key").all_inner_texts() == ["is", "good"]
    assert explorer.view("distribution").locator("tr.key .name").all_inner_texts() == ["is (4)"]
    explorer.press("Escape")
    assert explorer.reading.startswith("No token selected")


def test_clicking_a_name_selects_its_row_or_column(explorer):
    box = explorer.map_box()
    explorer.click_at((box["x"] - 20, explorer.cell(4, 0)[1]))
    assert says(explorer.reading, "explorer.selected_from", query="not (5)")
    explorer.click_at((explorer.cell(0, 2)[0], box["y"] - 8))
    explorer.point_at((5, 5))
    assert explorer.reading == f"not (5) gives {weight_text(WEIGHTS, 4, 2)} of its weight to plot (3) (uniform: 0.067)."


def test_a_selected_range_shows_its_total_weight(explorer):
    explorer.drag(explorer.cell(6, 8), explorer.cell(3, 4))
    mass = float(WEIGHTS[3:7, 4:9].sum(1).mean())
    assert explorer.reading.startswith("On average, queries is (4) to but (7) give 0.")
    assert explorer.reading.endswith(" of their weight to keys not (5) to loved (9).")
    assert float(explorer.reading.split(" give ")[1].split()[0]) == pytest.approx(mass, abs=1e-4)


def test_a_selection_beyond_the_map_ends_at_its_edge(explorer):
    start = explorer.cell(12, 13)
    explorer.drag(start, (start[0] + 400, start[1] + 400))
    assert "are (13) to [SEP] (15) give" in explorer.reading and "wonderful (14) to [SEP] (15)." in explorer.reading


def test_a_head_is_selected_and_several_are_averaged(explorer):
    explorer.click(explorer.head(1, 3))
    assert explorer.title == "Layer 1, head 3"
    explorer.click(explorer.head(2, 4), modifiers=["Shift"])
    assert explorer.title == "Mean over heads 1.3, 2.4"
    pressed = explorer.view("overview").locator(".head[aria-pressed=true]")
    assert pressed.count() == 2
    hues = [head.evaluate("(head) => getComputedStyle(head).borderColor") for head in pressed.all()]
    assert len(set(hues)) == 2, "each head has its own colour"
    assert explorer.view("links").locator(".hues button").all_inner_texts() == ["1.3", "2.4"]
    explorer.point_at(explorer.cell(2, 1))
    mean = (REVIEW.attention[0, 2] + REVIEW.attention[1, 3]) / 2
    assert float(explorer.tip()[0]) == pytest.approx(mean[2, 1], abs=1e-4)
    explorer.click(explorer.head(1, 3), modifiers=["Shift"])
    explorer.click(explorer.head(2, 4), modifiers=["Shift"])
    assert explorer.title == "Layer 2, head 4", "the last head stays"


@pytest.mark.parametrize(
    "button, title, mean",
    [
        ("Mean over the heads of layer 2", "Layer 2, mean over its heads", REVIEW.attention[1].mean(0)),
        ("Mean of head 3 over all layers", "Head 3, mean over the layers", REVIEW.attention[:, 2].mean(0)),
        ("Mean over all layers and heads", "Mean over all layers and heads", REVIEW.attention.mean((0, 1))),
    ],
)
def test_margins_select_means(explorer, button, title, mean):
    explorer.click(explorer.view("overview").get_by_role("button", name=button))
    assert explorer.title == title
    explorer.point_at(explorer.cell(3, 4))
    assert float(explorer.tip()[0]) == pytest.approx(mean[3, 4], abs=1e-4)


def test_a_token_in_the_text_is_selected_and_deselected(explorer):
    explorer.click(explorer.token("not"))
    assert says(explorer.reading, "explorer.selected_from", query="not (5)")
    shade = "(token) => getComputedStyle(document.querySelectorAll('.text .body .token')[token]).backgroundColor"
    from_token = explorer.page.evaluate(shade, 2)
    explorer.click(explorer.view("text").get_by_role("button", name="is attended to by"))
    assert says(explorer.reading, "explorer.selected_to", key="not (5)")
    assert explorer.page.evaluate(shade, 2) != from_token
    explorer.click(explorer.token("not"))
    explorer.point_at((5, 5))
    assert explorer.reading.startswith("No token selected")


def test_the_line_describes_the_selection_although_the_pointer_still_hovers(explorer):
    explorer.click(explorer.token("not"))
    explorer.click(explorer.token("loved"))
    assert says(explorer.reading, "explorer.selected_from", query="loved (9)")
    explorer.click(explorer.token("loved"))
    assert explorer.reading.startswith("No token selected")


def test_a_selection_does_not_shift_the_layout(explorer):
    elements = [
        explorer.token("not"),
        explorer.row(3),
        explorer.view("heatmap").locator("canvas").first,
        explorer.view("links").locator("canvas"),
    ]
    before = [element.bounding_box() for element in elements]
    explorer.click(elements[1])
    assert [element.bounding_box() for element in elements] == before


def test_what_cls_attends_to_is_shown_once_and_says_what_the_classifier_reads(explorer):
    """As bars of the weight distribution, whether or not the text is shown."""
    remark = explorer.page.get_by_text(english("explorer.cls_read", token="[CLS]"))
    explorer.click(explorer.token("[CLS]"))
    order = np.argsort(-WEIGHTS[0], kind="stable")
    bars = explorer.page.locator(".explorer .number:visible").all_inner_texts()
    assert bars == [weight_text(WEIGHTS, 0, token) for token in order]
    assert remark.is_visible() and explorer.view("distribution").locator(remark).count() == 1
    explorer.click(explorer.page.get_by_role("button", name="is attended to by"))
    assert not remark.is_visible(), "weights to [CLS]"
    explorer.click(explorer.page.get_by_role("button", name="attends to", exact=True))
    explorer.click(explorer.token("not"))
    assert not remark.is_visible()


def test_links_select_queries_on_the_left_and_keys_on_the_right(explorer):
    explorer.click_at(explorer.name_in_links("good"))
    assert says(explorer.reading, "explorer.selected_from", query="good (6)")
    explorer.click_at(explorer.name_in_links("plot", right=True))
    assert (
        explorer.reading == f"good (6) gives {weight_text(WEIGHTS, 5, 2)} of its weight to plot (3) (uniform: 0.067)."
    )
    assert f"{WEIGHTS[5, 2]:.3f}" in explorer.canvas_texts("links"), "weights are shown beside the selected links"


def test_links_show_what_a_token_is_attended_to_by(explorer):
    explorer.click(explorer.token("good"))
    rows = {f"{weight:.3f}" for weight in np.sort(WEIGHTS[5])[::-1][:8]}
    columns = {f"{weight:.3f}" for weight in np.sort(WEIGHTS[:, 5])[::-1][:8]}
    assert rows != columns and rows <= set(explorer.canvas_texts("links"))
    explorer.press("d")
    shown = set(explorer.canvas_texts("links"))
    assert columns <= shown and not (rows - columns) & shown
    explorer.click_at(explorer.name_in_links("plot", right=True))
    assert says(explorer.reading, "explorer.selected_to", key="plot (3)")
    assert f"{WEIGHTS[:, 2].max():.3f}" in explorer.canvas_texts("links")
    explorer.click_at(explorer.name_in_links("plot", right=True))
    explorer.point_at((5, 5))
    assert explorer.reading.startswith("No token selected")


def test_rows_of_the_distribution_select_keys(explorer):
    explorer.click(explorer.token("good"))
    order = np.argsort(-WEIGHTS[5], kind="stable")
    rows = [
        row.locator(".name, .number").all_inner_texts()
        for row in explorer.view("distribution").locator("tbody tr").all()
    ]
    assert rows == [
        [f"{REVIEW.encoding.label(token)} ({token + 1})", weight_text(WEIGHTS, 5, token)] for token in order
    ]
    explorer.click(explorer.row(2))
    assert f"of its weight to {REVIEW.encoding.label(order[1])} ({order[1] + 1}) (uniform: 0.067)." in explorer.reading


def test_hidden_tokens_are_hidden_in_every_view(explorer):
    explorer.open_settings()
    explorer.page.get_by_label("[CLS], [SEP]").select_option("renormalised")
    explorer.frame()
    assert {"[CLS]", "[SEP]"}.isdisjoint([*explorer.canvas_texts("heatmap"), *explorer.canvas_texts("links")])
    assert explorer.view("distribution").locator("tbody tr").count() == 13
    explorer.click(explorer.token("good"))
    row = WEIGHTS[5, 1:-1] / WEIGHTS[5, 1:-1].sum()
    assert float(explorer.row(1).locator(".number").inner_text()) == pytest.approx(row.max(), abs=2e-4)
    explorer.click(explorer.token("[CLS]"))
    assert explorer.view("links").locator("canvas").is_visible(), "a hidden token may be selected"


@pytest.mark.slow
def test_a_view_is_saved_as_an_image(explorer):
    for view in ("heatmap", "links"):
        with explorer.page.expect_download() as download:
            explorer.view(view).get_by_role("button", name="Save this view").click()
        assert download.value.suggested_filename.endswith(".png")
        assert download.value.path().read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_titles_of_links_are_whole_beside_short_names(open_explorer):
    """On a phone's home page the names have two characters and the titles more."""
    explorer = open_explorer(
        examples.pair(), {"views": "4", "unit": "word", "special": "hidden"}, viewport={"width": 240, "height": 800}
    )
    assert {"花呗", "query", "key"} <= set(explorer.canvas_texts("links"))
