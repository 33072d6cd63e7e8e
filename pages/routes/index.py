"""`GET` of a page: Streamlit's own page, told where the server is.

Otherwise its script first asks for the server below the page, `/sentiment/_stcore/health`, and waits for two answers of
404 before it looks a level higher. It may still be anywhere, also where a proxy has taken a prefix off the address: all
pages are on one level, as the addresses of its scripts (`./static/…`) require.
"""

from functools import cache
from pathlib import Path

import streamlit as st
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

PATH = "{page:page}"
_HOME = "home"
_SERVER = '<script>window.__streamlit = {BACKEND_BASE_URL: new URL(".", location.href).href}</script>'
_HEAD, _TITLE = "<head>", "<title>Streamlit</title>"


class PageConvertor(Convertor[str]):
    """The last part of the address of a page, or nothing. Streamlit's files have a dot; a login comes back to
    `oauth2callback`."""

    regex = r"(?!oauth2callback$)[^/.]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("page", PageConvertor())


async def index(request: Request) -> Response:
    """The page of every address: its script then asks for what stands there. Home has no name in its address."""
    if request.path_params["page"] == _HOME:
        return RedirectResponse(f"./?{request.url.query}", 308)
    return HTMLResponse(html(), headers={"Cache-Control": "no-cache"})


@cache
def html() -> str:
    """Streamlit's page with the address of the server, and the name of the app until its script says the page's."""
    page = (Path(st.__file__).with_name("static") / "index.html").read_text(encoding="utf-8")
    if _HEAD not in page or _TITLE not in page:
        raise ValueError(f"Streamlit's index.html has no {_HEAD} or no {_TITLE}")
    return page.replace(_HEAD, _HEAD + _SERVER, 1).replace(_TITLE, "<title>Attention Microscope</title>", 1)
