"""`POST explorer/heads`: the exact weights of a head, which the explorer fetches when it is selected."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from pages.routes.requests import are_texts, failure_response, parse_json, refusal, respond
from pages.shared.cache import explain_input
from pages.shared.models import find_model
from viz_core.explorer.packed_weights import Head, pack_heads
from viz_core.language import Translator
from viz_core.records import Failure

PATH = "explorer/heads"  # relative to the address of a page


async def heads(request: Request) -> Response:
    """Responds to `{"task", "model", "texts", "heads": [[layer, head], …]}`, from 0, with `pack_heads`."""
    return await respond(request, _response)


def _response(body: bytes, say: Translator) -> Response:
    fields = _read(body)
    if fields is None:
        return refusal(400, say("pages.request_unreadable"))
    task, model, texts, requested = fields
    info = find_model(task, model)
    if info is None:
        return refusal(404, say("pages.request_unknown_model"))
    try:
        weights = pack_heads(explain_input(info, *texts).attention, requested)
    except Failure as failure:
        return failure_response(failure, say)
    except ValueError:
        return refusal(
            400, say("pages.request_unknown_head", layers=info.settings.model.layers, heads=info.settings.model.heads)
        )
    # `identity` keeps Streamlit from compressing, which takes longer than all the rest and saves only a third.
    return Response(weights, headers={"Content-Encoding": "identity"}, media_type="application/octet-stream")


def _read(body: bytes) -> tuple[str, str, list[str], list[Head]] | None:
    """Task, model, texts and heads without duplicates; None if the request is not valid."""
    match parse_json(body):
        case {"task": str(task), "model": str(model), "texts": [*texts], "heads": [*selected]}:
            valid = are_texts(texts) and all(
                isinstance(head, list) and [type(number) for number in head] == [int, int] for head in selected
            )
            return (task, model, texts, list(dict.fromkeys(map(tuple, selected)))) if valid else None
    return None
