"""Foreign hosts and origins are refused, for requests and for web sockets; those of the server itself are not."""

import socket

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from pages.routes import access
from pages.routes.access import Access
from tests.words import says

OWN_ADDRESSES = access.own_addresses


async def page(request: Request) -> Response:
    return PlainTextResponse("served")


async def echo(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text("served")
    await websocket.close()


def client(host: str = "localhost:8501", arrived: str = "192.168.1.5", names: str | None = None) -> TestClient:
    """A browser that calls the server by this host; the request arrives at an address of the machine."""
    app = Starlette(
        routes=[Route("/", page, methods=["GET", "POST"]), Route("/_stcore/metrics", page), WebSocketRoute("/s", echo)],
        middleware=[Middleware(Access, None if names is None else names.split())],
    )
    named = TestClient(app, f"http://{arrived}:8501")
    named.headers["host"] = host
    return named


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8501",
        "viz.localhost",
        "127.0.0.1:8501",
        "127.9.9.9",
        "[::1]:8501",
        "192.168.1.5:8501",
        socket.gethostname(),
        f"{socket.gethostname().partition('.')[0]}.local:8501",
    ],
)
def test_the_server_knows_its_own_names(host):
    assert client(host, names="").get("/").text == "served"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8501",
        "localhost.evil.example",
        "evil.localhost.example",
        "192.168.1.6:8501",
        "8.8.8.8",
        "evil.example@localhost",
        "localhost/evil.example",
        "localhost?evil",
        "localhost:port",
        "[::1",
        "",
        "0",
    ],
)
def test_foreign_hosts_are_refused(host, caplog):
    response = client(host, names="").get("/")
    assert response.status_code == 403 and says(response.text, "pages.host_refused", variable="VIZ_HOSTS")
    assert "Refused the host" in caplog.text


@pytest.mark.parametrize(
    ("names", "host", "status"),
    [
        ("viz.school.edu", "viz.school.edu", 200),
        ("viz.school.edu", "VIZ.school.edu.:443", 200),
        ("viz.school.edu", "evil.school.edu", 403),
        ("a.edu *.school.edu", "viz.school.edu", 200),
        ("*.school.edu", "school.edu", 403),
        ("*.school.edu", "evilschool.edu", 403),
        ("*", "anything.example", 200),
    ],
)
def test_hosts_can_be_named(monkeypatch, names, host, status):
    assert client(host, names=names).get("/").status_code == status
    monkeypatch.setenv("VIZ_HOSTS", names.replace(" ", ", "))
    assert client(host).get("/").status_code == status


@pytest.mark.parametrize(
    ("origin", "host", "names", "status"),
    [
        ("http://localhost:8501", "localhost:8501", "", 200),
        ("https://viz.school.edu", "viz.school.edu", "viz.school.edu", 200),
        ("https://viz.school.edu", "localhost:8501", "viz.school.edu", 200),  # a proxy that does not pass on its name
        ("http://localhost:9999", "localhost:8501", "", 403),  # another app of the same machine
        ("http://evil.example", "localhost:8501", "", 403),
        ("http://evil.example", "localhost:8501", "*", 403),
        ("http://evil.example", "evil.example", "", 403),
        ("null", "localhost:8501", "", 403),
        ("http://[", "localhost:8501", "", 403),
        ("", "localhost:8501", "", 403),
    ],
)
def test_only_pages_of_its_own_may_use_the_server(origin, host, names, status):
    browser = client(host, names=names)
    assert browser.post("/", headers={"origin": origin}).status_code == status
    if status == 200:
        with browser.websocket_connect("/s", headers={"origin": origin}) as socket:
            assert socket.receive_text() == "served"
    else:
        with pytest.raises(WebSocketDisconnect), browser.websocket_connect("/s", headers={"origin": origin}):
            pass


def test_web_sockets_of_a_foreign_host_are_refused():
    with pytest.raises(WebSocketDisconnect), client("evil.example").websocket_connect("/s"):
        pass


def test_an_address_of_ipv4_that_arrives_as_ipv6_is_the_same():
    app = Access(page, [])
    scope = {"server": ("::ffff:192.168.1.5", 8501)}
    assert app._is_own("192.168.1.5:8501", scope) and not app._is_own("192.168.1.6:8501", scope)


def test_a_refusal_is_in_the_language_of_the_browser():
    response = client("evil.example", names="").get("/", headers={"accept-language": "zh-CN,zh;q=0.9"})
    assert says(response.text, "pages.host_refused", "zh", host="evil.example")


def test_figures_of_the_server_are_nobodys_business():
    assert client().get("/_stcore/metrics").status_code == 404


def test_of_several_servers_each_is_called_by_the_addresses_of_this_machine(monkeypatch):
    monkeypatch.setattr(access, "own_addresses", lambda: {"192.168.1.7", "fe80::1"})
    for place, status in (("", 403), ("1/2", 200)):
        monkeypatch.setenv("VIZ_SERVER", place)
        assert client("192.168.1.7:8501", arrived="127.0.0.1").get("/").status_code == status
        assert client("192.168.1.8:8501", arrived="127.0.0.1").get("/").status_code == 403
    assert "127.0.0.1" in OWN_ADDRESSES()
