"""From a weight in the explorer to its computation, a step and a change further, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.words import english

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def wait_for(page, address: str) -> None:
    """Waits until the address of the page has this pattern, and the page rests."""
    page.wait_for_url(address)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def test_a_weight_is_followed_and_changed(page, address):
    page.goto(f"{address}/sentiment?lang=en&text=The+film+is+not+good.&head=2.2&query=1&key=5")
    page.get_by_role("button", name=english("explorer.inside")).click()
    page.wait_for_url("**/inside?**key=5**")
    component = page.locator(".inside[data-idle=true]")
    expect(component).to_be_visible()
    expect(component.locator(".dropdown.head select")).to_have_value("1.1")
    expect(component.locator(".stepper select")).to_have_value("softmax")
    fill, track = (component.locator(f".answer .{part}").bounding_box() for part in ("fill", "track"))
    ends = [box["x"] + box["width"] for box in (fill, track)]
    assert ends[0] == pytest.approx(ends[1], abs=1), "negative, on the right as on every page"
    component.get_by_label(english("inside.touch_scaling")).uncheck()
    wait_for(page, "**touch=unscaled**")


def test_a_link_opens_a_step_of_a_translation(page, address):
    page.goto(
        f"{address}/inside?lang=zh&task=tatoeba&kind=causal&head=1.2&query=3&key=2&step=softmax&touch=temperature:0.5"
    )
    component = page.locator(".inside[data-idle=true]")
    expect(component).to_have_attribute("data-step", "softmax")
    expect(component.locator(".dropdown.kind select")).to_have_value("causal")
    expect(component.locator(".dropdown.query select")).to_have_value("2")
