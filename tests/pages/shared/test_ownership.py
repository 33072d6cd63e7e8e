"""The cookie that tells one browser from another."""

from __future__ import annotations

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


def client() -> TestClient:
    return TestClient(
        Starlette(routes=[Route("/", page), Route("/script", script)], middleware=[Middleware(VisitorCookie)])
    )


def test_a_browser_gets_its_cookie_with_the_page_and_keeps_it():
    browser = client()
    first = browser.get("/")
    set_once = first.headers["set-cookie"]
    assert "HttpOnly" in set_once and "SameSite=Lax" in set_once
    again = browser.get("/")
    assert len(again.text) == 32 and again.text == browser.cookies[COOKIE] and "set-cookie" not in again.headers


def test_two_browsers_are_two_visitors():
    one, other = client(), client()
    one.get("/"), other.get("/")
    assert one.cookies[COOKIE] != other.cookies[COOKIE]


def test_scripts_and_pictures_bring_none():
    """They are fetched by the dozen, at once: each would bring another one."""
    assert "set-cookie" not in client().get("/script").headers


def test_what_is_no_cookie_of_ours_is_replaced():
    browser = client()
    browser.cookies.set(COOKIE, "somebody else")
    assert COOKIE in browser.get("/").headers["set-cookie"]
