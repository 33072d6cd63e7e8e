"""`POST explorer/explain`: prediction and attention of the text that a person is typing, at every key."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from pages.routes.budget import TYPING
from pages.routes.packed import pack_input
from pages.routes.requests import Posted, gzip_response, handler, read_texts, respond
from pages.shared.cache import explain_input
from pages.shared.selection import defaults, valid_choices
from viz_core.checkpoints import CheckpointInfo
from viz_core.language import Translator

PATH = "explorer/explain"  # relative to the address of a page
_Request = tuple[tuple[str, ...], dict, str | None]  # texts, selection, visit


async def explain(request: Request) -> Response:
    """Responds to `{"task", "model", "texts", "language"}` with `packing.pack`, without the theme and the messages.

    `selection`, as in a link, may name the heads whose exact weights are included. `visit`, any string, marks the
    requests of a page that replace each other: of those that wait, only the newest is answered.
    """
    answer = handler("explain", _read, _answer, "instrument.request_unreadable", speaks=True)
    return await respond(request, answer, TYPING)


def _read(fields: dict[str, Any]) -> _Request:
    selection, visit = fields.get("selection", {}), fields.get("visit")
    if not isinstance(selection, dict) or not isinstance(visit, str | None):
        raise TypeError("not a request")
    return read_texts(fields["texts"]), selection, visit


def _answer(requested: _Request, info: CheckpointInfo, say: Translator, posted: Posted) -> Response:
    texts, selection, visit = requested
    visitor = (posted.client, visit) if visit is not None else None
    explanation = explain_input(info, *texts, visitor=visitor, client=posted.client, deadline=posted.deadline)
    posted.deadline.check()
    selected = defaults(explanation) | valid_choices(selection, explanation)
    return gzip_response(pack_input(info, explanation, say, None, selected))
