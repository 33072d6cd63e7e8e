"""`POST explorer/heads`: the exact weights of a head, which the explorer fetches when somebody chooses it.

A request names the input with its texts, so that no visitor's session is needed: an explanation that is no longer in the
cache is computed again.
"""

from __future__ import annotations

import json

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from pages.shared.models import explained
from viz_core import checkpoints
from viz_core.explorer.packing import Head, pack_heads
from viz_core.language import Translator, closest
from viz_core.records import Failure

PATH = "explorer/heads"  # from the address of a page
MAX_BYTES = 2**20  # of a request; the longest text that a person would paste is some 100 kB


async def heads(request: Request) -> Response:
    """Weights as `packing.pack_heads` makes them, for `{"task", "model", "texts", "heads": [[layer, head], …]}` from 0."""
    say = Translator(closest(request.headers.get("accept-language", "").split(",")[0]))
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            return _refusal(413, say("pages.request_too_long", limit=MAX_BYTES))
    return await run_in_threadpool(_answer, bytes(body), say)


def _answer(body: bytes, say: Translator) -> Response:
    asked = _read(body)
    if asked is None:
        return _refusal(400, say("pages.request_unreadable"))
    task, model, texts, chosen = asked
    listing = next((one for one in checkpoints.usable(task) if one.name == model), None)
    if listing is None:
        return _refusal(404, say("pages.request_unknown_model"))
    try:
        weights = pack_heads(explained(listing, *texts), chosen)
    except Failure as failure:
        return _refusal(422, say(failure.message))
    except ValueError:
        return _refusal(400, say("pages.request_unknown_head", layers=listing.settings.encoder.layers,
                                 heads=listing.settings.encoder.heads))
    # Named, so that Streamlit leaves it as it is: to squeeze half a megabyte to two thirds takes longer than all the rest.
    return Response(weights, headers={"Cache-Control": "no-store", "Content-Encoding": "identity"},
                    media_type="application/octet-stream")


def _read(body: bytes) -> tuple[str, str, list[str], list[Head]] | None:
    """Task, model, texts and heads, each head once; None where the request is anything else."""
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        return None
    match asked:
        case {"task": str(task), "model": str(model), "texts": [*texts], "heads": [*chosen]}:
            known = [type(text) for text in texts] in ([str], [str, str]) and all(
                isinstance(head, list) and [type(number) for number in head] == [int, int] for head in chosen)
            return (task, model, texts, list(dict.fromkeys(map(tuple, chosen)))) if known else None
    return None


def _refusal(status: int, sentence: str) -> Response:
    # In ASCII: a sentence may quote half of a character, which is no UTF-8.
    return Response(json.dumps({"error": sentence}), status, {"Cache-Control": "no-store"}, "application/json")
