"""`POST explorer/heads`: the exact weights of a head, which the explorer fetches when somebody chooses it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from pages.routes.requests import answered, are_texts, named, parsed, refusal
from pages.shared.cache import explain_input
from viz_core.explorer.packing import Head, pack_heads
from viz_core.language import Translator
from viz_core.records import Failure

PATH = "explorer/heads"  # from the address of a page


async def heads(request: Request) -> Response:
    """Weights as `packing.pack_heads` makes them, for `{"task", "model", "texts", "heads": [[layer, head], …]}` from 0."""
    return await answered(request, _answer)


def _answer(body: bytes, say: Translator) -> Response:
    asked = _read(body)
    if asked is None:
        return refusal(400, say("pages.request_unreadable"))
    task, model, texts, chosen = asked
    info = named(task, model)
    if info is None:
        return refusal(404, say("pages.request_unknown_model"))
    try:
        weights = pack_heads(explain_input(info, *texts), chosen)
    except Failure as failure:
        return refusal(422, say(failure.message))
    except ValueError:
        return refusal(
            400,
            say("pages.request_unknown_head", layers=info.settings.model.layers, heads=info.settings.model.heads),
        )
    # Named, so that Streamlit leaves it as it is: to squeeze half a megabyte to two thirds takes longer than all the rest.
    return Response(weights, headers={"Content-Encoding": "identity"}, media_type="application/octet-stream")


def _read(body: bytes) -> tuple[str, str, list[str], list[Head]] | None:
    """Task, model, texts and heads, each head once; None where the request is anything else."""
    match parsed(body):
        case {"task": str(task), "model": str(model), "texts": [*texts], "heads": [*chosen]}:
            known = are_texts(texts) and all(
                isinstance(head, list) and [type(number) for number in head] == [int, int] for head in chosen
            )
            return (task, model, texts, list(dict.fromkeys(map(tuple, chosen)))) if known else None
    return None
