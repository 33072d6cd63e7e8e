"""`GET health`, `GET ready`: what a proxy asks of each of several servers; and how such a server ends gently.

A server that is to end is no longer ready, so that the proxy sends new connections elsewhere. It ends once no page is
connected, or after a while. The browsers of those that are connect again, at another server, with their link and text.
"""

import asyncio
import logging
import os
import signal

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.routes.sessions import connects_again
from viz_core.servers import HEALTH, READY, drain_seconds, place

_RESTART = 1012  # the code of a web socket whose server restarts: the browser connects again
_log = logging.getLogger(__name__)


class Server:
    """What this server says of itself, and the pages that are connected to it."""

    def __init__(self) -> None:
        self.is_ready, self.is_draining = False, False
        self.pages = set["Page"]()

    async def drain(self, seconds: float) -> None:
        """Takes nobody new, and waits until no page is connected, at most so many seconds."""
        self.is_ready, self.is_draining = False, True
        _log.info("This server ends in %g s, or once none of its %d pages is connected", seconds, len(self.pages))
        for _ in range(int(seconds * 10)):
            if not self.pages:
                return
            await asyncio.sleep(0.1)

    def send_guests_home(self) -> None:
        """Has those pages connect again which did so before: the server from which they came may be back, and takes
        their uploads."""
        guests = [page for page in self.pages if page.is_guest]
        _log.info("%d pages connect again", len(guests))
        for page in guests:
            page.leaving.set()


class Page:
    """A web socket. It can be closed from outside."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.is_guest, self.leaving = connects_again(scope), asyncio.Event()
        self._receive, self._send, self._is_closed = receive, send, False
        self._next: asyncio.Future[Message] | None = None

    async def receive(self) -> Message:
        """The next message of the browser, or that it has left."""
        if self._is_closed:
            return {"type": "websocket.disconnect", "code": _RESTART}
        self._next = self._next or asyncio.ensure_future(self._receive())
        leaving = asyncio.ensure_future(self.leaving.wait())
        try:
            await asyncio.wait([self._next, leaving], return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
        if self._next.done():
            message, self._next = self._next.result(), None
            return message
        self._is_closed = True
        await self._send({"type": "websocket.close", "code": _RESTART})
        return {"type": "websocket.disconnect", "code": _RESTART}

    async def send(self, message: Message) -> None:
        """Sends a message, unless the page is closed already."""
        if not self._is_closed:
            await self._send(message)

    def end(self) -> None:
        """No message is waited for any longer."""
        if self._next:
            self._next.cancel()


this_server = Server()


class Readiness:
    """ASGI middleware that answers both addresses, under any name of the server, and knows the open pages."""

    def __init__(self, app: ASGIApp, base_path: str = "/", server: Server = this_server) -> None:
        self.app, self._server = app, server
        self._paths = {f"{base_path.rstrip('/')}/{name}": name for name in (HEALTH, READY)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = self._paths.get(scope["path"]) if scope["type"] == "http" else None
        if name:
            status = 200 if name == HEALTH or self._server.is_ready else 503
            response = PlainTextResponse("ok" if status == 200 else "not ready", status, {"Cache-Control": "no-store"})
            await response(scope, receive, send)
        elif scope["type"] == "websocket" and place().count > 1:
            await self._connect(Page(scope, receive, send), scope)
        else:
            await self.app(scope, receive, send)

    async def _connect(self, page: Page, scope: Scope) -> None:
        self._server.pages.add(page)
        try:
            await self.app(scope, page.receive, page.send)
        finally:
            self._server.pages.discard(page)
            page.end()


def obey_supervisor(server: Server = this_server) -> None:
    """SIGUSR1 drains and ends this server; at SIGUSR2 it sends its guests home. Not on Windows."""
    if not hasattr(signal, "SIGUSR1"):
        return
    tasks = set[asyncio.Task]()  # which the loop itself does not keep

    async def drain_and_end() -> None:
        await server.drain(drain_seconds())
        os.kill(os.getpid(), signal.SIGTERM)

    def begin() -> None:
        if not server.is_draining:
            tasks.add(asyncio.ensure_future(drain_and_end()))

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, begin)
    loop.add_signal_handler(signal.SIGUSR2, server.send_guests_home)
