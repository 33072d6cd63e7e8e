"""Whose a run is: the browser's that asked for it, told from others by a cookie that the server sets with the page."""

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
    """Gives a browser that has none its cookie, together with the page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _known(HTTPConnection(scope).cookies):
            await self.app(scope, receive, send)
            return

        async def mark(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append(
                        "set-cookie",
                        f"{COOKIE}={secrets.token_hex(16)}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Lax",
                    )
            await send(message)

        await self.app(scope, receive, mark)


def visitor() -> str:
    """Who asks for a run: one browser; where it takes no cookies, one tab."""
    return _known(st.context.cookies) or st.session_state.setdefault("visitor", secrets.token_hex(16))


def may_change(owner: object) -> bool:
    """Whether this visitor has the buttons that stop or delete what belongs to `owner`."""
    return owner == visitor() or bool(st.session_state.get("others"))


def others_switch(found: list[Run]) -> None:
    """Lets a teacher at the runs of others, where there are any; nobody else touches them by mistake."""
    say = translator()
    if all(run.request.owner == visitor() for run in found):
        return
    if st.toggle(
        say("pages.training_others"), key="others", persist_state="session", help=say("pages.training_others_help")
    ):
        st.caption(f":material/warning: {say('pages.training_others_warning')}")


def _known(cookies: Mapping[str, str]) -> str | None:
    found = str(cookies.get(COOKIE))
    return found if _TOKEN.fullmatch(found) else None
