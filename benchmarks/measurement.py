"""What many visitors experienced, and what it cost the server."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import numpy as np
import psutil
from aiohttp import ClientError

from benchmarks.tables import milliseconds, size
from benchmarks.typists import Check, Typing, check
from benchmarks.visitors import Failed

PROXY = "caddy"


@dataclass
class Measurement:
    """What all visitors experienced, and what it cost the server.

    seconds: from a new text until everything is drawn. typings, result: of those who type. cpu: seconds of processor
    time. memory: bytes at the end.
    """

    name: str
    seconds: list[float] = field(default_factory=list)
    typings: list[Typing] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    result: Check | None = None
    duration: float = 0.0
    cpu: float = 0.0
    memory: int = 0

    @contextmanager
    def visit(self) -> Iterator[None]:
        """Counts an error that ends a visit."""
        try:
            yield
        except (Failed, ClientError, TimeoutError) as error:
            self.errors[f"{type(error).__name__} {error}"[:200]] += 1

    @contextmanager
    def response(self, start: float) -> Iterator[None]:
        """Counts what happens within as the response to a text given at `start`, or as an error."""
        with self.visit():
            yield
            self.seconds.append(time.perf_counter() - start)

    def row(self) -> str:
        """A row of the table."""
        p50, p95, p99 = (milliseconds(1000 * value) for value in np.percentile(self.seconds or [np.nan], [50, 95, 99]))
        responses = len(self.seconds)
        cpu = milliseconds(1000 * self.cpu / max(responses, 1))
        return (
            f"| {self.name} | {p50} | {p95} | {p99} | {responses / self.duration:.1f} | {cpu} | {self.errors.total()} "
            f"| {size(self.memory)} |"
        )

    def check(self, alone: Callable[..., Sequence[float]]) -> None:
        """Checks what those who type have received; alone: as in `typists.check`."""
        self.result = check(self.typings, alone)


def table(measurements: Sequence[Measurement]) -> str:
    """Measurements as Markdown; below, errors and whether those who type received what they should."""
    errors = [
        f"- {measurement.name}: {count} × {error}"
        for measurement in measurements
        for error, count in measurement.errors.most_common()
    ]
    header = "| visitors | p50 | p95 | p99 | responses per second | processor time each | errors | memory |"
    checks = [f"- {measurement.name}: {measurement.result}." for measurement in measurements if measurement.result]
    rows = [measurement.row() for measurement in measurements]
    return "\n".join([header, "|---" * 8 + "|", *rows, "", *errors, *checks])


def server_process(address: str) -> psutil.Process:
    """The process that listens at an address. Raises ValueError if there is none of this user."""
    port = urlsplit(address).port
    for connection in psutil.net_connections("tcp"):
        if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port and connection.pid:
            return psutil.Process(connection.pid)
    raise ValueError(f"no server of this user listens at {address}")


def server_processes(address: str) -> list[psutil.Process]:
    """The process that listens at an address; of the proxy of `--servers` also the servers. Raises ValueError."""
    process = server_process(address)
    return process.parent().children() if process.name() == PROXY else [process]
