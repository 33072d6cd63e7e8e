"""Processes that are started again when they end, and servers among them, which say whether they are ready."""

import logging
import math
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException

from viz_core.servers import drain_seconds

# Seconds until a process that has ended is started again: at once, then twice as long each time, unless it lived long.
_FIRST_PAUSE, _LONGEST_PAUSE, _LONG_LIFE = 1.0, 60.0, 60.0
_ASK_EVERY = 0.5  # seconds between two looks at whether a server is ready
_LONGEST_END = 30.0  # seconds that a server may take to end, besides those for its open pages
_log = logging.getLogger(__name__)


class Child:
    """A process, started again whenever it ends."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.name, self._command, self._environment = name, command, environment
        self._process: subprocess.Popen | None = None
        self._started, self._pause, self._due = 0.0, 0.0, 0.0
        self._is_reported = False  # that it has ended

    def start(self) -> None:
        """Start the process."""
        self._process = subprocess.Popen(self._command, env=self._environment)
        self._started, self._is_reported = time.monotonic(), False

    def status(self) -> int | None:
        """With which status it has ended; None while it runs."""
        return self._process.poll() if self._process else None

    def revive(self) -> bool:
        """Start it again if it has ended and it is time to; returns whether it was started."""
        if self._process is None or (status := self._process.poll()) is None:
            return False
        now = time.monotonic()
        if not self._is_reported:
            self._is_reported = True
            self._pause = self._next_pause(now - self._started)
            self._due = now + self._pause
            _log.warning("%s ended with status %d, and is started again in %g s", self.name, status, self._pause)
        if now < self._due:
            return False
        self.start()
        return True

    def signal(self, number: int) -> None:
        """Send a signal, if it runs."""
        if self._process and self._process.poll() is None:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)

    def end(self, seconds: float) -> None:
        """Wait until it has ended; kill it if that takes longer."""
        if self._process is None:
            return
        try:
            self._process.wait(max(seconds, 0.0))
        except subprocess.TimeoutExpired:
            _log.warning("%s does not end and is killed", self.name)
            self._process.kill()
            self._process.wait()

    def _next_pause(self, lived: float) -> float:
        if lived >= _LONG_LIFE:
            return 0.0
        return min(self._pause * 2, _LONGEST_PAUSE) if self._pause else _FIRST_PAUSE


class Server(Child):
    """One of several servers."""

    def __init__(
        self, place: str, port: int, path: str, command: Sequence[str], environment: Mapping[str, str]
    ) -> None:
        super().__init__(f"Server {place}", command, environment)
        self._port, self._path = port, path  # where it says whether it is ready
        self._is_settled = False
        self._asked, self._ready_since = 0.0, math.inf
        self._kill_at = math.inf  # finite between `restart` and its end

    def is_ready(self) -> bool:
        """Whether it takes visitors, as it says itself."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=1.0)
        try:
            connection.request("GET", self._path)
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    def restart(self) -> None:
        """Have it end gently; `revive` starts it again."""
        self._is_settled, self._ready_since = False, math.inf
        self._kill_at = time.monotonic() + drain_seconds() + _LONGEST_END
        self.signal(signal.SIGUSR1)

    def revive(self) -> bool:
        """The same, at once if it was told to end; what does not end then is killed."""
        if self.status() is not None:
            self._is_settled, self._ready_since = False, math.inf
        elif time.monotonic() > self._kill_at:
            _log.warning("%s does not end and is killed", self.name)
            self.signal(signal.SIGKILL)
        if is_started := super().revive():
            self._kill_at = math.inf
        return is_started

    def has_returned(self, seconds: float) -> bool:
        """Whether it has been ready for so long; once after each start."""
        now = time.monotonic()
        if self._is_settled or self._kill_at < math.inf or now < self._asked + _ASK_EVERY:
            return False
        self._asked = now
        self._ready_since = min(self._ready_since, now) if self.is_ready() else math.inf
        self._is_settled = now >= self._ready_since + seconds
        return self._is_settled

    def is_back(self) -> bool:
        """Whether `has_returned` has said so since it was started last."""
        return self._is_settled

    def send_guests_home(self) -> None:
        """Tell it that another server is back. One that starts would be ended by the signal."""
        if self._is_settled:
            self.signal(signal.SIGUSR2)

    def _next_pause(self, lived: float) -> float:
        return 0.0 if self._kill_at < math.inf else super()._next_pause(lived)
