"""How often the pages of a visitor are drawn again: in turn, and not more often than the server can do for everybody.

Each message of a page has its script run again, which is Python and shares one interpreter with everything else.
"""

import asyncio
import time
from asyncio import Semaphore
from collections.abc import Callable, Hashable
from weakref import WeakValueDictionary

from google.protobuf.message import DecodeError
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.shared.clients import Rate, client_of, held
from viz_core.analysis.turns import Client

# Messages: a training that is watched in some tabs asks twice a second in each; a class behind one router watches one.
OF_VISITOR, OF_ADDRESS = (40, 0.1), (400, 0.02)  # burst, seconds for one more
RUNS_OF_ADDRESS = 2  # at once; of a visitor one
LONGEST_TURN = 1.0  # seconds: a run that takes longer waits for something else than the interpreter, or may be stopped
_FINISHED_BYTES = 200  # more than the message has with which a run ends


class Reruns:
    """ASGI middleware that lets messages of web sockets wait: for the rate of their visitor and their address, and
    those that run a script for its turn."""

    def __init__(
        self, app: ASGIApp, clock: Callable[[], float] = time.monotonic, sleep: Callable = asyncio.sleep
    ) -> None:
        self.app, self._sleep = app, sleep
        self._visitors, self._addresses = Rate(*OF_VISITOR, clock), Rate(*OF_ADDRESS, clock)
        self._semaphores = WeakValueDictionary[Hashable, Semaphore]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        client, turn = client_of(HTTPConnection(scope)), _Turn(self._semaphores)

        async def receive_in_turn() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive":
                await self._wait_for_rate(client)
                if _runs_script(message):
                    await turn.begin(client)
            return message

        async def send_and_end_turn(message: Message) -> None:
            if _ends_script(message):
                turn.end()
            await send(message)

        try:
            await self.app(scope, receive_in_turn, send_and_end_turn)
        finally:
            turn.end()

    async def _wait_for_rate(self, client: Client) -> None:
        for rate, key in ((self._visitors, client), (self._addresses, client.address)):
            while seconds := rate.take(key):
                held.note(client)
                await self._sleep(seconds)


class _Turn:
    """The turn of a web socket, in which its script runs, and runs again where a message interrupts it."""

    def __init__(self, semaphores: WeakValueDictionary[Hashable, Semaphore]) -> None:
        self._all, self._held = semaphores, list[Semaphore]()
        self._timer: asyncio.TimerHandle | None = None

    async def begin(self, client: Client) -> None:
        """Waits for a turn, unless it is this socket's; it ends by itself after LONGEST_TURN."""
        if self._held:
            return
        waited_for = [self._semaphore(client, 1), self._semaphore(client.address, RUNS_OF_ADDRESS)]
        taken = list[Semaphore]()
        try:
            for semaphore in waited_for:
                await semaphore.acquire()
                taken.append(semaphore)
        except asyncio.CancelledError:
            for semaphore in taken:
                semaphore.release()
            raise
        self._held = taken
        self._timer = asyncio.get_running_loop().call_later(LONGEST_TURN, self.end)

    def end(self) -> None:
        if self._timer:
            self._timer.cancel()
        while self._held:
            self._held.pop().release()

    def _semaphore(self, key: Hashable, runs: int) -> Semaphore:
        return self._all.setdefault(key, Semaphore(runs))


def _runs_script(message: Message) -> bool:
    """Whether a message of a browser has a script run."""
    try:
        return BackMsg.FromString(message.get("bytes") or b"").HasField("rerun_script")
    except DecodeError:  # Streamlit closes the web socket
        return False


def _ends_script(message: Message) -> bool:
    """Whether with a message to the browser a script has run to its end, and does not begin anew."""
    content = message.get("bytes") or b""
    if not 0 < len(content) <= _FINISHED_BYTES:
        return False
    sent = ForwardMsg.FromString(content)
    return sent.HasField("script_finished") and sent.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
