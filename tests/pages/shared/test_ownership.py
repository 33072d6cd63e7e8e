"""The cookie that identifies a browser."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.shared.ownership import COOKIE, VisitorCookie


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
    assert len(reload.text) == 32 and reload.text == browser.cookies[COOKIE] and "set-cookie" not in reload.headers


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


def test_an_invalid_cookie_is_replaced():
    browser = client()
    browser.cookies.set(COOKIE, "somebody else")
    assert COOKIE in browser.get("/").headers["set-cookie"]
