"""The cookie by which a browser is one visitor: 32 hex digits that the server has made and signed.

The key is a file beside the runs, so that visitors stay the same after a restart.
"""

import hmac
import re
import secrets
from collections.abc import Mapping
from functools import cache

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from viz_core.jobs.run_folder import folder
from viz_core.secret_key import read_or_make
from viz_core.servers import VISITOR_COOKIE as COOKIE

KEY = ".visitor_key"  # in the folder of the runs
_SIGNED, _UNSIGNED = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{32})"), re.compile("[0-9a-f]{32}")
_YEAR = 365 * 24 * 3600  # seconds
_key = cache(read_or_make)


class VisitorCookie:
    """ASGI middleware that sets the visitor cookie with the first HTML page a browser loads. framed: whether pages of
    other sites may embed the app.

    A cookie without signature, as earlier versions set it, is signed with the next page: its browser keeps its runs.
    """

    def __init__(self, app: ASGIApp, framed: bool = False) -> None:
        self.app, self.framed = app, framed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        cookies = HTTPConnection(scope).cookies if scope["type"] == "http" else {}
        if scope["type"] != "http" or visitor_token(cookies):
            await self.app(scope, receive, send)
            return

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers["cache-control"] = "no-store"  # no cache on the way gives one visitor's cookie to another
                    old = str(cookies.get(COOKIE))
                    value = sign(old if _UNSIGNED.fullmatch(old) else secrets.token_hex(16))
                    cookie = f"{COOKIE}={value}; Path=/; Max-Age={_YEAR}; HttpOnly"
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


def sign(token: str) -> str:
    """The cookie of a visitor: the token and its signature."""
    return f"{token}.{hmac.digest(_key(folder() / KEY), token.encode(), 'sha256').hex()[:32]}"


def visitor_token(cookies: Mapping[str, str]) -> str | None:
    """The token in the cookie of a browser; None without a cookie that this server has signed."""
    cookie = str(cookies.get(COOKIE))
    found = _SIGNED.fullmatch(cookie)
    return found[1] if found and hmac.compare_digest(sign(found[1]), cookie) else None
