"""Inside attention in the browser: the way through the steps, numbers of the model, changes, refusals."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.explorer.inside_packets import KINDS, ROTARY
from tests.explorer.inside_page import InsidePage, read_number
from tests.pictures import compare
from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.analysis.inside.passes import Selected

pytestmark = pytest.mark.browser
BROKEN = re.compile(r"undefined|NaN|\{\w+\}|\[object")


WALK = """async () => {
  const root = document.querySelector(".inside"), forward = root.querySelectorAll(".stepper > button")[1], steps = [];
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  for (;;) {
    steps.push([root.dataset.step, root.innerText]);
    if (forward.disabled) return steps;
    forward.click();
    for (const { step } = root.dataset; root.dataset.step === step;) await frame();
  }
}"""


# The tokens that are wholly visible in the list, by their rows.
IN_SIGHT = """(body) => {
    const box = body.getBoundingClientRect();
    return [...body.querySelectorAll(".token")].flatMap((token, row) => {
        const { top, bottom } = token.getBoundingClientRect();
        return top >= box.top - 1 && bottom <= box.bottom + 1 ? [row] : [];
    });
}"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["pre", "post", "overlap", "stem", "mean", "small", "hidden", "bare", "narrow", "biased", "next", *ROTARY, *KINDS],
)
def test_every_step_of_every_configuration_is_explained(open_inside, name):
    page = open_inside(name, language="zh" if name in ("post", "mean", "cross", "rotary", "bounded") else "en")
    steps = page.page.evaluate(WALK)
    assert [(step, BROKEN.findall(text)) for step, text in steps if BROKEN.search(text)] == []
    names = [step for step, _ in steps]
    assert names[0] == "model" and names[-1] == ("layers" if name in ("bare", "narrow") else "probability")
    assert len(set(names)) == len(names) >= 20
    assert [name == "narrow", name == "biased"] == [step in names for step in ("mapping", "bias")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "title", "pointed"),
    [("pre", "Logits: a number for each class", "Class 1"), ("cross", "Logits: a number for each token", "Token 1")],
)
def test_a_logit_is_of_a_class_or_of_a_token_of_the_vocabulary(open_inside, name, title, pointed):
    page = open_inside(name, step="logits")
    assert page.locate(".step h2").inner_text() == title
    expect(page.locate(".step .pointers")).to_contain_text(pointed)


@pytest.mark.slow
def test_the_keys_that_a_sentence_names_are_in_sight(open_inside):
    """The selected one for certain; the one with the largest weight wherever both fit."""
    page = open_inside(step="weighting")
    weights = page.numbers(0)
    strongest = weights.index(max(weights))
    for key in range(len(weights)):
        page.locate(".labels .token").nth(key).evaluate("(token) => token.click()")  # without scrolling to it
        visible = page.wait().locate(".rows .body").evaluate(IN_SIGHT)
        assert key in visible and len(visible) < len(weights)
        assert strongest in visible or abs(key - strongest) >= len(visible) - 1


def test_arrow_keys_go_through_the_steps_and_the_page_hears_of_it(open_inside):
    page = open_inside(step="scores")
    page.locate(".step h2").click()
    page.locate(".stepper button").first.focus()
    assert page.press("ArrowRight").step() == "scaling" and page.press("ArrowLeft").step() == "scores"
    page.page.evaluate("document.activeElement.blur()")  # also while nothing has the focus
    page.press("ArrowLeft")
    page.wait_for_link(step="products", kind="self", head="1.1", query="2", key="3", changes={})


@pytest.mark.slow
def test_dimensions_that_are_not_turned_are_said(open_inside):
    """Of the eight numbers of a head the first four are pairs."""
    page = open_inside("parallel", step="rotation")
    for dimension, text in ((4, "Pair 2, dimensions 2 and 4: "), (5, "Dimension 5 is not turned.")):
        page.locate(".pointers label:visible input").fill(str(dimension))
        expect(page.locate(".rotation .equation")).to_contain_text(text)
    expect(page.locate(".pairs .turn.pointed")).to_have_count(0)


@pytest.mark.slow
def test_keys_before_a_window_are_masked_as_later_ones(open_inside):
    """A window of three keys: of the fifteen, query 6 attends to 4, 5 and 6."""
    page = open_inside("bounded", step="mask", query=5)
    assert "the 2 tokens before it. 12 of 15 keys" in page.sentence()
    assert np.isfinite(page.numbers(1)).nonzero()[0].tolist() == [3, 4, 5]


@pytest.mark.slow
def test_an_arrow_key_in_a_list_or_on_a_slider_stays_there(open_inside):
    page = open_inside(step="scores")
    page.locate(".dropdown.key select").focus()
    page.press("ArrowRight")
    page.locate(".pointers label:visible input").focus()
    page.press("ArrowRight")
    assert page.step() == "scores" and "Dimension 2 of" in page.locate(".pointers").inner_text()


@pytest.mark.parametrize("step", ["constructor", pytest.param("temperatures", marks=pytest.mark.slow)])
def test_a_step_that_does_not_exist_is_the_first(open_inside, step):
    assert open_inside(step=step).step() == "model"


@pytest.mark.slow
def test_weights_beside_the_tokens_are_those_of_the_model(open_inside):
    page = open_inside(step="softmax", query=3)
    head = page.server.record(Selected("self", 0, 0, 3, 2)).of_head
    assert page.numbers(2) == pytest.approx(head.weights, abs=6e-4)
    assert page.numbers(1) == pytest.approx(np.exp(head.masked), rel=6e-3, abs=6e-4)
    assert "entropy" in page.locate(".touch").inner_text().lower()


def test_pointing_at_a_number_of_the_query_shows_its_products_and_their_sum(open_inside):
    page = open_inside(step="query")
    query = page.server.record(Selected("self", 0, 0, 1, 2)).of_head.query
    box = page.locate(".results canvas").bounding_box()
    for number in (0, 2):
        page.page.mouse.move(box["x"] + 4, box["y"] + (number + 0.5) * box["height"] / len(query))
        equation = page.locate(".product .equation")
        expect(equation).to_contain_text(f"q({number + 1}) =")
        result = read_number(equation.inner_text().rpartition("= ")[2])
        assert result == pytest.approx(query[number], abs=6e-3)


@pytest.mark.parametrize(
    "step, product, symbol, layer_step",
    [
        ("projection", 0, "o", "projected"),
        ("feedforward", 0, "h", "hidden"),
        pytest.param("feedforward", 1, "f", "feedforward", marks=pytest.mark.slow),
    ],
)
def test_projection_and_feedforward_are_followed_number_by_number(open_inside, step, product, symbol, layer_step):
    page = open_inside("post", step=step)
    numbers = getattr(page.server.record(Selected("self", 0, 0, 1, 2)).of_layer, layer_step)
    part = page.locate(".product").nth(product)
    part.scroll_into_view_if_needed()
    box = part.locator(".results canvas").bounding_box()
    for number in (0, len(numbers) - 1):
        page.page.mouse.move(box["x"] + 4, box["y"] + (number + 0.5) * box["height"] / len(numbers))
        equation = part.locator(".equation")
        expect(equation).to_contain_text(f"{symbol}({number + 1}) =")
        assert read_number(equation.inner_text().rpartition("= ")[2]) == pytest.approx(numbers[number], abs=6e-3)
    assert [body["step"] for body in page.server.bodies] == [step]


@pytest.mark.parametrize("name", ["rotary", pytest.param("headed", marks=pytest.mark.slow)])
def test_pairs_of_dimensions_are_turned_and_one_is_pointed_at(open_inside, name):
    """The last of the pairs that are drawn, by its column; the first, by the slider of the dimensions."""
    page = open_inside(name, step="rotation", query=4)
    assert "distance, 2," in page.sentence()
    head = page.server.record(Selected("causal", 0, 0, 4, 2)).of_head
    half = len(head.query) // 2
    pair, columns = half - 1, page.locate(".pairs .pair").count()
    assert columns == {"rotary": 3, "headed": 2}[name]
    page.locate(".pairs .turn").nth(columns - 1).hover()
    equation = page.locate(".rotation .equation")
    expect(equation).to_contain_text(f"Pair {pair + 1}, dimensions {pair + 1} and {pair + 1 + half}: ")
    product = sum(head.query[i] * head.keys[2][i] for i in (pair, pair + half))
    assert read_number(equation.inner_text().rpartition("→ ")[2]) == pytest.approx(product, abs=6e-3)
    expect(page.locate(".pairs .turn.pointed")).to_have_count(3)
    page.locate(".pointers label:visible input").fill(str(half + 1))
    expect(equation).to_contain_text(f"Pair 1, dimensions 1 and {half + 1}: ")
    angles = page.locate(".pairs .turn:nth-child(n) small").all_text_contents()
    assert "4 × 57.3° = 229°" in angles and "2 × 57.3° = 115°" in angles


def test_heads_that_share_a_key_are_said(open_inside):
    page = open_inside("rotary", step="keys")
    assert "Heads 1 to 2 share it: 4 heads, 2 keys" in page.sentence()
    expect(page.locate(".heads .group")).to_have_count(1)
    assert "Heads 3 to 4" in page.choose("head", "1.3").sentence()
    assert page.press("ArrowRight").step() == "values" and "Heads 3 to 4" in page.sentence()
    assert "Heads" not in page.press("ArrowLeft").press("ArrowLeft").sentence()


@pytest.mark.parametrize("product, symbol, part", [(0, "g", "gate"), (1, "h", "hidden"), (2, "f", "feedforward")])
def test_a_gated_feedforward_is_followed_number_by_number(open_inside, product, symbol, part):
    page = open_inside("rotary", step="feedforward")
    numbers = getattr(page.server.record(Selected("causal", 0, 0, 1, 2)).of_layer, part)
    for slider in page.locate(".pointers label:visible input").all():
        slider.fill("3")
    equation = page.locate(".product").nth(product).locator(".equation").inner_text()
    assert equation.startswith(f"{symbol}(3) = ") and "(b)" not in equation
    assert read_number(re.split(" = | \\(sum", equation)[2]) == pytest.approx(numbers[2], abs=6e-3)


def test_matrices_and_what_all_keys_read_are_fetched_once_with_the_first_step_that_shows_them(open_inside):
    page = open_inside(step="embedding_norm")
    assert page.server.bodies == []
    page.press("ArrowRight").press("ArrowRight").press("ArrowRight")
    assert page.step() == "keys"
    window, *matrices = page.server.bodies
    assert window["window"] is True and [body["step"] for body in matrices] == ["query", "keys"]
    page.locate(".token").nth(4).click()
    page.wait().press("ArrowLeft")
    assert [body["key"] for body in page.server.bodies[3:]] == [4]
    page.choose("head", "1.2")
    assert [body["head"] for body in page.server.bodies[4:]] == [1, 1]  # its record and its matrix, but no window


@pytest.mark.slow
def test_the_hidden_layer_of_a_classifier_is_followed_number_by_number(open_inside):
    page = open_inside("hidden", step="classifier_hidden")
    page.locate(".pointers label:visible input").nth(1).fill("3")
    record = page.server.record(Selected("self", 0, 0, 1, 2)).prediction
    equation = page.locate(".product .equation").inner_text()
    assert equation.startswith("h(3) = ") and read_number(equation.split("=")[-1]) == pytest.approx(
        record.hidden[2], abs=6e-3
    )
    assert page.locate(".box[aria-current]").inner_text().startswith("Hidden layer")


def test_a_model_without_a_classifier_ends_with_its_layers(open_inside):
    page = open_inside("bare", step="layers")
    page.locate(".diagram .box.layer >> nth=-1").click()
    page.wait()
    assert "This model has no classifier" in page.locate(".sentence").inner_text()
    assert page.locate(".step h2").inner_text() == "After the last layer"
    assert not page.locate(".answer").is_visible() and page.locate("[data-box=classifier]").count() == 0
    assert page.locate(".stepper > button").nth(1).is_disabled()


def test_another_query_head_or_key_is_asked_for(open_inside):
    page = open_inside(step="scores")
    assert page.choose("query", "[CLS] (1)").server.bodies[-1]["query"] == 0
    page.locate(".token").nth(4).click()
    assert page.wait().server.bodies[-1]["key"] == 4
    page.choose("head", "1.2")
    assert page.server.bodies[-1]["head"] == 1
    assert "[CLS] (1)" in page.sentence()


def test_weights_react_before_the_answer_and_the_answer_follows(open_inside):
    page = open_inside(step="softmax")
    changed = page.server.record(Selected("self", 0, 0, 1, 2), HeadChanges(unscaled=True))
    page.server.refusal = "Too many requests."
    page.locate(".toggle").first.click()
    page.wait()
    assert page.numbers(2) == pytest.approx(changed.of_head.weights, abs=6e-4)
    expect(page.locate(".refusal")).to_have_text("Too many requests.")
    page.server.refusal = ""
    page.choose("key", "[CLS] (1)")
    expect(page.locate(".refusal")).to_be_hidden()
    share, expected = page.locate(".lane .figure").inner_text(), changed.prediction
    assert float(share.rstrip("%")) == pytest.approx(100 * expected.probabilities[expected.predicted], abs=0.06)
    expect(page.locate(".lane .was")).to_contain_text("before: ")


@pytest.mark.parametrize("width", [1280, 390])
def test_at_the_division_the_table_that_argues_for_it_comes_before_the_numbers_of_the_head(open_inside, width):
    page = open_inside(step="scaling", width=width)
    table, rows = (page.locate(part).bounding_box() for part in (".widths", ".rows"))
    assert table["y"] + table["height"] <= rows["y"]
    largest = [float(text) for text in page.locate(".widths tbody td").all_inner_texts()]
    undivided, divided = largest[:4], largest[4:]
    assert undivided == sorted(undivided) and undivided[0] < 0.8 < 0.99 < undivided[3] and len(set(divided)) == 1


@pytest.mark.slow
def test_reset_puts_everything_back(open_inside):
    page = open_inside(step="softmax", masked=[2, 3], temperature=0.2, causal=True)
    assert page.figures(0)[2] == "−∞" and "→" in page.locate(".entropy").inner_text()
    page.locate(".touch header button").click()
    page.wait()
    weights = page.server.record(Selected("self", 0, 0, 1, 2)).of_head.weights
    assert page.numbers(2) == pytest.approx(weights, abs=6e-4)
    page.wait_for_link(changes={})
    assert page.locate(".lane .was").count() == 0


@pytest.mark.slow
def test_a_score_is_edited_and_a_key_masked(open_inside):
    page = open_inside(step="mask", key=4)
    slider = page.locate(".slider input").nth(1)
    slider.fill("5")
    page.wait()
    assert page.figures(1)[4] == "5.00"
    page.page.get_by_label("mask key", exact=False).click()
    page.wait()
    assert page.figures(1)[4] == "−∞"
    page.wait_for_link(changes={"scores": [[1, 4, 5]], "masked": [4]})


@pytest.mark.slow
def test_causal_attention_masks_later_keys_by_itself(open_inside):
    page = open_inside("causal", "mask")
    assert page.figures(1)[2:] == ["−∞"] * len(page.figures(1)[2:])
    assert page.page.get_by_label("causal mask").is_disabled()


@pytest.mark.slow
def test_a_text_that_the_model_cannot_read_is_explained(open_inside):
    page = open_inside()
    page.page.evaluate("""() => {
      const header = new TextEncoder().encode(JSON.stringify({ refusal: "Type a text.", turns: 1, language: "en",
        theme: { mode: "light", groups: [], classes: [], categories: [], diverging: [] }, catalogue: {} }));
      const bytes = new Uint8Array(4 + header.length);
      new DataView(bytes.buffer).setUint32(0, header.length, true);
      bytes.set(header, 4);
      mount(btoa(String.fromCharCode(...bytes)));
    }""")
    expect(page.locate(".refusal")).to_have_text("Type a text.")


def compare_with_baseline(page: InsidePage, name: str) -> None:
    page.page.mouse.move(1, 1)
    page.page.evaluate("document.activeElement?.blur()")
    compare(page.wait().page.locator(".inside").screenshot(animations="disabled"), f"inside_{name}")


def test_the_model_at_a_glance(open_inside):
    compare_with_baseline(open_inside("overlap"), "model_en_light")


@pytest.mark.slow
def test_changed_weights_in_dark_mode(open_inside):
    page = open_inside("post", "softmax", language="zh", mode="dark", masked=[5], temperature=0.2)
    compare_with_baseline(page, "softmax_zh_dark")


def test_a_rotation(open_inside):
    compare_with_baseline(open_inside("rotary", "rotation", query=4), "rotation_en_light")


@pytest.mark.slow
def test_a_layer_whose_parts_are_parallel(open_inside):
    compare_with_baseline(open_inside("parallel", "feedforward_add"), "parallel_en_light")


@pytest.mark.slow
def test_the_query_on_a_telephone(open_inside):
    compare_with_baseline(open_inside("pre", "query", width=390), "query_telephone")
