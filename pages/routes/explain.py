"""`POST explorer/explain`: prediction and attention of the text that a person is typing, at every key."""

from __future__ import annotations

import gzip

from starlette.requests import Request
from starlette.responses import Response

from pages.routes.budget import TYPING
from pages.routes.packed import pack_input
from pages.routes.requests import Posted, are_texts, failure_response, parse_json, refusal, respond
from pages.shared.cache import explain_input
from pages.shared.models import find_model
from pages.shared.selection import defaults, valid_choices
from viz_core.language import LANGUAGES, Translator
from viz_core.records import OTHER, Failure
from viz_core.tasks import CLASSIFICATION, all_tasks

PATH = "explorer/explain"  # relative to the address of a page


async def explain(request: Request) -> Response:
    """Responds to `{"task", "model", "texts", "language"}` with `packing.pack`, without the theme and the messages.

    `selection`, as in a link, may name the heads whose exact weights are included. `visit`, any string, marks the
    requests of a page that replace each other: of those that wait, only the newest is answered.
    """
    return await respond(request, _response, TYPING)


def _response(posted: Posted) -> Response:
    fields = _read(posted.body)
    if fields is None:
        return refusal(400, posted.say("instrument.request_unreadable"))
    task, model, texts, language, selection, visit = fields
    say = Translator(language)
    info = find_model(task, model) if task in (*all_tasks(CLASSIFICATION), OTHER) else None
    if info is None:
        return refusal(404, say("pages.request_unknown_model"))
    try:
        explanation = explain_input(info, *texts, visitor=visit)
        posted.deadline.check()
        selected = defaults(explanation) | valid_choices(selection, explanation)
        packed = pack_input(info, explanation, say, None, selected)
    except Failure as failure:
        return failure_response(failure, say)
    # The fastest level: a millisecond for a third to a half of the bytes; Streamlit's own takes thirty times as long.
    return Response(
        gzip.compress(packed, 1, mtime=0), headers={"Content-Encoding": "gzip"}, media_type="application/octet-stream"
    )


def _read(body: bytes) -> tuple[str, str, list[str], str, dict, str | None] | None:
    """Task, model, texts, language, selection and visit; None if the request is not valid."""
    match parse_json(body):
        case {"task": str(task), "model": str(model), "texts": [*texts], "language": str(language), **others}:
            selection, visit = others.get("selection", {}), others.get("visit")
            valid = are_texts(texts) and language in LANGUAGES and isinstance(selection, dict)
            valid = valid and isinstance(visit, str | None)
            return (task, model, texts, language, selection, visit) if valid else None
    return None
