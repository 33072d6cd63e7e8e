"""Who owns a run: the login, or the browser that started it, identified by a cookie that the server sets with the page.

`visitor()` is a hash: the cookie itself never leaves this module.
"""

import re
import secrets
from collections.abc import Callable, Iterable, Mapping

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared.teacher import may_manage_all
from viz_core.jobs import runs
from viz_core.jobs.request import owner_hash
from viz_core.records import Failure

COOKIE = "attention_microscope_visitor"
_TOKEN = re.compile("[0-9a-f]{32}")
_YEAR = 365 * 24 * 3600  # seconds


class VisitorCookie:
    """ASGI middleware that sets the visitor cookie with the first HTML page a browser loads. framed: whether pages of
    other sites may embed the app."""

    def __init__(self, app: ASGIApp, framed: bool = False) -> None:
        self.app, self.framed = app, framed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or visitor_token(HTTPConnection(scope).cookies):
            await self.app(scope, receive, send)
            return

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers["cache-control"] = "no-store"  # no cache on the way gives one visitor's cookie to another
                    cookie = f"{COOKIE}={secrets.token_hex(16)}; Path=/; Max-Age={_YEAR}; HttpOnly"
                    headers.append("set-cookie", f"{cookie}; {self._flags(scope['scheme'])}")
            await send(message)

        await self.app(scope, receive, send_with_cookie)

    def _flags(self, scheme: str) -> str:
        """scheme: "https" also behind a proxy on this machine."""
        if scheme != "https":
            return "SameSite=Lax"
        # Partitioned: the frames of each site get a cookie of their own (CHIPS), so that no site can make requests in
        # the name of somebody who visits the app itself.
        return "SameSite=None; Secure; Partitioned" if self.framed else "SameSite=Lax; Secure"


def visitor() -> str:
    """The owner that this visitor is: of the login, else of the browser, or of the tab where cookies are blocked."""
    user = st.user.to_dict()
    if user.get("is_logged_in") and (name := user.get("sub") or user.get("email")):
        return owner_hash(f"login {user.get('iss')} {name}")
    return owner_hash(
        visitor_token(st.context.cookies) or st.session_state.setdefault("visitor", secrets.token_hex(16))
    )


def is_own(owner: str) -> bool:
    """Whether what belongs to `owner` is this visitor's."""
    return owner == visitor()


def may_change(owner: str) -> bool:
    """Whether this visitor may stop or delete what belongs to `owner`."""
    return is_own(owner) or (may_manage_all() and bool(st.session_state.get("others")))


def check_owner(owner: str) -> None:
    """Raises Failure if this visitor may not change what belongs to `owner`, whatever the page has offered."""
    if not may_change(owner):
        raise Failure("pages.not_yours")


def stop(id: str) -> None:
    """Stops a run. Raises Failure, also if it belongs to somebody else; so do the next ones."""
    _change_run(id, runs.stop)


def resume(id: str) -> None:
    _change_run(id, runs.resume)


def delete(id: str) -> None:
    _change_run(id, runs.delete)


def delete_all(ids: Iterable[str]) -> None:
    """Deletes as many of these runs as possible. Raises the last Failure."""
    failed = None
    for id in ids:
        try:
            delete(id)
        except Failure as failure:
            failed = failure
    if failed:
        raise failed


def _change_run(id: str, action: Callable[[str], object]) -> None:
    check_owner(runs.read(id).request.owner)
    action(id)


def visitor_token(cookies: Mapping[str, str]) -> str | None:
    """What the cookie of a browser holds; None without a valid cookie."""
    token = str(cookies.get(COOKIE))
    return token if _TOKEN.fullmatch(token) else None
