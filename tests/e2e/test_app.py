"""The whole app in a real browser, with the shipped models: typing, links, downloads."""

import re
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.explorer.conftest import RECORD_CANVAS
from tests.words import chinese, english
from viz_core.records import Message

REVIEW, SENTENCE_A, SENTENCE_B = map(english, ("imdb.box_text", "afqmc.box_a", "afqmc.box_b"))
HOSTILE = "A <script>alert(1)</script> film & a <b>bold</b> one, not good"


def open_at(page: Page, address: str) -> None:
    page.goto(address)
    wait_until_drawn(page)


def wait_until_drawn(page: Page) -> None:
    """Waits until everything typed is drawn, and no script of the page runs."""
    page.wait_for_selector(".explorer[data-drawn]")
    expect(page.locator(".instrument")).to_have_attribute("data-idle", "true")
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def wait_until_idle(page: Page) -> None:
    """Waits until everything typed is drawn, and the server is idle, also after the script that a report starts."""
    wait_until_drawn(page)
    page.wait_for_timeout(400)


def drawn_input(page: Page) -> str:
    """The id of the input that the explorer shows."""
    return page.locator(".explorer").get_attribute("data-drawn")


def selection_text(page: Page) -> str:
    """The line above the views: the selected head and tokens."""
    return " ".join(page.locator(".explorer .reading :is(h2, .line)").all_inner_texts())


def press(page: Page, *keys: str) -> None:
    """Presses keys in the explorer and waits until the selection is in the link."""
    page.locator(".explorer .toolbar button").first.focus()
    before = page.url
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_url(lambda url: url != before)


def open_figures(page: Page) -> None:
    page.get_by_text(english("pages.figures")).click()
    page.wait_for_selector(".st-key-view_heatmap .js-plotly-plot .heatmaplayer image, .st-key-view_heatmap .hm")
    wait_until_idle(page)


def verdict(page: Page) -> str:
    return page.locator(".prediction .verdict").inner_text()


def is_predicted(page: Page, label: str) -> bool:
    return verdict(page).lower().startswith(english(f"rendering.label_{label}").lower())


def head_title(layer: int, head: int) -> str:
    return english("explorer.of_head", layer=layer, head=head)


def type_into(page: Page, label: str, text: str) -> None:
    before = drawn_input(page)
    page.get_by_label(label).fill(text)
    expect(page.locator(".explorer")).not_to_have_attribute("data-drawn", before)
    wait_until_idle(page)


def test_a_typed_review_changes_prediction_and_explorer(page, address):
    """The first request to the fresh server is for this page, not for `/`."""
    open_at(page, f"{address}/sentiment?views=12345")
    first = verdict(page)
    assert first and page.get_by_label(REVIEW).input_value(), "an example is analysed without a click"
    type_into(page, REVIEW, "This is not a good film. It is a boring waste of time.")
    assert is_predicted(page, "negative") and verdict(page) != first
    assert "boring" in page.locator(".explorer .view.text").inner_text()


@pytest.mark.parametrize(("path", "language"), [("news", "zh"), ("matching", "en"), ("translation", "en")])
def test_the_heat_map_is_on_the_first_screen_and_its_head_stays_in_sight(page, address, path, language):
    """Px at 1280 × 800: texts, examples, model, prediction, whether it matters, all of the heat map and its legend."""
    page.set_viewport_size({"width": 1280, "height": 800})
    page.add_init_script(RECORD_CANVAS)
    open_at(page, f"{address}/{path}?lang={language}")
    top = min(page.get_by_role("combobox").first.bounding_box()["y"], page.locator(".instrument").bounding_box()["y"])
    box = page.locator(".instrument").bounding_box()
    assert box["y"] + box["height"] - top <= 230
    canvas = page.locator(".view.heatmap canvas").first
    _, top, _, height = canvas.evaluate("(canvas) => canvas.outline")
    assert canvas.bounding_box()["y"] + top + height < 800
    for part in (".matters:not(.pending) .verdict", ".view.heatmap .legend:visible"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    open_at(page, f"{address}/{path}?lang={language}&views=12345")
    page.mouse.move(640, 600)
    page.mouse.wheel(0, 900)
    expect(page.locator(".heads-strip")).to_be_visible()
    header = page.get_by_test_id("stHeader").bounding_box()
    assert page.locator(".reading").bounding_box()["y"] == pytest.approx(header["y"] + header["height"], abs=1)


def test_on_a_phone_the_first_screen_shows_text_prediction_and_links(page, address, browser):
    phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, locale="zh-CN")
    page = phone.new_page()
    open_at(page, f"{address}/sentiment")
    for part in (".instrument textarea", ".prediction .verdict", ".explorer .view.links .stage"):
        expect(page.locator(part)).to_be_in_viewport(ratio=0.9)
    assert not page.locator(".explorer kbd:visible, .st-key-projector:visible").count()
    assert "Shift" not in page.locator(".explorer").inner_text()
    expect(page.locator(".matters:not(.pending) .verdict")).to_have_count(1)
    phone.close()


def test_a_typed_pair_changes_prediction_and_explorer(page, address):
    open_at(page, f"{address}/matching?views=12345")
    type_into(page, SENTENCE_B, "借呗的利息是多少")
    assert is_predicted(page, "different") and "利息" in page.locator(".explorer .view.text").inner_text()


@pytest.mark.slow
def test_a_link_opens_the_same_view_in_another_browser(page, address, browser):
    open_at(page, f"{address}/matching")
    type_into(page, SENTENCE_A, "借呗逾期了怎么办")
    press(page, "h", "L", "w", "d", "5")
    link = parse_qs(urlsplit(page.url).query)
    assert (link["head"], link["unit"], link["direction"], link["views"]) == (["1.1"], ["token"], ["to"], ["15"])
    other_page = browser.new_context(locale="zh-CN").new_page()
    open_at(other_page, page.url)
    assert selection_text(other_page) == selection_text(page) and head_title(1, 1) in selection_text(page)
    assert verdict(other_page) == verdict(page) and not other_page.locator(".explorer .view.heatmap").is_visible()
    other_page.context.close()


def test_a_selection_is_reported_once_and_only_updates_the_link(page, address):
    sent, received = [], []

    def listen(socket) -> None:
        socket.on("framesent", lambda frame: sent.append(frame))
        socket.on("framereceived", lambda frame: received.append(frame))

    page.on("websocket", listen)
    open_at(page, f"{address}/matching")
    assert max(map(len, received)) > 50_000  # the explorer itself, and the weights
    sent.clear()
    received.clear()
    press(page, "h", "h", "l", "s")
    wait_until_idle(page)
    assert len(sent) == 1 and sum(map(len, received)) < 20_000  # the explorer, if drawn again, is a reference


def test_prediction_and_explorer_follow_every_key_and_the_page_follows_at_rest(page, address):
    open_at(page, f"{address}/sentiment?views=12345&text=The+film+is")
    sent_texts = []
    page.on("request", lambda request: sent_texts.append(request.post_data_json) if "explain" in request.url else None)
    page.get_by_label(REVIEW).focus()
    page.keyboard.press("End")
    for key in " bad":
        page.keyboard.press(key)
        expect(page.locator(".explorer .view.text .typed")).to_contain_text(
            page.get_by_label(REVIEW).input_value().split()[-1]
        )
    assert [request["texts"][0] for request in sent_texts][-1] == "The film is bad"
    page.wait_for_url("**text=The+film+is+bad**")
    wait_until_idle(page)
    assert is_predicted(page, "negative")
    expect(page.get_by_text(english("pages.read", count=6))).to_be_visible()
    assert page.get_by_label(REVIEW).evaluate("(box) => box === box.getRootNode().activeElement")


def test_at_rest_a_text_costs_few_bytes_and_moves_nothing(page, address):
    """The instrument is not sent again: the browser has drawn it already."""
    received = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    open_at(page, f"{address}/sentiment?views=12345")
    page.get_by_label(REVIEW).press_sequentially(" Really")
    expect(page.locator(".explorer .view.text .typed")).to_contain_text("Really")
    page.evaluate("scrollTo(0, 300)")
    received.clear()
    heat_map = page.locator(".explorer .view.heatmap").element_handle()
    page.wait_for_url("**Really**")
    wait_until_idle(page)
    assert heat_map.evaluate("(view) => view.isConnected") and sum(received) < 20_000


@pytest.mark.slow
def test_a_selected_token_stays_selected_in_another_text(page, address):
    open_at(page, f"{address}/matching?views=13&unit=token")
    page.locator(".explorer .view.text .token").nth(2).click()
    page.wait_for_url("**query=3**")
    type_into(page, SENTENCE_A, "那花呗怎么还款")
    assert parse_qs(urlsplit(page.url).query)["query"] == ["4"]
    type_into(page, SENTENCE_A, "借贷怎么还款")
    assert parse_qs(urlsplit(page.url).query)["query"] == ["all"]


@pytest.mark.slow
def test_examples_swap_and_model_are_a_click_away(page, address):
    open_at(page, f"{address}/matching")
    page.get_by_role("button", name=english("afqmc.example_unrelated")).click()
    page.wait_for_url("**b=**")
    wait_until_idle(page)
    texts = [page.get_by_label(label).input_value() for label in (SENTENCE_A, SENTENCE_B)]
    page.get_by_role("button", name=english("instrument.swap")).click()
    page.wait_for_url("**a=**")
    wait_until_idle(page)
    assert [page.get_by_label(label).input_value() for label in (SENTENCE_A, SENTENCE_B)] == texts[::-1]
    before = verdict(page)
    page.get_by_role("combobox", name=english("pages.model")).click()
    page.get_by_role("option", name="small-6-layers").click()
    expect(page.locator(".prediction .verdict")).not_to_have_text(before)
    wait_until_idle(page)
    assert page.locator(".explorer .overview .head").count() == 24
    assert [page.get_by_label(label).input_value() for label in (SENTENCE_A, SENTENCE_B)] == texts[::-1]


def test_an_unreadable_text_is_refused_in_place_and_the_next_key_tries_again(page, address):
    page.goto(f"{address}/sentiment?text=")
    expect(page.locator(".prediction .verdict")).to_have_text(english("text.blank", where=Message("text.the_text")))
    page.get_by_label(REVIEW).press_sequentially("A superb film")
    wait_until_idle(page)
    assert is_predicted(page, "positive")
    page.get_by_label(REVIEW).fill("?!")
    expect(page.locator(".prediction .verdict")).to_have_text(english("text.no_words", where=Message("text.the_text")))
    assert page.get_by_label(REVIEW).input_value() == "?!"
    type_into(page, REVIEW, "A boring film")
    assert is_predicted(page, "negative")


def test_exact_weights_of_a_head_are_fetched_for_a_long_input(page, address):
    open_at(page, f"{address}/sentiment")
    type_into(page, REVIEW, "The acting is superb and I loved every minute of it. " * 60)
    with page.expect_response("**/explorer/heads") as response:
        press(page, "h")
    assert response.value.ok and len(response.value.body()) == 512 * 512 * 2
    expect(page.locator(".explorer")).to_have_attribute("data-exact", "true")
    assert head_title(2, 3) in selection_text(page)


def test_the_language_follows_the_browser_and_can_be_switched(address, browser):
    context = browser.new_context(locale="zh-CN")
    page = context.new_page()
    open_at(page, f"{address}/sentiment")
    expect(page.get_by_role("heading", name=chinese("imdb.title"))).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    expect(page.get_by_test_id("stSkipToContent")).to_have_text(chinese("pages.skip"))
    page.get_by_role("radio", name="English").click()
    expect(page.get_by_role("heading", name=english("imdb.title"))).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.get_by_test_id("stSkipToContent")).to_have_text(english("pages.skip"))
    context.close()


def test_dark_mode_reaches_the_explorer_and_keeps_the_selection(page, address):
    open_at(page, f"{address}/sentiment?head=2.2")
    expect(page.locator(".explorer")).to_have_css("color-scheme", "light")
    page.emulate_media(color_scheme="dark")
    expect(page.locator(".explorer")).to_have_css("color-scheme", "dark")
    assert head_title(2, 2) in selection_text(page)


def test_markup_that_was_typed_is_shown_as_text(page, address):
    open_at(page, f"{address}/sentiment?views=13&text={quote(HOSTILE)}")
    assert page.get_by_label(REVIEW).input_value() == HOSTILE
    assert "<script>alert(1)</script>" in re.sub(r"\s+", "", page.locator(".explorer .view.text").inner_text())
    open_figures(page)
    assert "<script>alert(1)</script>" in re.sub(r"\s+", "", page.locator(".st-key-view_text").inner_text())
    open_at(page, f"{address}/matching?a={quote('<b>花呗</b>')}&unit=token&query=2&key=3")
    assert "< (2)" in selection_text(page)


@pytest.mark.parametrize("view", ["heatmap", pytest.param("text", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "kind",
    [
        "PNG",
        pytest.param("SVG", marks=pytest.mark.slow),
        pytest.param("HTML", marks=pytest.mark.slow),
        pytest.param("CSV", marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_every_download_format(page, address, view, kind, tmp_path):
    open_at(page, f"{address}/sentiment")
    open_figures(page)
    page.locator(f".st-key-menu_{view} button").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=kind, exact=True).click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    content = file.read_bytes()
    assert file.name == f"{view}.{kind.lower()}"
    prefix = {"PNG": b"\x89PNG", "SVG": b"<svg", "HTML": b"<!DOCTYPE html>", "CSV": b""}[kind]
    assert content.startswith(prefix) and len(content) > 100
    if kind == "HTML":
        assert not re.search(rb'<(script|link|img)[^>]+(src|href)=["\']https?://', content)


@pytest.mark.slow
def test_the_standalone_explorer_keeps_the_selection(page, address, tmp_path):
    open_at(page, f"{address}/matching?head=3.2")
    open_figures(page)
    with page.expect_download() as download:
        page.get_by_role("button", name=english("pages.download_explorer")).click()
    download.value.save_as(tmp_path / "explorer.html")
    page.goto((tmp_path / "explorer.html").as_uri())
    page.wait_for_selector(".explorer[data-drawn]")
    assert head_title(3, 2) in selection_text(page)


def test_the_link_to_share_is_that_of_the_view(page, address):
    open_at(page, f"{address}/matching?lang=zh")
    press(page, "h")
    page.get_by_role("button", name=chinese("pages.share")).click()
    link = page.locator(".st-key-share, [data-testid=stPopoverBody]").locator("code")
    expect(link).to_have_text(page.url)
    expect(page.get_by_text(chinese("pages.share_own_computer"))).to_be_visible()


@pytest.mark.slow  # of other pages, axe finds them (test_accessibility.py)
def test_headings_of_a_long_page_are_in_order(page, address):
    """No level is left out on the way down."""
    page.goto(f"{address}/models")
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.wait_for_selector("h2 >> nth=2")
    levels = page.locator("h1, h2, h3, h4, h5, h6").evaluate_all(
        "(all) => all.map(({ tagName }) => Number(tagName[1]))"
    )
    assert levels[0] == 1 and len(levels) > 3
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False)), levels
