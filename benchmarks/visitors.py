"""Visitors without a browser: they speak Streamlit's protocol over a web socket, and send the route what they type."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

from aiohttp import BaseConnector, ClientSession, CookieJar, WSMsgType
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.typists import Response

LOOPBACK = {"localhost", "127.0.0.1", "::1"}
TIMEOUT = 30  # seconds for a response
_COMPLETE = {ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY}
_EVENTS = "$$STREAMLIT_INTERNAL_KEY_{}__events"  # the widget with the events of a component


class Failed(Exception):
    """A visitor did not get what any visitor should get."""


def check_address(address: str) -> str:
    """The address, if it is this machine. Raises ValueError otherwise: load is only for servers of one's own."""
    if urlsplit(address).hostname not in LOOPBACK:
        raise ValueError(f"{address} is not on this machine: load is only sent to {', '.join(sorted(LOOPBACK))}")
    return address


@asynccontextmanager
async def browser(address: str, connector: BaseConnector) -> AsyncIterator[ClientSession]:
    """A session that has loaded the app as a browser does, and so is a visitor by its cookie; connections are shared.

    Without a cookie all sessions of one address would be one visitor, whose messages wait for each other.
    """
    jar = CookieJar(unsafe=True)  # which accepts cookies of addresses in digits
    async with ClientSession(connector=connector, connector_owner=False, cookie_jar=jar) as session:
        async with session.get(check_address(address)) as response:
            await response.read()
        yield session


class Typist:
    """Requests what to draw, as the text boxes do for every key. request: `url` and `body` of all requests."""

    def __init__(self, session: ClientSession, address: str, request: Mapping) -> None:
        self._session, self._url = session, f"{check_address(address)}/{request['url']}"
        self._body = {**request["body"], "visit": str(random.random())}  # as source/instrument/instrument.js

    async def show(self, texts: Sequence[str]) -> Response:
        """Sends texts and waits for what to draw. Raises Failed."""
        async with (
            asyncio.timeout(TIMEOUT),
            self._session.post(self._url, json={**self._body, "texts": texts}) as response,
        ):
            data = await response.read()
        if response.status != 200:
            raise Failed(f"{response.status}: {data.decode()}")
        header = _header(data)
        received = ["".join(string for string, *_ in pieces) for pieces in header["texts"]]
        if received != list(texts):
            raise Failed(f"the route returned {received} for {texts}")
        return Response(tuple(received), header["prediction"]["probabilities"])


class PageVisitor:
    """A visitor of a page. `async with` opens the page; leaving ends the visit, as closing the tab does.

    request: that of the text boxes, for a Typist.
    """

    def __init__(self, session: ClientSession, address: str, page: str) -> None:
        self._session, self._address = session, check_address(address)
        self._hash, self._query, self._messages = "", "lang=en", {}
        self._page, self._component, self._fragment = page, "", ""
        self.request: Mapping = {}

    async def __aenter__(self) -> PageVisitor:
        address = self._address.replace("http", "ws", 1) + "/_stcore/stream"
        self._socket = await self._session.ws_connect(address, protocols=["streamlit"], max_msg_size=0)
        await self._run(BackMsg())
        if not self.request:
            raise Failed(f"the page {self._page} has no text boxes")
        self._typist = Typist(self._session, self._address, self.request)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._socket.close()

    async def show(self, texts: Sequence[str]) -> None:
        """Gives the page new texts, and waits until they are drawn and the rest of the page follows. Raises Failed."""
        await self._typist.show(texts)
        message = BackMsg()
        state = message.rerun_script.widget_states.widgets.add()
        state.id = _EVENTS.format(self._component)
        state.json_trigger_value = json.dumps([{"event": "texts", "value": {"texts": texts, "selection": {}}}])
        message.rerun_script.fragment_id = self._fragment
        await self._run(message)
        linked = parse_qs(self._query)
        if not all([text] in linked.values() for text in texts):
            raise Failed(f"the page {self._page} links to {linked} instead of {texts}")

    async def _run(self, message: BackMsg) -> None:
        """Runs the page's script or the fragment, and reads everything that it draws."""
        message.rerun_script.page_script_hash = self._hash
        message.rerun_script.page_name = "" if self._hash else self._page
        message.rerun_script.query_string = self._query
        message.rerun_script.cached_message_hashes.extend(self._messages)
        await self._socket.send_bytes(message.SerializeToString())
        async with asyncio.timeout(TIMEOUT):
            while True:
                response = await self._receive()
                match response.WhichOneof("type"):
                    case "navigation":
                        self._hash = response.navigation.page_script_hash
                    case "page_info_changed":
                        self._query = response.page_info_changed.query_string
                    case "delta":
                        self._read(response)
                    case "script_finished" if response.script_finished in _COMPLETE:
                        return
                    case "script_finished" if response.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                        raise Failed(f"the page {self._page} does not compile")

    async def _receive(self) -> ForwardMsg:
        """The next message; of one that the server has sent before, it sends only the hash. Raises Failed."""
        message = await self._socket.receive()
        if message.type is not WSMsgType.BINARY:
            raise Failed("the server closed the connection")
        response = ForwardMsg.FromString(message.data)
        if response.WhichOneof("type") == "ref_hash":
            return self._messages[response.ref_hash]
        if response.metadata.cacheable:
            self._messages[response.hash] = response
        return response

    def _read(self, response: ForwardMsg) -> None:
        """Remembers how to talk to the text boxes. Raises Failed for a traceback or an error box."""
        element = response.delta.new_element
        match element.WhichOneof("type"):
            case "exception":
                raise Failed(element.exception.message)
            case "alert" if element.alert.format == element.alert.ERROR:
                raise Failed(element.alert.body)
            case "bidi_component" if b'"instrument"' in element.bidi_component.bytes:
                self.request = _header(element.bidi_component.bytes)["instrument"]["request"]
                self._component, self._fragment = element.bidi_component.id, response.delta.fragment_id


def _header(data: bytes) -> dict:
    """The JSON at the beginning of what the explorer draws (viz_core/explorer/packing.py)."""
    return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
