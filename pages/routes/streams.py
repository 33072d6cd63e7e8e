"""Responses that are sent piece by piece, for many visitors at once.

A frame is its length (uint32, little-endian), its kind, and as many bytes: JSON, or a packed input of the explorer.
"""

import json
from collections.abc import AsyncIterator, Hashable, Iterator

from anyio import CapacityLimiter, to_thread

from pages.routes.budget import Busy, Share
from viz_core.analysis.turns import Client

JSON, PACKED = 0, 1
MOST_STREAMS, MOST_OF_VISITOR = 64, 4  # more than a class of thirty, or one with some tabs, has at once
MOST_ANONYMOUS = 24
_END = object()


def json_frame(content: object) -> bytes:
    """In ASCII: it may quote a lone surrogate, which UTF-8 cannot encode."""
    return frame(JSON, json.dumps(content, separators=(",", ":")).encode())


def frame(kind: int, content: bytes) -> bytes:
    return len(content).to_bytes(4, "little") + bytes([kind]) + content


class Streams:
    """Computes the frames of many responses in turn: a frame of each, in a thread that all of them share, so that
    neither the event loop nor another route waits for a translation to end. An empty frame is a turn without anything
    to send.

    A newer stream of the same visit ends the older one.
    """

    def __init__(self, most: int = MOST_STREAMS, each: int = MOST_OF_VISITOR) -> None:
        self._share = Share("translations", each, min(MOST_ANONYMOUS, most), most)
        self._running = 0
        self._newest: dict[Hashable, object] = {}
        self._limiter = CapacityLimiter(1)

    @property
    def running(self) -> int:
        return self._running

    async def send(
        self, frames: Iterator[bytes], busy: bytes, visit: Hashable | None, client: Client
    ) -> AsyncIterator[bytes]:
        """The frames, until their end or until a newer stream of this visit. busy: the only frame, if too many streams
        are under way, of everybody or of this visitor."""
        try:
            self._share.take(client)
        except Busy:
            yield busy
            return
        this = object()
        self._running += 1
        if visit is not None:
            self._newest[visit] = this
        try:
            while visit is None or self._newest.get(visit) is this:
                content = await to_thread.run_sync(next, frames, _END, limiter=self._limiter)
                if content is _END:
                    return
                if content:
                    yield content
        finally:
            self._running -= 1
            self._share.give_back(client)
            if visit is not None and self._newest.get(visit) is this:
                del self._newest[visit]
