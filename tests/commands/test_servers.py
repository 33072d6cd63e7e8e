"""Several servers on one machine: what the proxy is told, what is started again and when, what is refused."""

import os
import signal
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from tests.words import english
from viz_core.commands import children, serve, servers
from viz_core.commands.children import Child, Server
from viz_core.commands.proxy import caddyfile
from viz_core.commands.servers import Supervisor, run_servers
from viz_core.records import Failure

TWO = caddyfile("localhost", 8501, ["127.0.0.1:8601", "127.0.0.1:8701"])


def block(text: str, beginning: str) -> list[str]:
    """The lines from one that begins so to the one that closes it, without indentation."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if line.strip().startswith(beginning))
    indent = len(lines[start]) - len(lines[start].lstrip("\t"))
    end = next(number for number in range(start, len(lines)) if lines[number] == "\t" * indent + "}")
    return [line.strip() for line in lines[start : end + 1]]


def test_a_visitor_stays_at_the_server_of_the_signed_cookie():
    site = block(TWO, "http://:8501 {")
    cookie = r"header_regexp Cookie (^|;\s*)attention_microscope_visitor="
    assert site[1:6] == [
        "bind localhost",
        f"@nobody not {cookie}",
        "request_header @nobody X-Microscope-Visitor {remote_host}",
        f"@visitor {cookie}",
        "request_header @visitor X-Microscope-Visitor {http.request.cookie.attention_microscope_visitor}",
    ]
    assert block(TWO, "handle {") == [
        "handle {",
        "reverse_proxy 127.0.0.1:8601 127.0.0.1:8701 {",
        "lb_policy header X-Microscope-Visitor",
        "health_uri /ready",
        "health_interval 1s",
        "health_timeout 10s",
        "lb_try_duration 10s",
        "lb_try_interval 100ms",
        "trusted_proxies 127.0.0.0/8 ::1/128",
        "}",
        "}",
    ]


def test_a_vote_goes_to_the_server_of_the_first_letter_and_else_to_the_others():
    three = caddyfile("", 80, ["app1:8501", "app2:8501", "app3:8501"], "/viz")
    assert "bind" not in three and three.count("@poll") == 6
    assert "@poll2 path_regexp /vote/[^A-Za-z0-9/]*[CGKPSWZcgkpswz][^/]*$" in three
    assert block(three, "handle @poll2 {")[1:4] == [
        "reverse_proxy app2:8501 app1:8501 app3:8501 {",
        "lb_policy first",
        "health_uri /viz/health",
    ]
    assert "health_uri /viz/ready" in block(three, "handle {")


def test_nothing_that_a_visitor_typed_is_in_the_log_of_the_proxy():
    assert block(TWO, "log {") == ["log {", "level ERROR", "exclude http.log http.handlers", "}"]
    assert english("network.no_server_ready") in TWO


@pytest.mark.parametrize(
    ("rest", "path"),
    [
        ([], ""),
        (["--server.baseUrlPath", "/viz/"], "/viz"),
        (["--x", "y", "--server.baseUrlPath=a/b"], "/a/b"),
        (["--server.baseUrlPath"], ""),
    ],
)
def test_the_path_that_addresses_begin_with(rest, path):
    assert servers._base_path(rest) == path


def refusal(count: int = 2, port: int | None = None) -> str:
    with pytest.raises(Failure) as failure:
        run_servers(count, "localhost", "localhost", port, [], english)
    return failure.value.message.key


def test_what_is_missing_is_said(monkeypatch):
    monkeypatch.setattr(servers.shutil, "which", lambda name: "/usr/bin/caddy")
    assert refusal(1) == refusal(21) == "network.servers_number"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert refusal(port=port) == refusal(port=port - servers.BETWEEN_PORTS) == "network.port_taken"
    assert refusal(port=65_336) == refusal(port=-1) == "network.port_range"
    monkeypatch.setattr(servers.shutil, "which", lambda name: None)
    assert refusal() == "network.no_caddy"


class FakeProcess:
    """A process of a machine. It ends at the signals that the machine says."""

    def __init__(self, machine) -> None:
        self.status, self._machine = None, machine
        machine.started.append(self)

    def poll(self) -> int | None:
        return self.status

    def send_signal(self, number: int) -> None:
        self._machine.signals.append(number)
        if number in self._machine.ends_at:
            self.status = -number


@pytest.fixture
def machine(monkeypatch):
    """Processes that are started, signals that are sent, and a clock."""
    machine = SimpleNamespace(started=[], signals=[], ends_at=set(), now=1000.0)
    monkeypatch.setattr(children.subprocess, "Popen", lambda *_, **__: FakeProcess(machine))
    monkeypatch.setattr(children.time, "monotonic", lambda: machine.now)
    return machine


def test_what_ends_at_once_is_started_again_after_growing_pauses(machine):
    child, pauses = Child("proxy", [], {}), []
    child.start()
    for _ in range(9):
        machine.started[-1].status = 1
        ended = machine.now
        while not child.revive():
            machine.now += 1
        pauses.append(machine.now - ended)
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    machine.now += 60  # it lived long
    machine.started[-1].status = 1
    assert child.revive() and not child.revive()


def test_a_server_that_is_told_to_end_is_started_at_once_and_killed_if_it_does_not(machine, monkeypatch):
    monkeypatch.setenv("VIZ_DRAIN_SECONDS", "3")
    monkeypatch.setattr(Server, "is_ready", lambda self: True)
    server = Server("1/2", 1, "/ready", [], {})
    server.start()
    assert not server.has_returned(2) and not server.is_back()
    server.send_guests_home()
    assert machine.signals == [], "the signal would end a server that starts"
    machine.now += 2
    assert server.has_returned(2) and server.is_back() and not server.has_returned(2)
    server.send_guests_home()
    server.restart()
    assert machine.signals == [signal.SIGUSR2, signal.SIGUSR1] and not server.is_back()
    for _ in range(2):
        machine.now += 5
        assert not server.has_returned(2), "it still says that it is ready"
    machine.now += 24
    assert not server.revive() and machine.signals[-1] == signal.SIGKILL
    machine.started[-1].status = -9
    assert server.revive() and len(machine.started) == 2
    assert not server.has_returned(2)
    machine.now += 2
    assert server.has_returned(2)


def test_a_server_that_does_not_come_back_ends_the_restart(machine, monkeypatch):
    pair = [Server(f"{number}/2", 1, "/ready", [], {}) for number in (1, 2)]
    ready = {pair[0]: True, pair[1]: True}
    monkeypatch.setattr(Server, "is_ready", lambda self: ready[self])
    supervisor = Supervisor(pair, Child("proxy", [], {}))

    def pass_time(seconds: float) -> None:
        machine.now += 1

    machine.ends_at.add(signal.SIGUSR1)
    monkeypatch.setattr(servers.time, "sleep", pass_time)
    for server in pair:
        server.start()
    ready[pair[0]] = False
    supervisor._restart_in_turn()
    assert machine.signals == [signal.SIGUSR1], "the second goes on with what it has"
    ready[pair[0]] = True
    machine.signals.clear()
    supervisor._restart_in_turn()
    assert [number for number in machine.signals if number == signal.SIGUSR1] == [signal.SIGUSR1] * 2
    assert all(server.is_back() for server in pair) and len(machine.started) == 5


def test_whether_a_server_is_ready_it_says_itself():
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/viz/ready" else 503)
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as answering:
        threading.Thread(target=answering.serve_forever, daemon=True).start()
        port = answering.server_port
        assert Server("1/2", port, "/viz/ready", [], {}).is_ready()
        assert not Server("1/2", port, "/ready", [], {}).is_ready()
        answering.shutdown()
    assert not Server("1/2", port, "/viz/ready", [], {}).is_ready()


def test_the_command_runs_them_and_each_of_them_shares_a_secret(monkeypatch, tmp_path):
    called, streamlit = [], []
    monkeypatch.setattr(serve, "run_servers", lambda *arguments: called.append(arguments[:5]))
    monkeypatch.setattr(serve.runpy, "run_module", lambda *_, **__: streamlit.append(sys.argv))
    monkeypatch.setattr(serve, "_own_address", lambda: "192.168.1.7")
    for name in ("VIZ_ALONE", "VIZ_SERVER", serve.COOKIE_SECRET):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)

    def run(*arguments: str) -> None:
        monkeypatch.setattr(sys, "argv", ["attention-microscope", *arguments])
        serve.main()

    run("--servers", "3", "--host", "0.0.0.0", "--port", "80", "--logger.level", "info")
    assert called == [(3, "0.0.0.0", "192.168.1.7", 80, ["--logger.level", "info"])] and not streamlit
    assert os.environ["VIZ_ALONE"] == "" and serve.COOKIE_SECRET not in os.environ
    monkeypatch.setenv("VIZ_ALONE", "1")
    monkeypatch.setenv("VIZ_SERVER", "2/3")
    run("--host", "127.0.0.1", "--port", "8701")
    first = os.environ.pop(serve.COOKIE_SECRET)
    assert len(first) == 64 and (tmp_path / "runs/.cookie_key").stat().st_mode & 0o777 == 0o600
    monkeypatch.delenv("VIZ_ALONE")
    run("--host", "127.0.0.1", "--port", "8801")
    assert os.environ[serve.COOKIE_SECRET] == first and len(streamlit) == 2
    assert "VIZ_ALONE" not in os.environ, "of several servers none is alone unless the command says so"
