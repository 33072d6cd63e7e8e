"""`POST explorer/heads`: the exact weights of a head, which the explorer fetches when it is selected."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from starlette.requests import Request
from starlette.responses import Response

from pages.routes.budget import WEIGHTS, long_turns
from pages.routes.requests import Posted, handler, read_indices, read_list, read_string, read_texts, refusal, respond
from pages.shared.cache import explain_input, explain_outputs, input_norms
from pages.shared.kinds import page_kind
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.packed_translation import SIDES
from viz_core.explorer.packed_weights import pack_heads, pack_norms, pack_weighted_heads
from viz_core.language import Translator
from viz_core.records import HeadWeights

PATH = "explorer/heads"  # relative to the address of a page


class Shown(NamedTuple):
    """The attention that a request is about, `(L, H, Q, K)`, and what computes the norms of its values, `(L, H, K)`."""

    attention: HeadWeights
    norms: Callable[[], np.ndarray]


_Show, _Pack = Callable[[CheckpointInfo, Posted], Shown], Callable[[Shown], bytes]


async def heads(request: Request) -> Response:
    """Responds to `{"task", "model", "texts", "heads": [[layer, head], …]}`, from 0, with `pack_heads`.
    With `"measure": "norms"`, of value-weighted attention, with `pack_weighted_heads`, or without heads `pack_norms`.

    Of a translation `{"task", "model", "text", "outputs", "kind", …}`, where `outputs` are the ids of the tokens
    that it consists of (packed_translation.py), with its changes `masked` and `blocked` as in translate.py.
    """
    return await respond(request, handler("heads", _read, _answer), WEIGHTS)


def _read(fields: dict[str, Any]) -> tuple[_Show, _Pack]:
    """What computes the attention that a request is about, and what packs the response."""
    show = page_kind(fields["task"]).heads(fields)
    if "heads" not in fields and fields["measure"] == "norms":
        return show, lambda shown: pack_norms(shown.attention, shown.norms())
    selected = _read_heads(fields["heads"])
    measures: dict[str, _Pack] = {
        "weights": lambda shown: pack_heads(shown.attention, selected),
        "norms": lambda shown: pack_weighted_heads(shown.attention, shown.norms(), selected),
    }
    return show, measures[fields.get("measure", "weights")]


def _answer(requested: tuple[_Show, _Pack], info: CheckpointInfo, say: Translator, posted: Posted) -> Response:
    show, pack = requested
    shown, config = show(info, posted), info.settings.config
    posted.deadline.check()
    try:
        weights = pack(shown)
    except ValueError:
        return refusal(400, say("pages.request_unknown_head", layers=config.layers, heads=config.heads))
    # `identity` keeps Streamlit from compressing, which takes longer than all the rest and saves only a third.
    return Response(weights, headers={"Content-Encoding": "identity"}, media_type="application/octet-stream")


def of_texts(fields: Mapping[str, Any]) -> _Show:
    """The attention of a text or a pair."""
    texts = read_texts(fields["texts"])

    def show(info: CheckpointInfo, posted: Posted) -> Shown:
        client, deadline = posted.client, posted.deadline
        explanation = explain_input(info, *texts, client=client, deadline=deadline)
        turn = partial(long_turns.turn, client, deadline)
        return Shown(explanation.attention, lambda: input_norms(info, explanation, turn, deadline.check))

    return show


def of_translation(fields: Mapping[str, Any]) -> _Show:
    """One of the attentions of a translation; computed once for all heads that are selected in turn."""
    text, kind, outputs = read_string(fields["text"]), fields["kind"], read_indices(fields["outputs"])
    masked, blocked = _read_heads(fields.get("masked", [])), read_indices(fields.get("blocked", []))
    if kind not in SIDES or not outputs or min(*outputs, *blocked, 0) < 0:
        raise ValueError("not a translation")

    def show(info: CheckpointInfo, posted: Posted) -> Shown:
        with long_turns.turn(posted.client, posted.deadline):
            translation = explain_outputs(info, text, outputs, frozenset(masked), frozenset(blocked))
        return Shown(translation.attention[kind], lambda: translation.value_norms[kind])

    return show


def _read_heads(value: object) -> list[tuple[int, ...]]:
    """Pairs of integers, without duplicates."""
    return list(dict.fromkeys(read_indices(head, 2) for head in read_list(value)))
