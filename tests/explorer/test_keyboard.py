"""Everything can be done without a pointer, and what has the focus is seen and named."""

import pytest

from tests.explorer import examples
from tests.explorer.explorer_page import VIEWS, weight_text

pytestmark = pytest.mark.browser

REVIEW, PAIR = examples.review(), examples.pair()


@pytest.fixture
def explorer(opened):
    opened_ = opened(REVIEW)
    opened_.head(1, 1).focus()
    return opened_


def chosen(explorer, group):
    """The value of a box of options, or of a row of buttons, by its label."""
    return explorer.page.get_by_label(group).evaluate(
        "(at) => at.value ?? at.querySelector('[aria-pressed=true]').textContent"
    )


def test_letters_go_from_head_to_head_and_from_layer_to_layer(explorer):
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
    ], "from the first one back to the last"


def test_letters_change_scale_and_direction(explorer):
    scales = []
    for _ in range(3):
        explorer.press("s")
        scales.append(chosen(explorer, "Colours"))
    assert scales == ["linear", "log", "sqrt"]
    explorer.press("d")
    assert chosen(explorer, "Selected token") == "is attended to by"
    explorer.press("w")
    assert explorer.page.get_by_label("Group by").count() == 0, "of words only a pair is read"


def test_a_pair_is_read_by_words_or_by_characters(opened):
    explorer = opened(PAIR)
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
    assert chosen(explorer, "Group by") == "character"


def test_numbers_show_and_hide_views_and_one_stays(explorer):
    explorer.press("2")
    assert explorer.views == ["overview", "text", "links", "distribution"] and not explorer.view("heatmap").is_visible()
    explorer.press("2")
    assert explorer.views == VIEWS
    for key in "12345":
        explorer.press(key)
    assert explorer.views == ["distribution"]
    explorer.press("1")
    assert explorer.views == ["overview", "distribution"] and explorer.view("overview").is_visible()


def test_what_is_shown_takes_the_room_of_what_is_not(explorer):
    before = explorer.view("heatmap").bounding_box()["width"]
    explorer.press("1", "3", "5", "4")
    assert explorer.views == ["heatmap"] and explorer.view("heatmap").bounding_box()["width"] > 1.5 * before
    explorer.press("h")
    assert explorer.title == "Layer 1, head 2", "the focus was on what is hidden now, and keys still work"


def test_help_opens_and_closes(explorer):
    for key, shown in (("?", True), ("?", False), ("?", True), ("Escape", False)):
        explorer.press(key)
        assert explorer.page.locator(".help").is_visible() == shown
    assert explorer.page.get_by_role("button", name="Keyboard shortcuts").get_attribute("aria-expanded") == "false"


def test_arrows_go_from_head_to_head_and_take_the_focus_along(explorer):
    for key, head in (("ArrowRight", (1, 2)), ("ArrowDown", (2, 2)), ("ArrowDown", (2, 2)), ("ArrowLeft", (2, 1))):
        explorer.press(key)
        assert explorer.title == "Layer {}, head {}".format(*head)
        assert explorer.head(*head).evaluate("(head) => head === document.activeElement")


def test_arrows_go_from_cell_to_cell_and_select_a_range(explorer):
    explorer.view("heatmap").locator(".stage").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft"):
        explorer.press(key)
    weights = REVIEW.attention[0, 0]
    assert explorer.reading == f"plot (3) gives {weight_text(weights, 2, 0)} of its weight to [CLS] (1)."
    explorer.press("Shift+ArrowRight")
    explorer.press("Shift+ArrowDown")
    assert explorer.reading.startswith("On average, plot (3) to is (4) gives 0.")
    assert float(explorer.reading.split(" gives ")[1].split()[0]) == pytest.approx(
        weights[2:4, :2].sum(1).mean(), abs=1e-4
    )
    explorer.press("Escape")
    assert explorer.reading.startswith("Nothing selected")


@pytest.mark.parametrize(
    "view, focus, back, on", [("text", ".body", "ArrowLeft", "ArrowRight"), ("links", ".stage", "ArrowUp", "ArrowDown")]
)
def test_arrows_go_from_token_to_token(explorer, view, focus, back, on):
    explorer.view(view).locator(focus).focus()
    for key, token in ((on, "[CLS] (1)"), (on, "The (2)"), (on, "plot (3)"), (back, "The (2)")):
        explorer.press(key)
        assert explorer.reading == f"{token} is selected: the text shows what it looks at."


def test_arrows_go_down_the_distribution(explorer):
    explorer.click(explorer.token("good"))
    explorer.row(1).focus()
    for key, rank in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowDown", 3), ("ArrowUp", 2)):
        explorer.press(key)
        explorer.point_at((5, 5))
        assert explorer.reading.endswith(f"of its weight to {explorer.row(rank).locator('.name').inner_text()}.")


def test_other_people_s_keys_stay_theirs(opened, visit):
    """Keys with Ctrl are the browser's; those pressed outside are the page's, and ours do not reach it."""
    explorer = opened(REVIEW)
    explorer.page.evaluate("""() => {
        document.body.insertAdjacentHTML("afterbegin", "<input>");
        window.heard = [];
        document.addEventListener("keydown", (event) => heard.push(event.key));
    }""")
    explorer.page.locator("input").focus()
    explorer.press("h", "2", "Escape")
    assert explorer.title == "Layer 1, head 1" and explorer.views == VIEWS
    assert explorer.page.evaluate("heard") == ["h", "2", "Escape"]
    explorer.click(explorer.head(1, 2))
    explorer.press("l")
    assert explorer.title == "Layer 2, head 2" and explorer.page.evaluate("heard").count("l") == 0
    explorer.press("Control+h", "Alt+l")
    assert explorer.title == "Layer 2, head 2"


FOCUSED = """() => {
  const at = document.activeElement, style = getComputedStyle(at);
  return at === document.body ? null : {
    part: at.closest(".view")?.classList[1] ?? at.closest(".toolbar, .reading").classList[0],
    name: at.getAttribute("aria-label") || at.labels?.[0]?.textContent || at.title || at.textContent,
    outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    seen: at.checkVisibility() && at.getBoundingClientRect().width > 0 };
}"""


def test_tab_leads_through_all_parts_in_their_order(opened):
    explorer, stops = opened(PAIR, {"query": "3"}), []
    for _ in range(80):
        explorer.page.keyboard.press("Tab")
        stop = explorer.page.evaluate(FOCUSED)
        if stop is None:
            break
        stops.append(stop)
    else:
        pytest.fail("there is no way out")
    parts = [stop["part"] for stop in stops]
    order = ["toolbar", "reading", "overview", "text", "distribution", "heatmap", "links"]  # column by column
    assert list(dict.fromkeys(parts)) == order and parts == sorted(parts, key=order.index), "no part is entered twice"
    assert all(stop["name"].strip() for stop in stops)
    assert [stop["name"] for stop in stops if not stop["outlined"] or not stop["seen"]] == []
    assert len(stops) < 60, "thumbnails, bars and rows are one stop each"
