"""The cookie that identifies a browser."""

import stat
from http.cookies import SimpleCookie

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.shared import visitor_cookie
from pages.shared.visitor_cookie import COOKIE, KEY, VisitorCookie, sign, visitor_token


async def page(request: Request) -> Response:
    return HTMLResponse(request.cookies.get(COOKIE, "nobody"))


async def script(request: Request) -> Response:
    return Response("0", media_type="text/javascript")


def client(framed: bool = False) -> TestClient:
    routes = [Route("/", page), Route("/script", script)]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(VisitorCookie, framed=framed)]))


def test_a_browser_gets_its_cookie_with_the_page_and_keeps_it():
    browser = client()
    first = browser.get("/")
    set_cookie = first.headers["set-cookie"]
    assert "HttpOnly" in set_cookie and "SameSite=Lax" in set_cookie
    assert first.headers["cache-control"] == "no-store"
    reload = browser.get("/")
    assert (
        visitor_token(browser.cookies) and reload.text == browser.cookies[COOKIE] and "set-cookie" not in reload.headers
    )


def test_two_browsers_are_two_visitors():
    first, second = client(), client()
    first.get("/"), second.get("/")
    assert first.cookies[COOKIE] != second.cookies[COOKIE]


def test_scripts_and_images_set_no_cookie():
    """They are fetched in parallel: each would set a different cookie."""
    assert "set-cookie" not in client().get("/script").headers


def test_behind_tls_the_cookie_is_sent_nowhere_else():
    secure = TestClient(client().app, "https://testserver").get("/").headers["set-cookie"]
    assert secure.endswith("; Secure") and "Secure" not in client().get("/").headers["set-cookie"]


def test_where_other_sites_may_embed_the_app_each_of_them_has_a_cookie_of_its_own():
    def attributes(address: str, framed: bool) -> set[str]:
        return set(TestClient(client(framed).app, address).get("/").headers["set-cookie"].split("; "))

    assert {"SameSite=Lax", "Secure"} < attributes("https://testserver", False)
    assert {"SameSite=None", "Secure", "Partitioned"} < attributes("https://testserver", True)
    assert "SameSite=Lax" in attributes("http://testserver", True), "browsers refuse the others without encryption"


@pytest.mark.parametrize("cookie", ["somebody", f"{'a' * 32}.{'0' * 32}", f"{'b' * 32}.{'0' * 33}", "é" * 65])
def test_an_invented_cookie_is_replaced_by_another(cookie):
    sent = {"cookie": f"{COOKIE}={cookie}".encode("latin-1")}
    value = SimpleCookie(client().get("/", headers=sent).headers["set-cookie"])[COOKIE].value
    assert visitor_token({COOKIE: cookie}) is None and visitor_token({COOKIE: value}) not in (None, "a" * 32)


def test_a_cookie_of_an_earlier_version_is_signed_and_keeps_its_runs():
    sent = {"cookie": f"{COOKIE}={'a' * 32}"}
    value = SimpleCookie(client().get("/", headers=sent).headers["set-cookie"])[COOKIE].value
    assert visitor_token({COOKIE: value}) == "a" * 32


def test_visitors_are_the_same_after_a_restart_and_others_elsewhere(tmp_path, monkeypatch):
    cookies = {COOKIE: sign("a" * 32)}
    key = tmp_path / "runs" / KEY
    assert stat.S_IMODE(key.stat().st_mode) == 0o600 and [*key.parent.iterdir()] == [key]
    visitor_cookie._key.cache_clear()  # as in a new process
    assert visitor_token(cookies) == "a" * 32
    monkeypatch.setenv("VIZ_RUNS_DIR", str(tmp_path / "others"))
    assert visitor_token(cookies) is None


def test_a_damaged_key_is_made_again(tmp_path):
    key = tmp_path / "runs" / KEY
    key.parent.mkdir()
    key.write_bytes(b"short")
    assert visitor_token({COOKIE: sign("a" * 32)}) and key.stat().st_size == 32


def test_where_no_key_can_be_written_visitors_are_the_same_until_the_end(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").touch()
    monkeypatch.setenv("VIZ_RUNS_DIR", str(tmp_path / "file" / "runs"))
    assert visitor_token({COOKIE: sign("a" * 32)}) == "a" * 32
    assert KEY in caplog.text
