"""Floods of a running server, bounded, and somebody who types beside them.

Each browser has an address of its own, which it names as a proxy on this machine does.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from pages.shared.visitor_cookie import COOKIE, sign

MODEL = {"task": "imdb", "language": "en"}
T = TypeVar("T")
LONG = " ".join(f"word{number % 97} film" for number in range(250))


@dataclass(frozen=True)
class Browser:
    """visitor: the token in its cookie, None without one."""

    server: str
    visitor: str | None
    address: str

    @property
    def headers(self) -> dict[str, str]:
        cookie = {"Cookie": f"{COOKIE}={sign(self.visitor)}"} if self.visitor else {}
        return {"X-Forwarded-For": self.address, **cookie}

    async def post(self, route: str, body: dict, leave: asyncio.Event | None = None) -> int:
        """The status of the response. leave: when the browser goes away without it; the status is 0 then."""
        url, content = urlsplit(self.server), json.dumps(body).encode()
        head = {"Host": url.netloc, "Content-Length": str(len(content)), "Connection": "close", **self.headers}
        reader, writer = await asyncio.open_connection("127.0.0.1", url.port)
        lines = [f"POST /explorer/{route} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items()), "", ""]
        writer.write("\r\n".join(lines).encode() + content)
        try:
            answered = asyncio.ensure_future(reader.read())
            left = asyncio.ensure_future((leave or asyncio.Event()).wait())
            await asyncio.wait([answered, left], return_when=asyncio.FIRST_COMPLETED)
            left.cancel()
            return int(answered.result().split(b" ", 2)[1]) if answered.done() else 0
        finally:
            answered.cancel()
            writer.close()

    def open_page(self) -> connect:
        """A web socket as of a page."""
        address = self.server.replace("http:", "ws:") + "/_stcore/stream"
        return connect(
            address, additional_headers=Headers(self.headers), subprotocols=["streamlit"], max_size=None, proxy=None
        )


def rerun(page: str = "", **widgets: str) -> bytes:
    """The message with which a page asks for its script. page: the name in its address. widgets: texts by id."""
    message = BackMsg()
    message.rerun_script.query_string = "lang=en"
    message.rerun_script.page_name = page
    for id, text in widgets.items():
        message.rerun_script.widget_states.widgets.add(id=id, string_value=text)
    return message.SerializeToString()


async def messages(page: ClientConnection, until_finished: bool = True) -> list[ForwardMsg]:
    """What a page receives until its script has run."""
    received = []
    async for content in page:
        received.append(ForwardMsg.FromString(content))
        if until_finished and received[-1].HasField("script_finished"):
            break
    return received


@dataclass(frozen=True)
class Typed:
    """What somebody met who typed. waits: seconds for each key. statuses: how often each, of the responses."""

    waits: list[float]
    statuses: dict[str, int]

    def __str__(self) -> str:
        waits = sorted(self.waits)
        return f"{len(waits)} keys beside it: median {waits[len(waits) // 2]:.2f} s, longest {waits[-1]:.2f} s"


async def beside(server: str, storm: Awaitable[T]) -> tuple[Typed, T]:
    """What a storm returns, and what somebody met who typed meanwhile: in another process, so as to wait for the server
    only."""
    typist = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.faults.typist", server), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    await typist.stdout.readline()  # the first text is answered
    try:
        result = await storm
    finally:
        typed, _ = await typist.communicate(b"")  # closes stdin: it is over
    return Typed(**json.loads(typed)), result


async def abandoned(server: str, route: str, count: int, seconds: float) -> Counter[int]:
    """So many requests of one visitor, whose browser leaves each after a moment. Returns the statuses before that."""
    browser, statuses = Browser(server, "a" * 32, "192.0.2.1"), Counter[int]()

    async def one(number: int) -> None:
        await asyncio.sleep(number * seconds / count)
        leave = asyncio.Event()
        asyncio.get_running_loop().call_later(0.3, leave.set)
        weight = {"layer": 5, "head": 0, "query": number, "key": 1, "changes": {"temperature": 2}}
        body = MODEL | {"model": "minilm", "texts": [f"{number} {LONG}"], "measure": "norms", **weight}
        statuses[await browser.post(route, body, leave)] += 1

    await asyncio.gather(*map(one, range(count)))
    return statuses


async def words_fed(server: str) -> Counter[int]:
    """Translations that are to read 40,000 words in place of their own."""
    browser = Browser(server, "a" * 32, "192.0.2.1")
    fed = [[position, "school"] for position in range(40_000)]
    body = {"task": "tatoeba", "model": "small", "text": "Ich gehe.", "language": "en", "fed": fed}
    return Counter([await browser.post("translate", body) for _ in range(5)])


async def large_messages(server: str, megabytes: float) -> list[int]:
    """The codes with which the server closes eight web sockets that send as many megabytes in a message."""

    async def one() -> int:
        async with Browser(server, "a" * 32, "192.0.2.1").open_page() as page:
            with suppress(Exception):
                await page.send(b"x" * int(megabytes * 1e6))
            await page.wait_closed()
            return page.close_code

    return await asyncio.gather(*[one() for _ in range(8)])


async def invented_cookies(server: str, signed: bool) -> int:
    """How many of 512 web sockets are taken, of 16 cookies from one address. Those stay open meanwhile; one more from
    elsewhere is taken."""
    pages, one_after_another = [], asyncio.Semaphore(16)

    async def open_one(number: int) -> None:
        browser = Browser(server, f"{number % 16:032x}" if signed else None, "192.0.2.1")
        async with one_after_another:
            with suppress(Exception):
                pages.append(await browser.open_page())

    await asyncio.gather(*map(open_one, range(512)))
    async with Browser(server, "b" * 32, "192.0.2.2").open_page() as other:
        await other.send(rerun())
        assert (await messages(other))[-1].HasField("script_finished")
    await asyncio.gather(*[page.close() for page in pages])
    return len(pages)


async def reruns(server: str, page: str, tabs: int, rate: float, seconds: float) -> tuple[int, bool]:
    """How often the scripts of a flood's tabs have run, which ask for it so often a second, and whether the last run
    says that they are held."""
    runs, said = 0, False
    sentence = "Your pages ask too often"

    async def flood(tab: ClientConnection, number: int) -> None:
        for step in range(int(seconds * rate)):
            await asyncio.sleep(1 / rate)
            await tab.send(rerun(page, **{f"none-{number}-{step}": "x"}))

    async def count(tab: ClientConnection) -> None:
        nonlocal runs, said
        async for content in tab:
            runs += ForwardMsg.FromString(content).HasField("new_session")
            said = said or sentence.encode() in content

    async def one(number: int) -> None:
        visitor = f"{0xA00 + tabs:032x}"  # the web sockets of a former storm may not be closed yet
        async with Browser(server, visitor, "192.0.2.1").open_page() as tab:
            counting = asyncio.ensure_future(count(tab))
            with suppress(TimeoutError):
                await asyncio.wait_for(flood(tab, number), seconds * 2)
            counting.cancel()

    await asyncio.gather(*map(one, range(tabs)))
    return runs, said


async def guesses(server: str, count: int) -> float:
    """So many guesses of the teacher's key, each in the first message of a session. Returns the seconds that took."""
    browser, start = Browser(server, "a" * 32, "192.0.2.1"), time.monotonic()
    async with browser.open_page() as page:
        await page.send(rerun("training"))
        received = await messages(page)
    elements = [each.delta.new_element for each in received if each.WhichOneof("type") == "delta"]
    box = next(each.text_input.id for each in elements if each.text_input.id.endswith("teacher_key"))
    for number in range(count):
        async with browser.open_page() as page:
            await page.send(rerun("training", **{box: f"a guess, the {number}."}))
            await messages(page)
    return time.monotonic() - start
