"""Headers of every response, which tell the browser what it must not do with a page."""

import os
import re
from base64 import b64encode
from hashlib import sha256

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.routes import index
from viz_core.folders import DOCUMENTS
from viz_core.variables import FRAME_ANCESTORS

_OWN_PAGES = "'self'"
# As strict as Streamlit allows. Nothing is loaded from elsewhere, no text becomes a script.
_POLICY = {
    "default-src": "'none'",
    # blob: Streamlit imports the scripts of components, and so of our instrument, from memory.
    "script-src": "'self' blob:",
    # 'unsafe-inline': Streamlit's style sheets are written by its scripts (Emotion); Plotly and our components set
    # colours and positions of elements. What a visitor types is never written as HTML.
    "style-src": "'self' 'unsafe-inline'",
    # data: the icon of the page, heat maps of Plotly; blob: a figure that is turned into a file.
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",  # data: the icons of Streamlit's tables
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "object-src": "'none'",
}


class SafetyHeaders:
    """ASGI middleware that adds the headers. frame_ancestors: the pages that may embed the app, as in the policy; by
    default those that the environment names, else only pages of the app itself."""

    def __init__(self, app: ASGIApp, frame_ancestors: str | None = None) -> None:
        self.app = app
        ancestors = read_frame_ancestors() if frame_ancestors is None else frame_ancestors
        scripts = " ".join([_POLICY["script-src"], *map(_hash, _inline_scripts())])
        policy = {**_POLICY, "script-src": scripts, "frame-ancestors": ancestors}
        self._headers = {
            # A file is what the server says it is: nobody's CSV file becomes a script.
            "X-Content-Type-Options": "nosniff",
            # Addresses contain what a visitor typed: no other site learns them.
            "Referrer-Policy": "same-origin",
            "Content-Security-Policy": "; ".join(f"{name} {sources}" for name, sources in policy.items()),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


def _inline_scripts() -> list[str]:
    """The scripts that stand in the page itself, and in the pages of the documents, once each."""
    texts = [index.html(), *(page.read_text(encoding="utf-8") for page in sorted(DOCUMENTS.rglob("*.html")))]
    return list(dict.fromkeys(script for text in texts for script in re.findall("<script>(.*?)</script>", text, re.S)))


def _hash(script: str) -> str:
    """A source that allows exactly this script."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


def may_be_framed() -> bool:
    """Whether pages of other sites may embed the app."""
    return read_frame_ancestors() != _OWN_PAGES


def read_frame_ancestors() -> str:
    """The sources that the environment names: addresses, separated by spaces or commas."""
    named = re.findall(r"[^\s,;]+", os.environ.get(FRAME_ANCESTORS, ""))
    return " ".join([_OWN_PAGES, *named])
