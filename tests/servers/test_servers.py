"""Several servers: one is killed, all are restarted, a class votes, models are saved and opened; nothing is lost."""

import json
import os
import re
import shutil
import signal
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import Page, expect

from tests.adapters.test_opening import save_model
from tests.browser import PROJECT
from tests.servers.running import DRAWN, Running, running_servers, wait
from tests.tiny import save_checkpoint
from tests.words import english
from viz_core.servers import place

pytestmark = [pytest.mark.slow, pytest.mark.process]
SENTIMENT = "sentiment?lang=en"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("servers")
    for task in ("imdb", "afqmc"):
        save_checkpoint(root / "checkpoints", task)
    return root


@pytest.fixture(scope="module")
def servers(folder):
    folders = {f"VIZ_{name}_DIR": str(folder / name.lower()) for name in ("RUNS", "TASKS", "CHECKPOINTS", "DATA")}
    settings = {
        "VIZ_RUNS_FREE_MB": "1",
        "VIZ_DRAIN_SECONDS": "2",
        "VIZ_LESSONS_DIR": str(PROJECT / "tests/lessons/own"),
    }
    environment = {**os.environ, **folders, **settings, "LANG": "en"}
    with running_servers(folder, environment) as running:
        yield running


def box(page: Page):
    return page.locator(".instrument textarea").first


def type_text(page: Page, text: str) -> None:
    """Types a text, and waits until the page has followed."""
    box(page).fill(text)
    wait_in(page, lambda: follows(page, text), f"the link does not have {text!r}")


def follows(page: Page, text: str) -> bool:
    return f"text={text.replace(' ', '+')}&" in f"{page.url}&"


def wait_in(page: Page, condition, problem: str) -> None:
    """Waits in the page, whose events would not be handled in a sleep."""
    wait(condition, problem, lambda seconds: page.wait_for_timeout(1000 * seconds))


def explain(port: int, model: str) -> tuple[int, bytes]:
    """The response of a server to a text, without the proxy."""
    body = {"task": "imdb", "model": model, "language": "en", "texts": ["a film"], "visit": "1"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/explorer/explain", json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, b""


def test_a_model_that_is_saved_replaced_or_deleted_is_so_on_every_server(servers: Running, folder):
    root = folder / "checkpoints"

    def statuses() -> list[int]:
        return [explain(port, "later")[0] for port in servers.ports]

    assert statuses() == [404, 404]
    model = save_checkpoint(root, "imdb", "later")
    before = [explain(port, "later") for port in servers.ports]
    assert [status for status, _ in before] == [200, 200]
    save_checkpoint(root, "imdb", "next", layers=1)
    shutil.rmtree(model)
    (root / "imdb/next").rename(model)
    after = [explain(port, "later") for port in servers.ports]
    assert [status for status, _ in after] == [200, 200]
    assert all(old != new for (_, old), (_, new) in zip(before, after, strict=True))
    shutil.rmtree(model)
    assert statuses() == [404, 404]


def test_a_class_votes_on_whichever_server_its_phones_are(browser, servers: Running, monkeypatch):
    first, second = servers.ports
    lesson = "lessons?lang=en&presents=looking&slide=choose"
    with (
        servers.visitor_at(first, browser, lesson, ".st-key-slide") as teacher,
        servers.visitor_at(second, browser, SENTIMENT, DRAWN) as phone,
    ):
        teacher.get_by_role("button", name=english("votes.ask"), exact=True).click()
        code = teacher.locator("[class*=st-key-poll_] strong").filter(has_text=re.compile("^[B-Z]{6}$")).inner_text()
        monkeypatch.setenv("VIZ_SERVER", "1/2")
        assert code[0] in place().letters
        phone.goto(f"{servers.address}/vote")
        phone.get_by_role("textbox").fill(code.lower())
        phone.get_by_role("button").click()
        phone.locator("button").first.click()
        expect(phone.get_by_role("status")).to_be_visible()
        expect(teacher.get_by_text(english("votes.count", count=1))).to_be_visible()


def test_a_model_from_elsewhere_is_open_on_every_server(browser, servers: Running, folder):
    model = save_model(folder / "from-elsewhere")
    first, second = servers.ports
    with (
        servers.visitor_at(first, browser, "models?lang=en", "h1") as teacher,
        servers.visitor_at(second, browser, SENTIMENT, DRAWN) as visitor,
    ):
        reference = teacher.get_by_role("textbox", name=english("other.reference"))
        reference.fill(str(model))
        reference.press("Enter")
        teacher.wait_for_selector(DRAWN)
        visitor.goto(f"{servers.address}/other?lang=en&model=from-elsewhere")
        visitor.wait_for_selector(DRAWN)
        assert servers.pages(second) > 0


def test_a_visitor_of_a_killed_server_goes_on_at_another_and_comes_back(browser, servers: Running):
    first, second = servers.ports
    with (
        servers.visitor_at(first, browser, SENTIMENT, DRAWN) as page,
        servers.visitor_at(second, browser, SENTIMENT, DRAWN) as other,
    ):
        type_text(page, "a good film")
        type_text(other, "a long film")
        box(page).press_sequentially(" and")  # not at rest
        ready, server = servers.lines("is ready"), servers.process(first)
        os.kill(server.pid, signal.SIGKILL)
        wait_in(page, lambda: servers.pages(second) == 2, "the page does not connect to the other server")
        assert box(page).input_value() == "a good film and"
        box(page).press_sequentially(" more")
        wait_in(page, lambda: follows(page, "a good film and more"), "the page does not go on")
        wait_in(page, lambda: servers.lines("is ready") > ready, "the server is not started again")
        wait_in(page, lambda: servers.pages(first) == 1, "the page does not come home")
        box(page).press_sequentially(" here")
        wait_in(page, lambda: follows(page, "a good film and more here"), "the page does not go on at home")
        assert follows(other, "a long film") and box(other).input_value() == "a long film"
        assert servers.process(first).pid != server.pid
        assert servers.lines("film") == 0, "a text of a visitor is in the log"


def test_a_restart_of_all_servers_loses_no_text(browser, servers: Running):
    contexts = [browser.new_context(locale="en-GB") for _ in range(6)]
    pages = [context.new_page() for context in contexts]
    before, done = [servers.process(port).pid for port in servers.ports], servers.lines("have been restarted")
    for number, page in enumerate(pages):
        page.set_default_timeout(120_000)
        page.goto(f"{servers.address}/{SENTIMENT}")
        page.wait_for_selector(DRAWN)
        type_text(page, f"a film of visitor {number}")
    servers.supervisor.send_signal(signal.SIGHUP)
    for page in pages:
        box(page).press_sequentially(" who")  # while servers end and start
    wait_in(pages[0], lambda: servers.lines("have been restarted") > done, "the restart does not end")
    assert not {servers.process(port).pid for port in servers.ports} & {*before}
    wait_in(pages[0], lambda: sum(map(servers.pages, servers.ports)) == len(pages), "a page is not connected")
    for number, page in enumerate(pages):
        assert box(page).input_value() == f"a film of visitor {number} who"
        box(page).press_sequentially(" stays")
        text = f"a film of visitor {number} who stays"
        wait_in(page, lambda page=page, text=text: follows(page, text), f"{page.url} does not have {text!r}")
    for context in contexts:
        context.close()
