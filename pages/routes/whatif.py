"""`POST explorer/interventions`: the model's prediction, or the similarity of its embedding, after changes to its heads
or its input, for what-if."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from pages.routes.budget import WHATIF, long_turns
from pages.routes.requests import Posted, handler, read_indices, read_list, read_texts, respond
from pages.shared.cache import explain_input, load_model
from viz_core.analysis.control import head_control, is_quick
from viz_core.analysis.whatif import Changes, Row, attention_row, head_effects, outcomes
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.language import Translator
from viz_core.records import Explanation, Failure, HeadControl

PATH = "explorer/interventions"  # relative to the address of a page
IF_QUICK = "if_quick"
HEADS, TOKENS = ("masked", "uniform"), ("removed", "deleted", "unknown", "blocked")


@dataclass(frozen=True)
class WhatIfRequest:
    """row: the attention row to return. control, effects: whether to add them, for the class `tracked`; None for the
    predicted one. if_quick: whether to leave out a control that would take too long."""

    texts: tuple[str, ...]
    changes: Changes
    row: Row | None
    control: bool
    effects: bool
    tracked: int | None = None
    if_quick: bool = False


async def whatif(request: Request) -> Response:
    """Responds to `{"task", "model", "texts"}` with any of the following fields; all indices count from 0.

    The response has `original`, `probabilities` and `predicted`; of a model without a classifier `similarity`, the
    cosine of its embedding and the unchanged one. The classes of a model that predicts tokens are the likeliest ones
    without changes; `predicted` is -1 if it is none of these now, and `likeliest` its name.

    Changes: `masked` and `uniform` heads `[[layer, head], …]`; `removed`, `deleted`, `unknown` and `blocked` tokens
    `[index, …]`; edited `rows` `[[layer, head, query, [weight, …]], …]`. Also returned on request: the attention of a
    `row` `[layer, head, query]`, the comparison with random heads (`control`), the effect of masking each head
    (`effects`); both of the probability of the class `tracked`, by default the predicted one. With `control`
    `if_quick`, a comparison that takes longer than a visitor waits is left out, and `slow` is true.
    """
    return await respond(request, handler("whatif", _read, _answer, "whatif.request_unreadable"), WHATIF)


def _answer(requested: WhatIfRequest, info: CheckpointInfo, say: Translator, posted: Posted) -> Response:
    checkpoint, client, deadline = load_model(info), posted.client, posted.deadline
    explanation = explain_input(info, *requested.texts, client=client, deadline=deadline)
    with long_turns.turn(client, deadline) as between_passes:
        return JSONResponse(_predict(checkpoint, explanation, requested, between_passes))


def _predict(
    checkpoint: Checkpoint, explanation: Explanation, request: WhatIfRequest, between_passes: Callable[[], None]
) -> dict:
    """Raises Failure, also TimedOut. After each pass, other requests have their turn."""
    encoding, changes = explanation.encoding, request.changes
    values = outcomes(checkpoint, encoding, [changes])[0]
    if explanation.has_prediction:
        label = explanation.predicted if request.tracked is None else request.tracked
        if label not in range(len(explanation.probabilities)):
            raise Failure("whatif.request_unreadable")
        result: dict[str, Any] = {"original": explanation.probabilities.tolist()}
        if explanation.label_ids:
            likeliest, ids = int(values.argmax()), explanation.label_ids
            values, label = values[[*ids]], ids[label]
            result["likeliest"] = checkpoint.text_encoder.token(likeliest)
            result["predicted"] = ids.index(likeliest) if likeliest in ids else -1
        else:
            result["predicted"] = replace(explanation, probabilities=values).predicted
        result["probabilities"] = values.tolist()
    else:
        label, result = 0, {"similarity": float(values[0])}
    if request.row:
        result["row"] = np.round(attention_row(checkpoint, encoding, changes, request.row), 6).tolist()
    if request.if_quick and not is_quick(checkpoint, len(encoding.ids)):
        result["slow"] = True
    elif request.control:
        control = head_control(checkpoint, encoding, changes, label, between_passes=between_passes)
        result["control"] = _control_fields(control)
    if request.effects:
        result["effects"] = head_effects(checkpoint, encoding, label, between_passes).tolist()
    return result


def _control_fields(control: HeadControl | None) -> dict | None:
    names = ("heads", "without", "changed", "mean", "spread", "low", "high", "verdict", "complete")
    return control and {"draws": len(control.draws), **{name: getattr(control, name) for name in names}}


def _read(fields: dict[str, Any]) -> WhatIfRequest:
    row = fields.get("row")
    return WhatIfRequest(
        read_texts(fields["texts"]),
        read_changes(fields),
        row and read_indices(row, 3),
        fields.get("control") in (True, IF_QUICK),
        fields.get("effects") is True,
        None if fields.get("tracked") is None else read_indices([fields["tracked"]], 1)[0],
        fields.get("control") == IF_QUICK,
    )


def read_changes(fields: Mapping) -> Changes:
    """The changes among the fields of a request. Raises TypeError or ValueError if they are not valid."""
    heads = {name: frozenset(read_indices(head, 2) for head in read_list(fields.get(name, []))) for name in HEADS}
    tokens = {name: frozenset(read_indices(read_list(fields.get(name, [])))) for name in TOKENS}
    rows = {}
    for entry in read_list(fields.get("rows", [])):
        *index, weights = read_list(entry)
        if not {type(weight) for weight in read_list(weights)} <= {int, float}:
            raise TypeError("weights are numbers")
        rows[read_indices(index, 3)] = np.array(weights, np.float64)
    return Changes(**heads, **tokens, rows=rows)


def write_changes(changes: Changes) -> dict[str, list]:
    """The fields of a request with these changes."""
    return {
        **{name: [list(head) for head in sorted(getattr(changes, name))] for name in HEADS},
        **{name: sorted(getattr(changes, name)) for name in TOKENS},
        "rows": [[*row, weights.tolist()] for row, weights in sorted(changes.rows.items(), key=lambda item: item[0])],
    }
