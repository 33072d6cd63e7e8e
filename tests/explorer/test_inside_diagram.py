"""The diagram of the model in the browser, and playing the steps."""

import re

import pytest
from playwright.sync_api import expect

from tests.explorer.inside_packets import ROTARY, first_kind
from tests.explorer.inside_page import InsidePage
from tests.sampling import few
from viz_core.analysis.inside.passes import Selected

pytestmark = pytest.mark.browser
# Whether the step is being enlarged, at once after a click on a box.
ZOOM = """(box) => { box.click(); return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => (
  done(document.querySelector(".inside .step").getAnimations().length))))); }"""


@pytest.mark.slow
def test_a_box_of_the_diagram_opens_its_step(open_inside):
    page = open_inside("post")
    expect(page.locate(".diagram.whole")).to_be_visible()
    for name, step in (("Feed-forward", "feedforward"), ("Classifier", "logits"), ("Attention", "query")):
        page.locate(f".box:has(b:text-is('{name}'))").click()
        assert page.wait().step() == step
        assert page.locate(".box[aria-current]").inner_text().startswith(name)


def test_heads_have_the_names_that_people_gave_them(open_inside):
    page = open_inside("post")
    page.server.names = {"self 1.2": "copies <i>", "causal 1.1": "of another attention"}
    page.show("heads", "zh")
    assert page.locate(".dropdown.head option").all_inner_texts()[:2] == ["1.1", "1.2 · copies <i>"]
    assert [label.split(" · ")[1:] for label in page.locate(".strips .label").all_inner_texts()[:2]] == [
        [],
        ["copies <i>"],
    ]
    page.show(language="en")
    assert page.locate(".layer.open .heads button").nth(1).get_attribute("title").endswith(" · copies <i>")


@pytest.mark.parametrize("name", few(["hidden", "cross", "causal", "self", "pre", "bare", *ROTARY], 3))
def test_the_diagram_has_the_parameters_of_the_model(open_inside, name):
    """Without the temperature, which is no parameter of the network."""
    page = open_inside(name)
    record = page.server.record(Selected(first_kind(name), 0, 0, 1, 2))
    texts = page.locate(".diagram .box:not(.opened) .parameters").all_text_contents()
    numbers = [int(re.sub(r"\D", "", text)) for text in texts]
    assert sum(numbers) == record.sizes["parameters"]


@pytest.mark.slow
def test_in_a_post_norm_model_the_normalisation_is_behind_the_addition(open_inside):
    def order(page: InsidePage) -> list[str]:
        boxes = page.locate(".branch:first-child .box")
        return [box.get_attribute("data-box") for box in boxes.all()]

    assert order(open_inside("post")) == ["attention_add", "attention", "attention_norm"]
    assert order(open_inside("pre")) == ["attention_add", "attention_norm", "attention"]
    assert order(open_inside("bounded")) == ["attention_add", "attention_norm", "attention", "attention_output_norm"]
    assert order(open_inside("joint")) == ["attention_add", "attention", "attention_output_norm"]
    both = ["attention_norm", "attention", "feedforward_norm", "feedforward"]
    assert order(open_inside("parallel")) == ["feedforward_add", *both]


@pytest.mark.slow
def test_encoder_and_decoder_are_in_one_diagram(open_inside):
    page = open_inside("cross")
    sizes = page.server.record(Selected("cross", 0, 0, 1, 2)).sizes
    shapes = page.locate(".row.encoder .arrow small").all_text_contents()
    assert set(shapes[1:]) == {f"{sizes['S']}×{sizes['D']}"} and sizes["K"] == sizes["S"]
    assert f"{sizes['Q']}×{sizes['D']}" in page.locate(".row.decoder .arrow small").all_text_contents()
    expect(page.locate(".memory")).to_contain_text(f"{sizes['S']}×{sizes['D']}")
    page.locate(".row.encoder .box.layer").nth(1).click()
    page.wait()
    assert page.server.bodies[-1] | {"kind": "self", "layer": 1} == page.server.bodies[-1]
    expect(page.locate(".row.encoder .layer.open")).to_be_visible()
    page.locate(".row.decoder .box.embedding").click()
    assert page.wait().step() == "embedding" and page.server.bodies[-1]["kind"] == "cross"


@pytest.mark.slow
def test_on_a_telephone_nothing_scrolls_but_the_row_of_the_diagram(open_inside):
    page = open_inside("cross", "softmax", width=390)
    assert page.locate(".row.decoder").evaluate("(row) => row.scrollWidth > row.clientWidth")
    assert page.locate(".layer.open").evaluate("(layer) => layer.scrollWidth <= layer.clientWidth")


@pytest.mark.slow
@pytest.mark.parametrize("still", [False, True])
def test_opening_a_box_zooms_unless_less_motion_is_wanted(open_inside, still):
    page = open_inside(still=still)
    assert page.locate(".box.feedforward").evaluate(ZOOM) == (0 if still else 1)
    assert page.wait().step() == "feedforward"


@pytest.mark.slow
def test_playing_goes_on_until_it_is_stopped(open_inside):
    page = open_inside(step="embedding")
    play = page.page.get_by_role("button", name="Play the steps")
    play.click()
    page.page.wait_for_selector('.inside[data-step="embedding_norm"]')
    page.page.get_by_role("button", name="Pause").click()
    expect(play).to_have_attribute("aria-pressed", "false")


@pytest.mark.slow
def test_playing_ends_with_the_last_step(open_inside):
    page = open_inside(step="probability")
    page.page.clock.install()
    play = page.page.get_by_role("button", name="Play the steps")
    play.click()
    expect(play).to_have_attribute("aria-pressed", "false")
    page.page.get_by_role("button", name="Previous step (←)").click()
    before = page.wait().step()
    page.page.clock.run_for(10_000)
    assert page.step() == before, "no timer goes on"


@pytest.mark.slow
def test_with_less_motion_playing_is_a_step_at_each_click(open_inside):
    page = open_inside(step="embedding", still=True)
    play = page.page.get_by_role("button", name="Play the steps")
    for step in ("embedding_norm", "attention_norm"):
        play.click()
        assert page.wait().step() == step
        expect(play).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("end", ["Escape", "f", "button"])
def test_in_a_presentation_the_step_fills_the_window_in_large_type(open_inside, end):
    page = open_inside(step="softmax")
    page.page.set_viewport_size({"width": 1920, "height": 1080})
    root, present = page.page.locator(".inside"), page.page.get_by_role("button", name="Present:")
    present.click()
    expect(root).to_have_class(re.compile("presenting"))
    assert root.evaluate("(root) => parseFloat(getComputedStyle(root).fontSize)") == 27
    assert root.bounding_box() == {"x": 0, "y": 0, "width": 1920, "height": 1080}
    expect(page.locate(".diagram")).to_be_hidden()
    page.page.keyboard.press("ArrowRight")
    assert page.wait().step() == "weighting"
    if end == "button":
        present.click()
    else:
        page.page.keyboard.press(end)
    expect(root).not_to_have_class(re.compile("presenting"))
    expect(page.locate(".diagram")).to_be_visible()


def test_what_is_said_names_query_and_key_in_the_hues_of_their_rows(open_inside):
    page = open_inside(step="products")
    said, rows = page.locate(".sentence"), page.locate(".rows")
    for hue, row in (("query", ".token.is-query"), ("key", '.token[aria-pressed="true"]')):
        name = said.locator(f".{hue}").first
        assert rows.locator(row).inner_text() in name.inner_text()
        colour = "(element) => getComputedStyle(element).color"
        assert name.evaluate(colour) == rows.locator(row).evaluate(colour)
