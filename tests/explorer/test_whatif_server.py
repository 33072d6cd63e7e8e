"""What-if: requests to the server, and reruns of the surrounding page."""

import pytest

from tests.explorer import examples
from tests.explorer.reused_pages import wait_in_fast_time
from tests.words import english, says

pytestmark = pytest.mark.browser

REVIEW = examples.review()  # 2 layers of 4 heads, 15 tokens: [CLS] the plot is not good but i loved it … [SEP]


def test_only_one_request_is_in_flight_and_the_newest_follows(open_whatif):
    whatif = open_whatif()
    count, whatif.server.should_hold = len(whatif.server.requests), lambda request: True
    for head in range(1, 5):
        whatif.head(1, head).click()
    whatif.page.wait_for_timeout(300)
    assert len(whatif.server.requests) == count + 1
    whatif.server.release()
    whatif.page.wait_for_timeout(300)
    assert [len(request["masked"]) for request in whatif.server.requests[count:]] == [1, 4], (
        "requests in between are skipped"
    )
    whatif.server.should_hold = lambda request: False
    whatif.server.release()
    whatif.wait_until_idle()
    assert whatif.headline == "positive 80.0% → 0.1% (−79.9 points)"


def test_a_comparison_is_aborted_by_a_new_change(open_whatif):
    whatif = open_whatif()
    whatif.server.should_hold = lambda request: request["control"] and len(request["masked"]) == 1
    with whatif.page.expect_request(lambda request: '"control":true' in (request.post_data or "")):
        whatif.head(1, 1).click()
    whatif.head(1, 2).click()
    whatif.wait_until_idle()
    assert whatif.headline == "positive 80.0% → 40.0% (−40.0 points)"
    assert says(whatif.control, "whatif.control", heads=2)


def test_a_refusal_is_shown(open_whatif):
    whatif = open_whatif()
    whatif.server.refusal = "At least one token must stay."
    whatif.click(whatif.chip(2))
    assert whatif.page.get_by_role("alert").inner_text() == "At least one token must stay."
    whatif.server.refusal = ""
    whatif.click(whatif.page.get_by_role("button", name="Undo"))
    assert not whatif.page.get_by_role("alert").is_visible() and whatif.headline.endswith("(±0.0 points)")


def test_a_server_with_too_many_requests_is_asked_again(open_whatif):
    whatif = open_whatif()
    whatif.server.busy = 1000
    whatif.click(whatif.head(1, 1))
    alert = whatif.page.get_by_role("alert")
    assert alert.inner_text() == "Too many at once." and whatif.page.get_by_role("button", name="Try again").is_hidden()
    whatif.server.busy = 0
    wait_in_fast_time(whatif.page, ".failure[hidden]")
    whatif.wait_until_idle()
    assert whatif.headline == "positive 80.0% → 60.0% (−20.0 points)"


def test_a_request_can_be_repeated_after_a_failure(open_whatif):
    whatif = open_whatif()
    whatif.server.offline = True
    whatif.click(whatif.head(1, 1))
    assert "did not respond" in whatif.page.get_by_role("alert").inner_text()
    whatif.server.offline = False
    whatif.click(whatif.page.get_by_role("button", name="Try again"))
    assert (
        whatif.headline == "positive 80.0% → 60.0% (−20.0 points)" and not whatif.page.get_by_role("alert").is_visible()
    )


def test_a_rerun_of_the_page_changes_nothing(open_whatif):
    whatif = open_whatif()
    whatif.click(whatif.head(1, 1))
    count, element = len(whatif.server.requests), whatif.part("heads").element_handle()
    whatif.show()
    assert len(whatif.server.requests) == count and element.evaluate("(element) => element.isConnected")


def test_another_language_keeps_the_changes_and_the_history(open_whatif):
    whatif = open_whatif()
    whatif.click(whatif.head(1, 1))
    whatif.click(whatif.chip(3))
    whatif.show("zh")
    assert whatif.headline == "正面 80.0% → 65.0%（−15.0 个百分点）"
    assert whatif.summary.startswith("改动：屏蔽（置零）1.1 · 移除")
    assert whatif.page.locator(".whatif").get_attribute("lang") == "zh"
    whatif.click(whatif.page.get_by_role("button", name="撤销"), times=2)
    assert whatif.summary == "还没有改动。"


def test_changes_are_restored_after_unmounting_but_not_for_another_input(open_whatif):
    whatif = open_whatif()
    whatif.click(whatif.head(1, 1))
    whatif.page.evaluate("unmount()")
    whatif.show(explanation=examples.pair())
    assert whatif.summary == english("whatif.nothing_changed")
    whatif.show(explanation=REVIEW)
    assert whatif.summary == "Changed: masked 1.1" and "60.0%" in whatif.headline
