"""How much of uploaded files the server holds: Streamlit bounds each file, but neither their number nor their time."""

import asyncio
import re
from collections.abc import Mapping

import streamlit as st
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.runtime import get_instance

from pages.routes.budget import Busy, Share
from pages.shared.clients import client_of
from viz_core.language import Translator, closest_language

OF_SESSION, IN_ALL = 2, 6  # files of the largest size: the last one of a visit and its successor; of all visits
SECONDS = 600.0  # for a file: 120 MB at 200 kB/s
_PATH = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+$")


class UploadLimit:
    """ASGI middleware that refuses a file if the files of its session, or of all, would take too many bytes."""

    def __init__(self, app: ASGIApp, largest: int | None = None, seconds: float = SECONDS) -> None:
        """largest: bytes of a file, by default Streamlit's setting."""
        self.app = app
        self._largest = largest or st.get_option("server.maxUploadSize") * 2**20
        self._seconds = seconds
        self._arriving = Share("uploads", self._largest * OF_SESSION, 0, self._largest * IN_ALL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        upload = _PATH.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if upload is None:
            await self.app(scope, receive, send)
            return
        headers, session = Headers(scope=scope), upload[1]
        say = Translator(closest_language(headers.get("accept-language", "").split(",")[0]))
        length = headers.get("content-length", "")
        size = min(int(length), self._largest) if re.fullmatch("[0-9]{1,18}", length) else self._largest
        client = client_of(HTTPConnection(scope))._replace(visitor=session)
        held = held_bytes()
        try:
            if held.get(session, 0) + size > self._largest * OF_SESSION or sum(held.values()) + size > (
                self._largest * IN_ALL
            ):
                raise Busy("pages.uploads_full")
            self._arriving.take(client, size)
        except Busy:
            await PlainTextResponse(say("pages.uploads_full"), 503)(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._seconds):
                await self.app(scope, receive, send)
        except TimeoutError:
            late = say("pages.request_too_slow", seconds=self._seconds)
            await PlainTextResponse(late, 408)(scope, receive, send)
        finally:
            self._arriving.give_back(client, size)


def held_bytes() -> Mapping[str, int]:
    """The bytes of all files that Streamlit holds, by session."""
    storage = get_instance().uploaded_file_mgr.file_storage
    return {session: sum(len(file.data) for file in files.copy().values()) for session, files in storage.copy().items()}
