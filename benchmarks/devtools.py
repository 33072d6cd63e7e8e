"""Drives Chromium over the DevTools protocol without listening to its network events.

Playwright listens to them, and then the page keeps a copy of every response: half a megabyte per fetched head at 512
tokens, which no visitor's browser keeps. So memory is measured with this module.
"""

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from websockets.sync.client import ClientConnection, connect

from tests.browser import FLAGS, executable

TIMEOUT = 60  # seconds


class Page:
    """A page and its browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._last_id, self._session = socket, 0, None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Page.enable")

    def send(self, method: str, **parameters: object) -> dict:
        """Sends a command of the protocol and returns its result. Raises RuntimeError if the command fails."""
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": parameters}
        self._socket.send(json.dumps(message | ({"sessionId": self._session} if self._session else {})))
        while (response := json.loads(self._socket.recv(timeout=TIMEOUT))).get("id") != self._last_id:
            pass  # an event
        if "error" in response:
            raise RuntimeError(f"{method}: {response['error']['message']}")
        return response["result"]

    def evaluate(self, expression: str) -> object:
        """The value of a JavaScript expression; promises are awaited. Raises RuntimeError if it throws."""
        response = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in response:
            raise RuntimeError(f"{expression}: {response['exceptionDetails']['exception'].get('description')}")
        return response["result"].get("value")

    def wait(self, expression: str) -> None:
        """Waits until an expression is true. Raises TimeoutError."""
        deadline = time.monotonic() + TIMEOUT
        while not self.evaluate(f"Boolean({expression})"):
            if time.monotonic() > deadline:
                raise TimeoutError(f"not true after {TIMEOUT} s: {expression}")
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """Presses a letter key, or `Backspace`."""
        details = {"key": key, "windowsVirtualKeyCode": 8} if key == "Backspace" else {"key": key, "text": key}
        self.send("Input.dispatchKeyEvent", type="keyDown", **details)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def renderers(self) -> list[int]:
        """The process ids of the browser's renderers."""
        session, self._session = self._session, None  # a command to the browser, not to the page
        processes = self.send("SystemInfo.getProcessInfo")["processInfo"]
        self._session = session
        return [process["id"] for process in processes if process["type"] == "renderer"]


@contextmanager
def page(width: int, height: int) -> Iterator[Page]:
    """A blank page in a new browser."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(
            [executable(whole=True), *FLAGS, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            with connect(_address(Path(profile)), max_size=None) as socket:
                page = Page(socket)
                page.send(
                    "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
                )
                yield page
        finally:
            browser.terminate()
            browser.wait(timeout=30)


def _address(profile: Path) -> str:
    """The address of the browser's DevTools socket, from the file it writes at its start. Raises TimeoutError."""
    file, deadline = profile / "DevToolsActivePort", time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        if file.exists() and len(lines := file.read_text().split()) == 2:
            return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        time.sleep(0.05)
    raise TimeoutError(f"the browser does not listen after {TIMEOUT} s")
