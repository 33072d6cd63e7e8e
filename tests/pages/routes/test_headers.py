"""The headers of every response."""

import base64
import hashlib

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.routes import headers
from pages.routes.headers import SafetyHeaders


async def page(request: Request) -> Response:
    return HTMLResponse("<title>page</title>", headers={"Content-Security-Policy": "default-src *"})


def response(path: str = "/"):
    return TestClient(Starlette(routes=[Route("/", page)], middleware=[Middleware(SafetyHeaders)])).get(path)


def policy() -> dict[str, str]:
    directives = response().headers["content-security-policy"].split("; ")
    return dict(directive.split(" ", 1) for directive in directives)


@pytest.mark.parametrize("path", ["/", "/missing"])
def test_every_response_has_them_once(path):
    received = response(path).headers
    assert (received["x-content-type-options"], received["referrer-policy"]) == ("nosniff", "same-origin")
    assert len(received.get_list("content-security-policy")) == 1


def test_scripts_come_from_the_server_and_no_text_becomes_one():
    sources = policy()
    assert sources["default-src"] == "'none'" and sources["frame-ancestors"] == "'self'"
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "https:", "data:"} & set(sources["script-src"].split())
    assert {source for value in sources.values() for source in value.split() if "." in source} == set()  # no other host


def test_scripts_in_the_page_and_the_documents_are_allowed_by_their_content(monkeypatch, tmp_path):
    page = "<head><script>let ä = 1</script><script src='x.js'></script></head>"
    monkeypatch.setattr(headers.index, "html", lambda: page)
    documents = tmp_path / "site/zh"
    documents.mkdir(parents=True)
    for folder in (documents.parent, documents):
        (folder / "index.html").write_text("<script>let ö = 2</script><script type='x'>{}</script>", encoding="utf-8")
    monkeypatch.setattr(headers, "DOCUMENTS", documents.parent)
    digests = [hashlib.sha256(script.encode()).digest() for script in ("let ä = 1", "let ö = 2")]
    assert policy()["script-src"].split()[2:] == [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def test_a_course_page_can_be_allowed_to_embed_the_app(monkeypatch):
    monkeypatch.setenv("VIZ_FRAME_ANCESTORS", "https://moodle.school.edu, https://*.edu; script-src *")
    sources = policy()
    assert sources["frame-ancestors"] == "'self' https://moodle.school.edu https://*.edu script-src *"
    assert sources["script-src"].startswith("'self' blob:")
