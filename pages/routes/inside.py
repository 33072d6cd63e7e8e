"""`POST explorer/inside`: how an attention weight comes about and what follows from it, also after changes to its
head."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import Any

from cachetools import LRUCache, cached
from starlette.requests import Request
from starlette.responses import Response

from pages.routes.budget import INSIDE, long_turns
from pages.routes.requests import Posted, gzip_response, handler, read_indices, read_list, read_texts, respond
from pages.shared.cache import explain_input, explain_outputs, load_transformer, model_version
from pages.shared.head_names import given
from pages.shared.kinds import InsideInput, LabelledInside, page_kind
from viz_core.analysis.deadline import Deadline
from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.analysis.inside.inside import inside, inside_translation
from viz_core.analysis.inside.passes import RecordedArrays, Selected
from viz_core.analysis.turns import Client
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.inside import pack_inside, pack_window
from viz_core.language import Translator
from viz_core.records import Encoding, Failure, Translation
from viz_core.records.translation import Kind

PATH = "explorer/inside"  # relative to the address of a page
KINDS = ("self", "causal", "cross")
FLAGS = ("unscaled", "causal", "everywhere")
RECORDED_BYTES = 2**28  # of recorded passes, for all visitors; a layer of SmolLM2 with 512 tokens takes 86 MB


@dataclass(frozen=True)
class InsideRequest:
    """The weight that is asked about, in an input, after changes to its head. window: whether only its window of keys
    is. client: whose turn the computation takes. deadline: of the computation."""

    content: InsideInput
    selected: Selected
    changes: HeadChanges
    window: bool = False
    client: Client | None = None
    deadline: Deadline = field(default_factory=Deadline)


async def inside_head(request: Request) -> Response:
    """Responds to `{"task", "model", "texts", "language", "layer", "head", "query", "key"}` with `pack_inside`; all
    indices count from 0.

    `changes`: as `read_changes` has them. `kind`: of the attention, by default `self`. `outputs`: as in InsideInput.
    `window`: true for `pack_window` instead.
    """
    return await respond(request, handler("inside", _read, _answer, "inside.request_unreadable", speaks=True), INSIDE)


def _answer(requested: InsideRequest, info: CheckpointInfo, say: Translator, posted: Posted) -> Response:
    requested = replace(requested, client=posted.client, deadline=posted.deadline)
    if requested.window:
        return gzip_response(pack_window(page_kind(info.task).inside.compute(info, requested)[0]))
    return gzip_response(pack_selected(info, requested, say))


def pack_selected(info: CheckpointInfo, requested: InsideRequest, say: Translator, **fields: object) -> bytes:
    """The packed record. fields: as of `pack_inside`. Raises Failure."""
    record, sides, labels = page_kind(info.task).inside.compute(info, requested)
    kinds = list(load_transformer(info).model.attention_kinds)
    return pack_inside(record, sides, labels, say, kinds=kinds, names=given(info), **fields)


def of_texts(info: CheckpointInfo, requested: InsideRequest) -> LabelledInside:
    """The record of a weight of an encoder, and no labels besides the tokens."""
    client, deadline = requested.client, requested.deadline
    encoding = explain_input(info, *requested.content.texts, client=client, deadline=deadline).encoding
    weight, recall = (requested.selected, requested.changes), partial(_recorded, info, model_version(info), encoding)
    with long_turns.turn(client, deadline) as between_passes:
        record = inside(load_transformer(info), encoding, *weight, between_passes, deadline.check, recall)
    return record, (encoding, encoding), ((), ())


# No Condition: whoever computes waits for turns, which another who waits for the result would hold.
@cached(
    LRUCache(RECORDED_BYTES, getsizeof=lambda recorded: recorded.nbytes),
    key=lambda info, version, encoding, kind, layer, _: (
        *(info.path, version, kind, layer),
        *(encoding.ids.tobytes(), encoding.segments.tobytes()),
    ),
    lock=Lock(),
)
def _recorded(
    info: CheckpointInfo, version: tuple, encoding: Encoding, kind: Kind, layer: int, run: Callable[[], RecordedArrays]
) -> RecordedArrays:
    """A pass that recorded a layer, shared: another head, query or key of it, and what a change is compared with."""
    return run()


def of_translation(info: CheckpointInfo, requested: InsideRequest) -> LabelledInside:
    """The same of a translation, and the labels of its tokens."""
    weight, kind = (requested.selected, requested.changes), requested.selected.kind
    with long_turns.turn(requested.client, requested.deadline) as between_passes:
        translation = translate_input(info, requested.content, between_passes)
        check = requested.deadline.check
        record = inside_translation(load_transformer(info), translation, *weight, between_passes, check)
    return record, translation.sides(kind), (translation.queries(kind), translation.keys(kind))


def translate_input(
    info: CheckpointInfo, content: InsideInput, between_passes: Callable[[], None] = lambda: None
) -> Translation:
    """The translation that an input consists of, shared and read-only. Raises Failure."""
    if len(content.texts) != 1:
        raise Failure("inside.request_unreadable")
    return explain_outputs(info, *content.texts, content.outputs, between_passes=between_passes)


def _read(fields: dict[str, Any]) -> InsideRequest:
    kind = fields.get("kind", "self")
    if kind not in KINDS:
        raise ValueError("not a kind of attention")
    content = InsideInput(read_texts(fields["texts"]), read_indices(fields.get("outputs", [])))
    layer, head, query, key = read_indices([fields[name] for name in ("layer", "head", "query", "key")])
    changes = read_changes(fields.get("changes", {}))
    return InsideRequest(content, Selected(kind, layer, head, query, key), changes, bool(fields.get("window")))


def read_changes(fields: object) -> HeadChanges:
    """The changes that a browser sends: `unscaled`, `causal` and `everywhere` true or false, `temperature` and `values`
    numbers, `masked` keys, and `scores` as `[[query, key, value], …]`. Raises TypeError or ValueError."""
    if not isinstance(fields, dict) or any(type(fields.get(name, False)) is not bool for name in FLAGS):
        raise TypeError("not changes")
    scores = {}
    for query, key, value in read_list(fields.get("scores", [])):
        scores[read_indices([query, key])] = _number(value)
    return HeadChanges(
        **{name: fields.get(name, False) for name in FLAGS},
        scores=scores,
        temperature=_number(fields.get("temperature", 1)),
        values=_number(fields.get("values", 1)),
        masked=frozenset(read_indices(fields.get("masked", []))),
    )


def write_changes(changes: HeadChanges) -> dict[str, object]:
    """The fields of a request with these changes; what is not changed is left out."""
    fields = {
        **{name: getattr(changes, name) for name in FLAGS},
        "scores": [[*cell, value] for cell, value in sorted(changes.scores.items())],
        "masked": sorted(changes.masked),
    }
    numbers = {name: getattr(changes, name) for name in ("temperature", "values")}
    return {name: value for name, value in fields.items() if value} | {
        name: value for name, value in numbers.items() if value != 1
    }


def _number(value: object) -> float:
    if type(value) not in (int, float):
        raise TypeError("not a number")
    return float(value)
