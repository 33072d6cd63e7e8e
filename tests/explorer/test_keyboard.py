"""Everything works with the keyboard; the focused element is visible and named."""

import pytest

from tests.explorer import examples
from tests.explorer.explorer_page import VIEWS, weight_text
from tests.words import english, says

pytestmark = pytest.mark.browser

REVIEW, PAIR = examples.review(), examples.pair()


@pytest.fixture
def explorer(open_explorer):
    page = open_explorer(REVIEW)
    page.head(1, 1).focus()
    return page


def selected_value(explorer, group):
    """The value of a dropdown or button group, by its label."""
    page = explorer.page
    return (
        page.get_by_role("group", name=group)
        .or_(page.get_by_role("combobox", name=group))
        .evaluate("(group) => group.value ?? group.querySelector('[aria-pressed=true]').textContent")
    )


def test_letters_move_between_heads_and_layers(explorer):
    titles = []
    for key in ("h", "l", "H", "H", "L", "m"):
        explorer.press(key)
        titles.append(explorer.title)
    assert titles == [
        "Layer 1, head 2",
        "Layer 2, head 2",
        "Layer 2, head 1",
        "Layer 2, head 4",
        "Layer 1, head 4",
        "Layer 1, mean over its heads",
    ], "wraps around from the first to the last"


def test_letters_change_scale_and_direction(explorer):
    explorer.open_settings()
    explorer.view("heatmap").locator(".stage").focus()
    scales = []
    for _ in range(3):
        explorer.press("s")
        scales.append(selected_value(explorer, english("explorer.scale")))
    assert scales == ["sqrt", "log", "linear"]
    explorer.press("d")
    assert selected_value(explorer, "Selected token") == "is attended to by"
    explorer.press("w")
    assert not explorer.page.get_by_role("group", name="Group by").is_visible(), "each word is a token"


def test_a_pair_is_grouped_by_words_or_characters(open_explorer):
    explorer = open_explorer(PAIR)
    explorer.open_settings()
    explorer.head(1, 1).focus()
    assert "花" in explorer.canvas_texts("heatmap")
    explorer.press("w")
    assert {"花呗", "还款", "还钱"} <= set(explorer.canvas_texts("heatmap"))
    assert explorer.view("text").locator(".body .token").all_inner_texts() == [
        "[CLS]",
        "花呗",
        "怎么",
        "还款",
        "[SEP]",
        "花呗",
        "如何",
        "还钱",
        "[SEP]",
    ]
    explorer.press("w")
    assert selected_value(explorer, "Group by") == "character"


def test_numbers_show_one_view_beside_all_heads_or_alone(explorer):
    for key, view in zip("2345", VIEWS[1:], strict=True):
        explorer.press(key)
        assert explorer.views == ["overview", view]
    explorer.press("1")
    assert explorer.views == ["distribution"]
    explorer.press("1", "2")
    assert explorer.views == ["overview", "heatmap"]
    everything = explorer.page.get_by_role("button", name=english("explorer.views_all_help"))
    explorer.click(everything)
    assert explorer.views == VIEWS and everything.get_attribute("aria-pressed") == "true"
    explorer.click(everything)
    assert explorer.views == ["overview", "heatmap"]


def test_a_visible_view_takes_the_space_of_hidden_views(explorer):
    before = explorer.view("heatmap").bounding_box()["width"]
    explorer.press("2", "1")
    assert explorer.views == ["heatmap"] and explorer.view("heatmap").bounding_box()["width"] > 1.5 * before
    explorer.press("h")
    assert explorer.title == "Layer 1, head 2", "shortcuts still work although the focused view is hidden"


def test_help_opens_and_closes(explorer):
    for key, visible in (("?", True), ("?", False), ("?", True), ("Escape", False)):
        explorer.press(key)
        assert explorer.page.locator(".help").is_visible() == visible
    assert explorer.page.locator("[aria-controls=keys]").get_attribute("aria-expanded") == "false"


def test_arrows_move_between_heads_with_the_focus(explorer):
    for key, head in (("ArrowRight", (1, 2)), ("ArrowDown", (2, 2)), ("ArrowDown", (2, 2)), ("ArrowLeft", (2, 1))):
        explorer.press(key)
        assert explorer.title == "Layer {}, head {}".format(*head)
        assert explorer.head(*head).evaluate("(head) => head === document.activeElement")


def test_arrows_move_between_cells_and_select_a_range(explorer):
    explorer.view("heatmap").locator(".stage").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft"):
        explorer.press(key)
    weights = REVIEW.attention[0, 0]
    assert (
        explorer.reading == f"plot (3) gives {weight_text(weights, 2, 0)} of its weight to [CLS] (1) (uniform: 0.067)."
    )
    explorer.press("Shift+ArrowRight")
    explorer.press("Shift+ArrowDown")
    assert explorer.reading.startswith("On average, queries plot (3) to is (4) give 0.")
    assert float(explorer.reading.split(" give ")[1].split()[0]) == pytest.approx(
        weights[2:4, :2].sum(1).mean(), abs=1e-4
    )
    explorer.press("Escape")
    assert explorer.reading.startswith("No token selected")


@pytest.mark.parametrize(
    "view, focus, previous, following",
    [("text", ".body", "ArrowLeft", "ArrowRight"), ("links", ".stage", "ArrowUp", "ArrowDown")],
)
def test_arrows_move_between_tokens(explorer, view, focus, previous, following):
    explorer.view(view).locator(focus).focus()
    for key, token in (
        (following, "[CLS] (1)"),
        (following, "The (2)"),
        (following, "plot (3)"),
        (previous, "The (2)"),
    ):
        explorer.press(key)
        assert says(explorer.reading, "explorer.selected_from", query=token)


def test_arrows_move_through_the_distribution(explorer):
    explorer.click(explorer.token("good"))
    explorer.row(1).focus()
    for key, rank in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowDown", 3), ("ArrowUp", 2)):
        explorer.press(key)
        explorer.point_at((5, 5))
        name = explorer.row(rank).locator(".name").inner_text()
        assert explorer.reading.endswith(f"of its weight to {name} (uniform: 0.067).")


def test_keys_of_the_browser_and_the_page_are_left_alone(open_explorer, visit):
    """Ctrl shortcuts belong to the browser, keys pressed outside to the page; the explorer's keys do not reach the
    page.
    """
    explorer = open_explorer(REVIEW)
    explorer.page.evaluate("""() => {
        document.body.insertAdjacentHTML("afterbegin", "<input>");
        window.keys = [];
        document.addEventListener("keydown", (event) => keys.push(event.key));
    }""")
    explorer.page.get_by_role("textbox").focus()
    explorer.press("h", "2", "Escape")
    assert explorer.title == "Layer 1, head 1" and explorer.views == VIEWS
    assert explorer.page.evaluate("keys") == ["h", "2", "Escape"]
    explorer.click(explorer.head(1, 2))
    explorer.press("l")
    assert explorer.title == "Layer 2, head 2" and explorer.page.evaluate("keys").count("l") == 0
    explorer.press("Control+h", "Alt+l")
    assert explorer.title == "Layer 2, head 2"


FOCUSED = """() => {
  const element = document.activeElement, style = getComputedStyle(element);
  return element === document.body ? null : {
    part: element.closest(".view")?.classList[1] ?? element.closest(".toolbar, .reading").classList[0],
    name: element.getAttribute("aria-label") || element.labels?.[0]?.textContent || element.title
      || element.textContent,
    outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    visible: element.checkVisibility() && element.getBoundingClientRect().width > 0 };
}"""


def test_tab_visits_all_parts_in_order(open_explorer):
    explorer, stops = open_explorer(PAIR, {"query": "3"}), []
    for _ in range(80):
        explorer.page.keyboard.press("Tab")
        stop = explorer.page.evaluate(FOCUSED)
        if stop is None:
            break
        stops.append(stop)
    else:
        pytest.fail("Tab never leaves the explorer")
    parts = [stop["part"] for stop in stops]
    order = ["toolbar", "reading", "overview", "text", "distribution", "heatmap", "links"]  # column by column
    assert list(dict.fromkeys(parts)) == order and parts == sorted(parts, key=order.index), "no part is entered twice"
    assert all(stop["name"].strip() for stop in stops)
    assert [stop["name"] for stop in stops if not stop["outlined"] or not stop["visible"]] == []
    assert len(stops) < 60, "thumbnails, bars and rows are a single tab stop each"
