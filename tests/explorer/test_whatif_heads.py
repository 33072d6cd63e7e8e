"""What-if: masking heads and making them uniform, their effects, and the comparison with random heads."""

import pytest

from tests.words import english, says
from viz_core.rendering.theme import theme

pytestmark = pytest.mark.browser


def test_clicks_on_a_head_mask_it_make_it_uniform_and_restore_it(open_whatif):
    whatif = open_whatif()
    assert whatif.headline == "positive 80.0% → 80.0% (±0.0 points)"
    assert whatif.summary == english("whatif.nothing_changed")
    whatif.click(whatif.head(1, 2))
    assert whatif.headline == "positive 80.0% → 60.0% (−20.0 points)" and whatif.summary == "Changed: masked 1.2"
    assert whatif.server.requests[-1]["masked"] == [[0, 1]]
    whatif.click(whatif.head(1, 2))
    assert whatif.headline == "positive 80.0% → 70.0% (−10.0 points)" and whatif.summary == "Changed: uniform 1.2"
    whatif.click(whatif.head(1, 2))
    assert whatif.headline == "positive 80.0% → 80.0% (±0.0 points)"
    assert whatif.summary == english("whatif.nothing_changed")


def test_heads_have_the_names_that_people_gave_them(open_whatif):
    name = "<b>not</b> looks at negations, says she x"
    whatif = open_whatif().show(names={"self 1.2": name, "cross 2.1": "of another attention"}, turns=1)
    square = whatif.page.locator(".square").nth(1)
    assert square.get_attribute("title").startswith(f"{name} · Layer 1, head 2")
    whatif.click(square)
    assert whatif.summary == f"Changed: masked 1.2 · {name}"
    options = whatif.part("row").locator("select").first.locator("option").all_inner_texts()
    assert options[:5] == ["1.1", f"1.2 · {name}", "1.3", "1.4", "2.1"]


def test_a_layer_is_masked_and_restored_as_a_whole(open_whatif):
    whatif = open_whatif()
    whatif.click(whatif.head(2, 1), times=2)
    layer = whatif.page.get_by_role("button", name="Mask all heads of layer 2")
    whatif.click(layer)
    assert whatif.server.requests[-1]["masked"] == [[1, 0], [1, 1], [1, 2], [1, 3]]
    assert whatif.flip == "The prediction flips: “positive” → “negative”."
    whatif.click(layer)
    assert whatif.server.requests[-1]["masked"] == [] and whatif.flip == "The prediction stays “positive”."


def test_colours_show_the_effect_of_masking_each_head_alone(open_whatif):
    whatif = open_whatif()
    squares = whatif.page.locator(".square")
    assert squares.locator(".figure").all_inner_texts() == ["−20", "−16", "−11", "−7", "−3", "+1", "+6", "+10"]
    first = squares.first
    assert first.evaluate("(square) => getComputedStyle(square).backgroundColor") == _rgb(theme("light").diverging[0])
    assert first.get_attribute("aria-label") == english(
        "whatif.head_described", layer=1, head=1, state="on", label="positive", effect="−20.0"
    )
    assert whatif.page.locator(".legend .marks span").all_inner_texts() == ["−20.0", "0", "+20.0"]


def _rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[start : start + 2], 16)) for start in (1, 3, 5))})"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_where_all_other_heads_were_changed_it_says_so(open_whatif, language):
    whatif = open_whatif(language=language)
    whatif.server.complete = True
    whatif.click(whatif.head(1, 1))
    assert says(whatif.control, "whatif.control_all", language, draws=20)
    whatif.click(whatif.head(1, 2))
    assert says(whatif.control, "whatif.control_all", language, heads=2, draws=20)


def test_random_heads_are_compared_after_a_pause(open_whatif):
    whatif = open_whatif()
    assert whatif.control == english("whatif.control_heads") and not whatif.server.requests[-1]["control"]
    whatif.click(whatif.head(1, 1))
    assert [request["control"] for request in whatif.server.requests[1:]] == [False, True]
    numbers = {"mean": "−5.0", "spread": "4.0", "draws": 20, "low": "−12.0", "high": "+2.0"}
    assert says(whatif.control, "whatif.control", label="positive", points="−20.0", **numbers)
    assert whatif.control.endswith(english("whatif.control_more"))
    track, band = (whatif.page.locator(f".track.random{part}").bounding_box() for part in ("", " .band"))
    assert band["x"] - track["x"] == pytest.approx(0.68 * track["width"], abs=2)
    assert band["width"] == pytest.approx(0.14 * track["width"], abs=2)
    whatif.click(whatif.head(1, 1))
    assert says(whatif.control, "whatif.control_within")
    whatif.click(whatif.chip(2))
    assert whatif.control.endswith(english("whatif.control_other_changes"))
