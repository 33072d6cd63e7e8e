"""A process of its own for what might never end: reading anyone's files, waiting for a server.

It answers in lines of JSON. Whoever started it ends it when no line comes for too long.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import IO, cast

from viz_core.folders import CODE

Waiting = Callable[[], object]  # called while somebody waits; whatever it raises ends the wait
TICK = 0.25  # seconds between two calls


class Silence(Exception):
    """The process did not answer in time, or has ended."""


def no_hurry() -> None:
    """Wait without being called off."""


class Apart:
    """A process that runs a module of this project.

    Args:
        module: Name of the module; its `main` answers by the function from `answering`.
        arguments: Of its command line.
        environment: Variables that it has besides ours.
    """

    def __init__(self, module: str, *arguments: str, **environment: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=CODE,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._questions, self._answers = cast(IO[str], self._process.stdin), cast(IO[str], self._process.stdout)
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        for line in self._answers:
            self._lines.put(line)
        self._lines.put("")

    def ask(self, *values: object) -> None:
        """Send the process a line.

        Raises:
            Silence: If it has ended.
        """
        try:
            print(json.dumps(values), file=self._questions, flush=True)
        except OSError as error:
            raise Silence from error

    def hear(self, seconds: float, waiting: Waiting = no_hurry) -> object:
        """Return the next answer.

        Args:
            seconds: How long to wait for it.
            waiting: Called meanwhile, about every TICK.

        Raises:
            Silence: If there is none.
        """
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            waiting()
            with suppress(Empty):
                if line := self._lines.get(timeout=min(left, TICK)):
                    return json.loads(line)
                break
        raise Silence

    @property
    def has_ended(self) -> bool:
        """Whether it has ended by itself."""
        return self._process.poll() is not None

    def end(self) -> None:
        """End the process at once, whatever it does."""
        self._process.kill()
        self._process.wait()
        self._listener.join()
        self._answers.close()
        with suppress(OSError):  # what was not sent is lost
            self._questions.close()


def answering() -> Callable[[object], None]:
    """Return the function by which such a process answers, with standard output for that alone.

    What libraries print goes to standard error.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return lambda value: print(json.dumps(value, default=vars), file=answers, flush=True)
