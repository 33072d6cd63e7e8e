"""Who owns a run: the browser that started it, identified by a cookie that the server sets with the page."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared.visitor import translator
from viz_core.jobs.runs import Run

COOKIE = "attention_microscope_visitor"
_TOKEN = re.compile("[0-9a-f]{32}")
_YEAR = 365 * 24 * 3600  # seconds


class VisitorCookie:
    """ASGI middleware that sets the visitor cookie with the first HTML page a browser loads."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or visitor_token(HTTPConnection(scope).cookies):
            await self.app(scope, receive, send)
            return

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append(
                        "set-cookie",
                        f"{COOKIE}={secrets.token_hex(16)}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Lax",
                    )
            await send(message)

        await self.app(scope, receive, send_with_cookie)


def visitor() -> str:
    """The id of this visitor: of the browser, or of the tab where cookies are blocked."""
    return visitor_token(st.context.cookies) or st.session_state.setdefault("visitor", secrets.token_hex(16))


def may_change(owner: object) -> bool:
    """Whether this visitor may stop or delete what belongs to `owner`."""
    return owner == visitor() or bool(st.session_state.get("others"))


def others_switch(runs: list[Run]) -> None:
    """A switch with which a teacher may stop and delete the runs of others; drawn only where there are any."""
    say = translator()
    if all(run.request.owner == visitor() for run in runs):
        return
    if st.toggle(
        say("pages.training_others"), key="others", persist_state="session", help=say("pages.training_others_help")
    ):
        st.caption(f":material/warning: {say('pages.training_others_warning')}")


def visitor_token(cookies: Mapping[str, str]) -> str | None:
    """What the cookie of a browser holds; None without a valid cookie."""
    token = str(cookies.get(COOKIE))
    return token if _TOKEN.fullmatch(token) else None
