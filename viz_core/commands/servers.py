"""`attention-microscope --servers N`: N servers on this machine behind a proxy of their own, Caddy.

A process that ends is started again. SIGHUP restarts one server after the other, SIGTERM and Ctrl-C end everything.
"""

import errno
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from viz_core.commands.children import Child, Server
from viz_core.commands.proxy import CHECK_SECONDS, caddyfile
from viz_core.folders import CODE
from viz_core.language import Translator
from viz_core.log import set_up_log
from viz_core.records import Failure
from viz_core.servers import MOST_SERVERS, READY, drain_seconds
from viz_core.variables import SERVER

DEFAULT_PORT, BETWEEN_PORTS = 8501, 100  # the servers have the ports 8601, 8701, …: docs/operate.md says why
START_SECONDS, END_SECONDS = 300.0, 15.0  # until the first server is ready; until all have ended, or are killed
_PAUSE = 0.1  # seconds between two looks at the processes
_log = logging.getLogger(__name__)


class Supervisor:
    """Keeps the servers and their proxy running."""

    def __init__(self, servers: Sequence[Server], proxy: Child) -> None:
        self.servers, self.proxy = servers, proxy
        self._is_ending, self._is_rolling = False, False

    def run(self, say: Callable[[], None]) -> None:
        """Run until a signal ends it; `say` is called once the app can be used.

        Raises:
            Failure: If the servers or the proxy cannot be started.
        """
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._obey)
        try:
            self._start()
            if not self._is_ending:
                say()
            while not self._is_ending:
                self._look()
                if self._is_rolling:
                    self._is_rolling = False
                    self._restart_in_turn()
                time.sleep(_PAUSE)
        finally:
            self._end()

    def _obey(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            self._is_rolling = True
        else:
            self._is_ending = True

    def _start(self) -> None:
        for server in self.servers:
            server.start()
        started = self._wait(lambda: any(server.is_ready() for server in self.servers), START_SECONDS, revive=False)
        if not started and not self._is_ending:
            raise Failure("network.servers_ended")
        if started:
            self.proxy.start()
            time.sleep(CHECK_SECONDS)  # a proxy that cannot begin ends at once
            if (status := self.proxy.status()) is not None and not self._is_ending:
                raise Failure("network.proxy_ended", status=status)

    def _look(self) -> None:
        """Start again what has ended. Pages that came from a server which is back go home."""
        for child in (self.proxy, *self.servers):
            child.revive()
        for server in self.servers:
            if server.has_returned(2 * CHECK_SECONDS):  # the proxy knows it by now
                _log.info("%s is ready", server.name)
                for other in self.servers:
                    if other is not server:
                        other.send_guests_home()

    def _restart_in_turn(self) -> None:
        """Restart each server once the one before is back; not the others, if one does not come back."""
        for server in self.servers:
            _log.info("%s restarts", server.name)
            server.restart()
            if not self._wait(server.is_back, drain_seconds() + START_SECONDS):
                if not self._is_ending:
                    _log.error("%s is not ready after its restart: the others stay as they are", server.name)
                return
        _log.info("All servers have been restarted")

    def _wait(self, condition: Callable[[], bool], seconds: float, revive: bool = True) -> bool:
        """Wait for a condition, and go on looking after the processes meanwhile."""
        until = time.monotonic() + seconds
        while not self._is_ending and time.monotonic() < until:
            if condition():
                return True
            if revive:
                self._look()
            elif all(server.status() is not None for server in self.servers):
                return False
            time.sleep(_PAUSE)
        return False

    def _end(self) -> None:
        until = time.monotonic() + END_SECONDS
        for child in (self.proxy, *self.servers):
            child.signal(signal.SIGTERM)
        for child in (self.proxy, *self.servers):
            child.end(until - time.monotonic())


def run_servers(count: int, host: str, public: str, port: int | None, rest: Sequence[str], say: Translator) -> None:
    """Run the servers until a signal ends them.

    Args:
        count: How many.
        host: Address that the proxy is bound to.
        public: The address that people type.
        port: Port of the proxy.
        rest: Further options for `streamlit`.
        say: For what is printed.

    Raises:
        Failure: If they cannot be started.
    """
    if not 2 <= count <= MOST_SERVERS:
        raise Failure("network.servers_number", most=MOST_SERVERS)
    if not hasattr(signal, "SIGUSR1"):
        raise Failure("network.servers_system")
    caddy = shutil.which("caddy")
    if caddy is None:
        raise Failure("network.no_caddy")
    set_up_log("servers")
    port = port or DEFAULT_PORT
    most = 65_535 - count * BETWEEN_PORTS
    if not 0 < port <= most:
        raise Failure("network.port_range", most=most)
    ports = [port + number * BETWEEN_PORTS for number in range(1, count + 1)]
    for address, taken in ((host, port), *(("127.0.0.1", each) for each in ports)):
        _require_free(address, taken)
    base_path = _base_path(rest)
    servers = [
        Server(
            place := f"{number}/{count}",
            each,
            f"{base_path}/{READY}",
            _command(each, public, port, rest),
            _environment(place),
        )
        for number, each in enumerate(ports, 1)
    ]
    with tempfile.TemporaryDirectory(prefix="attention-microscope-") as folder:
        file = Path(folder) / "Caddyfile"
        file.write_text(caddyfile(host, port, [f"127.0.0.1:{each}" for each in ports], base_path), "utf-8")
        command = [caddy, "run", "--config", str(file), "--adapter", "caddyfile"]
        proxy = Child("proxy", command, {**os.environ, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder})
        address = f"http://{public}:{port}{base_path}"
        line = say("network.servers", count=count, address=address, pid=os.getpid())
        Supervisor(servers, proxy).run(lambda: print(line, flush=True))


def _command(port: int, public: str, public_port: int, rest: Sequence[str]) -> list[str]:
    """The command of a server: on this machine only, quiet, and with the address of the proxy for what it prints."""
    options = {
        "--server.headless": "true",
        "--logger.hideWelcomeMessage": "true",
        "--browser.serverAddress": public,
        "--browser.serverPort": str(public_port),
    }
    own = [sys.executable, "-m", "viz_core.commands.serve", "--host", "127.0.0.1", "--port", str(port)]
    return [*own, *(part for option in options.items() for part in option), *rest]


def _environment(place: str) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(CODE), os.environ.get("PYTHONPATH")]))
    return {**os.environ, SERVER: place, "PYTHONPATH": path}


def _base_path(rest: Sequence[str]) -> str:
    """The path that every address begins with, from the options for Streamlit; empty without one."""
    for option, value in zip(rest, [*rest[1:], ""], strict=False):
        name, _, given = option.partition("=")
        if name == "--server.baseUrlPath" and (path := (given or value).strip("/")):
            return f"/{path}"
    return ""


def _require_free(host: str, port: int) -> None:
    """Raise Failure if a port is taken, or may not be used. What else is wrong with an address, the proxy says."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except socket.gaierror:
        return
    for family, kind, protocol, _, address in addresses:
        try:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the servers do
                probe.bind(address)
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                raise Failure("network.port_taken", port=port) from error
