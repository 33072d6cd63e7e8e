"""Pictures of boxes and prediction: both themes, both languages, a review and a pair; refusals, classes, phones."""

from dataclasses import replace

import numpy as np
import pytest

from tests.explorer import examples
from tests.explorer.instrument_page import explain
from tests.pictures import compare
from viz_core.records import Message
from viz_core.rendering.theme import theme
from viz_core.tasks.thucnews import THUCNEWS

pytestmark = pytest.mark.browser

PAIR = examples.pair()
NOTICE = Message("text.unknown", {"count": 1, "tokens": ("呗呗",), "more": ""})
CASES = {
    "review_en_light": (examples.review(), "en", "light"),
    "review_zh_dark": (examples.review(), "zh", "dark"),
    "pair_en_dark": (replace(PAIR, threshold=0.436, probabilities=np.array([0.57, 0.43])), "en", "dark"),
    "pair_zh_light": (replace(PAIR, encoding=replace(PAIR.encoding, notices=(NOTICE,))), "zh", "light"),
}


def picture(instrument, name):
    compare(instrument.page.locator(".instrument").screenshot(animations="disabled"), f"instrument_{name}")


@pytest.mark.parametrize("case", CASES)
def test_boxes_and_prediction(open_instrument, case):
    explanation, language, mode = CASES[case]
    instrument = open_instrument(theme(mode).background)
    picture(instrument.open(explanation, language=language, colours=theme(mode)), case)


def test_the_text_before_is_marked_on_the_bar(instrument):
    instrument.open_texts("a good film")
    instrument.box().fill("a good good good film")
    instrument.wait_until_idle()
    before = instrument.page.locator(".prediction .before")
    assert before.evaluate("(tick) => parseFloat(tick.style.left)") == pytest.approx(40), "(1 + 1) / (2 + 3)"
    assert before.get_attribute("title") == "before: 40.0%"
    instrument.page.keyboard.press("Tab")
    picture(instrument, "before")


def test_a_refusal(instrument):
    instrument.open_texts("a good film")
    height = instrument.page.locator(".instrument").bounding_box()["height"]
    instrument.box().fill("")
    instrument.wait_until_idle()
    instrument.page.get_by_role("button", name="Praise").focus()
    assert instrument.page.locator(".instrument").bounding_box()["height"] == pytest.approx(height, abs=2)
    picture(instrument, "refused")


def test_notices_come_and_go_without_moving_the_explorer(instrument):
    tops = []
    for notices in ((), (NOTICE,), (NOTICE,) * 3):
        explanation = explain([f"a film {len(notices)}"])
        instrument.open(replace(explanation, encoding=replace(explanation.encoding, notices=notices)))
        tops.append(instrument.page.locator(".explorer").bounding_box()["y"])
    assert tops[0] == tops[1] == tops[2]


def test_a_bar_for_each_of_three_classes(instrument):
    labels, probabilities = ("negative", "different", "positive"), np.array([0.15, 0.25, 0.6])
    explanation = replace(examples.review(), labels=labels, probabilities=probabilities, threshold=None)
    picture(instrument.open(explanation), "three")
    widths = instrument.page.locator(".class .fill").evaluate_all(
        "(all) => all.map((bar) => parseFloat(bar.style.width))"
    )
    assert widths == pytest.approx([15, 25, 60])


@pytest.mark.parametrize(("language", "mode"), [("zh", "light"), ("en", "dark")])
def test_ten_classes_stand_in_three_columns_of_a_wide_page(open_instrument, language, mode):
    """With verdict and notices they take no more than 220 px of the first screen."""
    probabilities = np.array([0.02, 0.01, 0.05, 0.01, 0.06, 0.02, 0.01, 0.79, 0.02, 0.01])
    explanation = replace(examples.review(), labels=THUCNEWS.labels, probabilities=probabilities, threshold=None)
    instrument = open_instrument(theme(mode).background).open(explanation, language=language, colours=theme(mode))
    picture(instrument, f"ten_{language}_{mode}")
    boxes = [instrument.page.locator(".odds .class").nth(number).bounding_box() for number in range(10)]
    assert len({round(box["x"]) for box in boxes}) == 3 and len({round(box["y"]) for box in boxes}) == 4
    heights = [
        instrument.page.locator(f".instrument {part}").bounding_box()["height"] for part in (".prediction", ".about")
    ]
    assert sum(heights) < 220


@pytest.mark.parametrize("case", ["review_zh_dark", "pair_zh_light"])
def test_on_a_telephone(open_instrument, case):
    explanation, language, mode = CASES[case]
    instrument = open_instrument(theme(mode).background, viewport={"width": 390, "height": 844})
    picture(instrument.open(explanation, language=language, colours=theme(mode)), f"telephone_{case}")


def test_on_a_projector(open_instrument):
    colours = theme("light", projector=True)
    instrument = open_instrument().open(PAIR, language="zh", colours=colours)
    picture(instrument, "projector")


def test_a_model_without_attention_has_boxes_and_a_prediction_alone(instrument):
    explanation = examples.review()
    nothing = replace(explanation, attention=np.zeros((0, 0, *explanation.attention.shape[2:]), np.float32))
    instrument.open(nothing)
    assert instrument.verdict.startswith("Positive") and not instrument.page.locator(".explorer").is_visible()
    instrument.type(" good")
    instrument.wait_until_idle()
    assert instrument.page.locator(".explorer").is_visible(), "the server of this test has a model with attention"
