"""The command with `--servers`, and what a test asks of it."""

import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Browser, Page

from tests.browser import PATIENCE, PROJECT
from viz_core.commands.servers import BETWEEN_PORTS

DRAWN = ".explorer[data-drawn]"


@dataclass
class Running:
    """Servers behind their proxy. ports: of the servers."""

    address: str
    ports: list[int]
    supervisor: psutil.Process
    log: Path

    def process(self, port: int) -> psutil.Process | None:
        """The server of a port; None while there is none."""
        for child in self.supervisor.children():
            try:
                if str(port) in child.cmdline():
                    return child
            except psutil.Error:
                continue
        return None

    def pages(self, port: int) -> int:
        """How many pages are open on a server; -1 while it does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as response:
                found = re.search(r"^viz_open_pages (\S+)$", response.read().decode(), re.MULTILINE)
        except OSError:
            return -1
        return int(float(found[1])) if found else -1

    def is_ready(self, port: int) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/ready"):
                return True
        except OSError:
            return False

    def lines(self, text: str) -> int:
        """How many lines of the log have a text."""
        return sum(text in line for line in self.log.read_text("utf-8", "replace").splitlines())

    @contextmanager
    def visitor_at(self, port: int, browser: Browser, path: str, drawn: str) -> Iterator[Page]:
        """The page of a visitor whom the proxy sends to a server: of some visitors, the first."""
        for _ in range(40):
            with closing(browser.new_context(locale="en-GB")) as context:
                page, before = context.new_page(), self.pages(port)
                page.set_default_timeout(1000 * PATIENCE)
                page.goto(f"{self.address}/{path}")
                page.wait_for_selector(drawn)
                if self.pages(port) > before:
                    yield page
                    return
        raise AssertionError(f"of 40 visitors none came to {port}")


def wait(condition: Callable[[], bool], problem: str, pause: Callable[[float], None] = time.sleep) -> None:
    """Waits for a condition, generously: a busy machine takes a minute to start a server."""
    for _ in range(4 * PATIENCE):
        if condition():
            return
        pause(0.5)
    raise AssertionError(problem)


@contextmanager
def running_servers(folder: Path, environment: dict[str, str], count: int = 2) -> Iterator[Running]:
    """Runs the command, until all of its servers are ready. folder: for its log."""
    port, log = _free_port(count), folder / "servers.log"
    command = [sys.executable, "-m", "viz_core.commands.serve", "--servers", str(count), "--port", str(port)]
    with open(log, "wb") as file:
        process = subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=file, stderr=subprocess.STDOUT)
    ports = [port + BETWEEN_PORTS * number for number in range(1, count + 1)]
    running = Running(f"http://localhost:{port}", ports, psutil.Process(process.pid), log)
    try:
        wait(lambda: process.poll() is not None or running.lines("kill -HUP") > 0, "the servers do not start")
        assert process.poll() is None, log.read_text()
        wait(lambda: running.lines("is ready") == count, "a server does not get ready")
        yield running
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
    assert not any(running.is_ready(each) for each in ports), "a server outlives the command"


def _free_port(count: int) -> int:
    for port in range(21000, 29000, 7):
        try:
            for number in range(count + 1):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port + BETWEEN_PORTS * number))
        except OSError:
            continue
        return port
    pytest.fail("no port is free")
