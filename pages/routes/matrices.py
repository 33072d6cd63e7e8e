"""`POST explorer/matrices`: the projections of a head, the output projection or the feed-forward of a layer, which the
page about the inside of attention fetches when their step is shown; of some models from elsewhere also the hidden layer
of the classifier."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from pages.routes.budget import INSIDE
from pages.routes.requests import Posted, gzip_response, handler, read_indices, read_string, respond
from pages.shared.cache import load_transformer
from viz_core.analysis.inside.layer_matrices import MATRIX_STEPS, layer_matrices
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.inside import pack_arrays
from viz_core.language import Translator

PATH = "explorer/matrices"  # relative to the address of a page
_Request = tuple[str, int, str, int]  # kind, layer, step, head


async def matrices(request: Request) -> Response:
    """Responds to `{"task", "model", "kind", "layer", "head", "step"}`, layer and head from 0 and the step
    one of MATRIX_STEPS, with the arrays of `layer_matrices`, packed by `pack_arrays`."""
    return await respond(request, handler("matrices", _read, _answer, "inside.matrices_unreadable"), INSIDE)


def _read(fields: dict[str, Any]) -> _Request:
    layer, head = read_indices([fields["layer"], fields["head"]])
    if fields["step"] not in MATRIX_STEPS:
        raise ValueError("not a step")
    return read_string(fields["kind"]), layer, fields["step"], head


def _answer(requested: _Request, info: CheckpointInfo, say: Translator, posted: Posted) -> Response:
    return gzip_response(pack_arrays(layer_matrices(load_transformer(info), *requested), {}))
