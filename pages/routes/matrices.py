"""`POST explorer/matrices`: the projections of a head, the output projection or the feed-forward of a layer, which the
page about the inside of attention fetches when their step is shown; of some models from elsewhere also the hidden layer
of the classifier."""

from __future__ import annotations

import gzip

from starlette.requests import Request
from starlette.responses import Response

from pages.routes.budget import INSIDE
from pages.routes.requests import Posted, failure_response, parse_json, refusal, respond
from pages.shared.cache import load_transformer
from pages.shared.models import find_model
from viz_core.analysis.inside.layer_matrices import MATRIX_STEPS, layer_matrices
from viz_core.explorer.inside import pack_arrays
from viz_core.records import OTHER, Failure
from viz_core.tasks import all_tasks

PATH = "explorer/matrices"  # relative to the address of a page


async def matrices(request: Request) -> Response:
    """Responds to `{"task", "model", "kind", "layer", "head", "step"}`, layer and head from 0 and the step
    one of MATRIX_STEPS, with the arrays of `layer_matrices`, packed by `pack_arrays`."""
    return await respond(request, _response, INSIDE)


def _response(posted: Posted) -> Response:
    match parse_json(posted.body):
        case {
            "task": str(task),
            "model": str(model),
            "kind": str(kind),
            "layer": int(layer),
            "head": int(head),
            "step": str(step),
        } if step in MATRIX_STEPS and type(layer) is type(head) is int:
            info = find_model(task, model) if task in (*all_tasks(), OTHER) else None
        case _:
            return refusal(400, posted.say("inside.matrices_unreadable"))
    if info is None:
        return refusal(404, posted.say("pages.request_unknown_model"))
    try:
        arrays = layer_matrices(load_transformer(info), kind, layer, step, head)
    except Failure as failure:
        return failure_response(failure, posted.say)
    packed = gzip.compress(pack_arrays(arrays, {}), 1, mtime=0)
    return Response(packed, headers={"Content-Encoding": "gzip"}, media_type="application/octet-stream")
