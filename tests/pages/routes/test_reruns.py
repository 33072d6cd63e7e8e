"""A flood of messages waits: for the rate of its visitor and address, and for its turn; others do not."""

import asyncio
from collections.abc import Callable

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.routes import reruns
from pages.routes.reruns import OF_VISITOR, Reruns
from pages.shared import clients
from pages.shared.clients import Held
from pages.shared.visitor_cookie import COOKIE, sign
from tests.pages.app import open_page, page_text
from tests.words import english
from viz_core.analysis.turns import Client

ANNA, BEN = Client("a" * 32, "192.0.2.1"), Client("b" * 32, "192.0.2.2")
RERUN, HEARTBEAT = BackMsg(), BackMsg(app_heartbeat=True)
RERUN.rerun_script.query_string = "lang=en"
BUTTON = BackMsg()
BUTTON.rerun_script.widget_states.widgets.add(id="next", trigger_value=True)
KEY = BackMsg()  # that turns the card of a lesson
KEY.rerun_script.widget_states.widgets.add(id="guide", json_trigger_value='[{"event":"go","value":1}]')

FRAGMENT = BackMsg()
FRAGMENT.rerun_script.query_string, FRAGMENT.rerun_script.fragment_id = "lang=en", "explorer"
FRAGMENT.rerun_script.widget_states.widgets.add(id="kept", string_value="a film")
FRAGMENT.rerun_script.widget_states.widgets.add(id="typed", json_trigger_value="[]")
FRAGMENT.rerun_script.widget_states.widgets.add(id="empty")


class Page:
    """A web socket, and what the server has received of it."""

    def __init__(self, app: Callable, client: Client, protocols: tuple[str, ...]) -> None:
        cookie = f"{COOKIE}={sign(client.visitor)}".encode()
        self.scope = {
            "type": "websocket",
            "headers": [(b"cookie", cookie)],
            "client": (client.address, 1),
            "subprotocols": protocols,
        }
        self.sent, self.received, self.replies = asyncio.Queue(), [], asyncio.Queue()
        self.task = asyncio.ensure_future(app(self.scope, self.sent.get, self.replies.put))

    def say(self, message: BackMsg) -> None:
        self.sent.put_nowait({"type": "websocket.receive", "bytes": message.SerializeToString()})

    async def finish(self, status: int = ForwardMsg.FINISHED_SUCCESSFULLY) -> None:
        """The server says that the script has run."""
        await self.send({"type": "websocket.send", "bytes": ForwardMsg(script_finished=status).SerializeToString()})

    async def close(self) -> None:
        self.sent.put_nowait({"type": "websocket.disconnect"})
        await self.task


class Server:
    """The middleware, before an app that only receives; its clock goes on while somebody sleeps."""

    def __init__(self) -> None:
        self.pages, self.slept, self.now = [], [], 0.0
        self.app = Reruns(self.receive_all, lambda: self.now, self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds

    async def receive_all(self, scope, receive, send) -> None:
        page = next(page for page in self.pages if page.scope is scope)
        page.send = send
        while (message := await receive())["type"] != "websocket.disconnect":
            page.received.append(message["bytes"])

    async def open(self, client: Client, *protocols: str) -> Page:
        self.pages.append(page := Page(self.app, client, protocols))
        await settle()
        return page


async def settle() -> None:
    """Until everything that can go on has done so."""
    for _ in range(100):
        await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def held(monkeypatch) -> Held:
    nobody = Held(clock=lambda: 0.0)
    for module in (reruns, clients):
        monkeypatch.setattr(module, "held", nobody)
    return nobody


@pytest.mark.parametrize("message", [RERUN, HEARTBEAT], ids=["rerun", "heartbeat"])
def test_a_flood_waits_is_told_so_and_others_do_not_wait(held, caplog, message):
    async def run() -> None:
        server = Server()
        flood, other = await server.open(ANNA), await server.open(BEN)
        for _ in range(OF_VISITOR[0] + 3):
            flood.say(message)
        await settle()
        assert server.slept == [OF_VISITOR[1]] * 3 and len(flood.received) == OF_VISITOR[0] + 3
        other.say(message)
        await settle()
        assert len(server.slept) == 3 and len(other.received) == 1
        assert ANNA in held and BEN not in held
        assert caplog.text.count("192.0.2.1") == 1
        for page in server.pages:
            await page.close()

    asyncio.run(run())


def test_an_address_has_a_rate_whatever_cookies_it_invents(monkeypatch):
    monkeypatch.setattr(reruns, "OF_ADDRESS", (5, 1.0))

    async def run() -> None:
        server = Server()
        for number in range(4):
            page = await server.open(Client(f"{number:032x}", "192.0.2.9"))
            page.say(HEARTBEAT), page.say(HEARTBEAT)
        await settle()
        assert server.slept == [1.0] * 3

    asyncio.run(run())


def test_tabs_of_a_visitor_run_in_turn_and_visitors_at_once():
    async def run() -> None:
        server = Server()
        first, second, third = [await server.open(ANNA) for _ in range(3)]
        other = await server.open(BEN)
        for page in (first, second, third, other):
            page.say(RERUN)
        await settle()
        assert [len(page.received) for page in server.pages] == [1, 0, 0, 1]
        first.say(RERUN)  # interrupts its own script
        first.say(HEARTBEAT)
        await first.finish(ForwardMsg.FINISHED_EARLY_FOR_RERUN)
        await settle()
        assert [len(page.received) for page in server.pages] == [3, 0, 0, 1]
        await first.finish()
        await settle()
        assert [len(page.received) for page in server.pages] == [3, 1, 0, 1]
        await second.close()
        await settle()
        assert [len(page.received) for page in server.pages] == [3, 1, 1, 1]

    asyncio.run(run())


@pytest.mark.parametrize("pressed", [BUTTON, KEY])
def test_nothing_interrupts_the_run_of_a_button(pressed):
    async def run() -> None:
        server = Server()
        page = await server.open(ANNA)
        page.say(pressed), page.say(RERUN), page.say(RERUN)
        await settle()
        assert len(page.received) == 1
        await page.finish(ForwardMsg.FINISHED_EARLY_FOR_RERUN)  # it goes to another page
        await settle()
        assert len(page.received) == 1
        await page.finish()
        await settle()
        assert len(page.received) == 3
        await page.close()

    asyncio.run(run())


def test_a_button_that_computes_for_long_can_be_left(monkeypatch):
    monkeypatch.setattr(reruns, "LONGEST_CLICK", 0.0)

    async def run() -> None:
        page = await Server().open(ANNA)
        page.say(BUTTON), page.say(RERUN)
        while len(page.received) < 2:
            await asyncio.sleep(0)
        await page.close()

    asyncio.run(run())


def test_two_scripts_of_an_address_run_at_once():
    async def run() -> None:
        server = Server()
        for number in range(3):
            page = await server.open(Client(f"{number:032x}", "192.0.2.9"))
            page.say(RERUN)
        await settle()
        assert [len(page.received) for page in server.pages] == [1, 1, 0]

    asyncio.run(run())


def test_a_script_that_waits_for_something_else_keeps_nobody_waiting(monkeypatch):
    monkeypatch.setattr(reruns, "LONGEST_TURN", 0.001)

    async def run() -> None:
        server = Server()
        first, second = await server.open(ANNA), await server.open(ANNA)
        first.say(RERUN), second.say(RERUN)
        while not second.received:
            await asyncio.sleep(0.001)
        assert len(first.received) == 1

    asyncio.run(run())


def test_what_is_no_message_goes_through():
    async def run() -> None:
        server = Server()
        page = await server.open(ANNA)
        page.sent.put_nowait({"type": "websocket.receive", "bytes": b"\xff\xff"})
        page.sent.put_nowait({"type": "websocket.receive", "text": "text"})
        page.sent.put_nowait({"type": "websocket.disconnect"})
        with pytest.raises(KeyError):  # of a text frame, as by Streamlit
            await page.task
        assert page.received == [b"\xff\xff"]

    asyncio.run(run())


@pytest.mark.usefixtures("checkpoints_dir")
def test_a_page_that_is_held_says_so(monkeypatch, held):
    monkeypatch.setattr(clients, "page_client", lambda: ANNA)
    sentence = english("pages.held")
    assert sentence not in page_text(open_page("home"))
    held.note(ANNA)
    assert sentence in page_text(open_page("home"))


async def _fragment_of(*protocols: str) -> list[BackMsg]:
    """What the server receives at first of a page that reports something in a fragment."""
    server = Server()
    page = await server.open(ANNA, *protocols)
    page.say(FRAGMENT)
    await settle()
    first = [BackMsg.FromString(received) for received in page.received]
    await page.finish()
    await settle()
    assert page.received[-1] == FRAGMENT.SerializeToString()
    page.say(FRAGMENT)
    await settle()
    assert page.received[-1] == page.received[-2]
    await page.close()
    return first


def test_a_page_that_connects_again_is_drawn_before_what_it_reports_is_handled():
    assert asyncio.run(_fragment_of("streamlit", "token")) == [FRAGMENT]
    (first,) = asyncio.run(_fragment_of("streamlit", "token", "session"))
    assert first.rerun_script.fragment_id == "" and first.rerun_script.query_string == "lang=en"
    assert [widget.id for widget in first.rerun_script.widget_states.widgets] == ["kept", "empty"]
