"""How often the pages of a visitor are drawn again: in turn, and not more often than the server can do for everybody.

Each message of a page has its script run again, which is Python and shares one interpreter with everything else. It
interrupts the run before, and with it what that run had yet to do: Streamlit forgets a button that was pressed once a
run began. So after a button, or what acts as one, the next message waits for the end.
"""

import asyncio
import time
from asyncio import Semaphore
from collections.abc import Callable, Hashable
from contextlib import suppress
from weakref import WeakValueDictionary

from google.protobuf.message import DecodeError
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.routes.sessions import connects_again
from pages.shared.clients import Rate, client_of, held
from viz_core.analysis.turns import Client

# Messages: a training that is watched in some tabs asks twice a second in each; a class behind one router watches one.
OF_VISITOR, OF_ADDRESS = (40, 0.1), (400, 0.02)  # burst, seconds for one more
RUNS_OF_ADDRESS = 2  # at once; of a visitor one
LONGEST_TURN = 1.0  # seconds: a run that takes longer waits for something else than the interpreter, or may be stopped
LONGEST_CLICK = 3.0  # seconds that a message waits for the run of a button, which may compute for long
LONGEST_FIRST = 30.0  # the same for the first run of a page at a server that does not know it
# Reports that act as a button: the next card of a lesson, the page of a weight, of a head or of an input.
_PRESSES = tuple(f'"event":"{name}"' for name in ("go", "inside", "open", "explore"))
_TRIGGER = "trigger_value"  # the end of the names of what a widget reports once
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
        is_unknown, following = connects_again(scope), None

        async def receive_in_turn() -> Message:
            nonlocal is_unknown, following
            message, following = following or await receive(), None
            if message["type"] == "websocket.receive":
                await self._wait_for_rate(client)
                if rerun := _rerun_of(message):
                    is_first, is_unknown = is_unknown and rerun.fragment_id != "", False
                    if is_first:
                        message, following = _of_whole_page(rerun), message
                    await turn.begin(client, LONGEST_FIRST if is_first else LONGEST_CLICK * _presses_button(rerun))
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
        self._pressed: asyncio.Event | None = None  # of a run that nothing interrupts, as of a button; set at its end
        self._longest = 0.0  # seconds for which the next message waits for it

    async def begin(self, client: Client, longest: float = 0.0) -> None:
        """Waits for the end of a run that nothing interrupts, and for a turn, unless it is this socket's; that ends by
        itself after LONGEST_TURN. longest: seconds that the next message waits for this run; 0 if it interrupts it."""
        if self._pressed:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._pressed.wait(), self._longest)
        self._pressed, self._longest = asyncio.Event() if longest else None, longest
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
        self._timer = asyncio.get_running_loop().call_later(LONGEST_TURN, self._pass_on)

    def end(self) -> None:
        """The script has run to its end."""
        if self._pressed:
            self._pressed.set()
        self._pass_on()

    def _pass_on(self) -> None:
        if self._timer:
            self._timer.cancel()
        while self._held:
            self._held.pop().release()

    def _semaphore(self, key: Hashable, runs: int) -> Semaphore:
        return self._all.setdefault(key, Semaphore(runs))


def _rerun_of(message: Message) -> ClientState | None:
    """What a message of a browser has a script run with; None if it does not."""
    try:
        sent = BackMsg.FromString(message.get("bytes") or b"")
    except DecodeError:  # Streamlit closes the web socket
        return None
    return sent.rerun_script if sent.HasField("rerun_script") else None


def _of_whole_page(rerun: ClientState) -> Message:
    """A message that has the whole page drawn before what happened in a fragment of it is handled.

    A server that was started meanwhile, or another, knows no fragment of a page whose script it has not run, and drops
    what is reported to it. The browser does not always ask for that run when it connects again.
    """
    sent = BackMsg(rerun_script=rerun)
    sent.rerun_script.fragment_id = ""
    kept = [widget for widget in rerun.widget_states.widgets if not str(widget.WhichOneof("value")).endswith(_TRIGGER)]
    del sent.rerun_script.widget_states.widgets[:]
    sent.rerun_script.widget_states.widgets.extend(kept)
    return {"type": "websocket.receive", "bytes": sent.SerializeToString()}


def _presses_button(rerun: ClientState) -> bool:
    return any(
        widget.trigger_value or any(press in widget.json_trigger_value for press in _PRESSES)
        for widget in rerun.widget_states.widgets
    )


def _ends_script(message: Message) -> bool:
    """Whether with a message to the browser a script has run to its end, and does not begin anew."""
    content = message.get("bytes") or b""
    if not 0 < len(content) <= _FINISHED_BYTES:
        return False
    sent = ForwardMsg.FromString(content)
    return sent.HasField("script_finished") and sent.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
