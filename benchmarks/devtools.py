"""Chromium over its own protocol, with nobody listening to its network.

Playwright listens to it, and a page that is listened to keeps a copy of every answer: half a megabyte for each head fetched at
512 tokens, which no visitor's browser keeps. Where memory is measured, the page is driven from here instead.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from websockets.sync.client import ClientConnection, connect

from tests.browser import FLAGS, executable

PATIENCE = 60  # seconds


class Page:
    """One page, and the browser around it."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._asked, self._session = socket, 0, None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Page.enable")

    def send(self, method: str, **parameters: object) -> dict:
        """One command of the protocol and its answer. Raises RuntimeError where the browser refuses it."""
        self._asked += 1
        message = {"id": self._asked, "method": method, "params": parameters}
        self._socket.send(json.dumps(message | ({"sessionId": self._session} if self._session else {})))
        while (answer := json.loads(self._socket.recv(timeout=PATIENCE))).get("id") != self._asked:
            pass  # an event, which nobody waits for
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def evaluate(self, expression: str) -> object:
        """The value of a JavaScript expression, or of what it promises. Raises RuntimeError where it throws."""
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def wait(self, expression: str) -> None:
        """Until an expression is true. Raises TimeoutError."""
        deadline = time.monotonic() + PATIENCE
        while not self.evaluate(f"Boolean({expression})"):
            if time.monotonic() > deadline:
                raise TimeoutError(f"not true after {PATIENCE} s: {expression}")
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """A key that writes a letter."""
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def renderers(self) -> list[int]:
        """The process ids of the browser's renderers."""
        session, self._session = self._session, None  # a question to the browser, not to the page
        processes = self.send("SystemInfo.getProcessInfo")["processInfo"]
        self._session = session
        return [process["id"] for process in processes if process["type"] == "renderer"]


@contextmanager
def page(width: int, height: int) -> Iterator[Page]:
    """A blank page in a browser of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(
            [executable(), *FLAGS, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            with connect(_address(Path(profile)), max_size=None) as socket:
                opened = Page(socket)
                opened.send(
                    "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
                )
                yield opened
        finally:
            browser.terminate()
            browser.wait(timeout=30)


def _address(profile: Path) -> str:
    """Where the browser listens, which it writes down once it does. Raises TimeoutError."""
    file, deadline = profile / "DevToolsActivePort", time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if file.exists() and len(lines := file.read_text().split()) == 2:
            return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        time.sleep(0.05)
    raise TimeoutError(f"the browser does not listen after {PATIENCE} s")
