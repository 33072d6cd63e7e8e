"""`POST explorer/heads`: the exact weights of a head, which the explorer fetches when it is selected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock

import numpy as np
from cachetools import LRUCache, cached
from starlette.requests import Request
from starlette.responses import Response

from pages.routes.budget import WEIGHTS
from pages.routes.requests import Posted, are_texts, failure_response, parse_json, refusal, respond
from pages.shared.cache import explain_input, load_model, model_version
from pages.shared.models import find_model
from viz_core.analysis.explain_translation import explain_translation
from viz_core.analysis.translation_changes import TranslationChanges, changes_hook
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.packed_translation import SIDES
from viz_core.explorer.packed_weights import Head, pack_heads
from viz_core.records import Failure
from viz_core.tasks import TRANSLATION_TASKS
from viz_core.text.length import cut_text

PATH = "explorer/heads"  # relative to the address of a page
CACHED = 64  # translations whose attention is kept, for all visitors; of 64 tokens each, it takes 0.8 MB
Attention = Callable[[CheckpointInfo], np.ndarray]  # of a model, (L, H, Q, K); raises Failure


async def heads(request: Request) -> Response:
    """Responds to `{"task", "model", "texts", "heads": [[layer, head], …]}`, from 0, with `pack_heads`.

    Of a translation `{"task", "model", "text", "outputs", "kind", "heads"}`, where `outputs` are the ids of the tokens
    that it consists of (packed_translation.py), with its changes `masked` and `blocked` as in translate.py.
    """
    return await respond(request, _response, WEIGHTS)


def _response(posted: Posted) -> Response:
    say = posted.say
    match parse_json(posted.body):
        case {"task": str(task), "model": str(model), "heads": [*selected], **fields}:
            attention, requested = _attention(task, fields), _pairs(selected)
        case _:
            attention = requested = None
    if attention is None or requested is None:
        return refusal(400, say("pages.request_unreadable"))
    info = find_model(task, model)
    if info is None:
        return refusal(404, say("pages.request_unknown_model"))
    try:
        weights = pack_heads(attention(info), requested)
    except Failure as failure:
        return failure_response(failure, say)
    except ValueError:
        return refusal(
            400, say("pages.request_unknown_head", layers=info.settings.model.layers, heads=info.settings.model.heads)
        )
    # `identity` keeps Streamlit from compressing, which takes longer than all the rest and saves only a third.
    return Response(weights, headers={"Content-Encoding": "identity"}, media_type="application/octet-stream")


def _attention(task: str, fields: dict) -> Attention | None:
    """What computes the attention that a request is about; None if the request is not valid."""
    match fields:
        case {"texts": [*texts]} if task not in TRANSLATION_TASKS and are_texts(texts):
            return lambda info: explain_input(info, *texts).attention
        case {"text": str(text), "outputs": [_, *_] as outputs, "kind": str(kind)} if (
            task in TRANSLATION_TASKS and kind in SIDES and _are_indices(outputs)
        ):
            masked, blocked = _pairs(fields.get("masked", [])), fields.get("blocked", [])
            if masked is None or not isinstance(blocked, list) or not _are_indices(blocked):
                return None
            translated = text, tuple(outputs), frozenset(masked), frozenset(blocked)
            return lambda info: _translation_attention(info, model_version(info), *translated)[kind]
    return None


@cached(
    LRUCache(CACHED),
    key=lambda info, version, text, *fields: (info.path, version, cut_text(text), *fields),
    lock=Lock(),
)
def _translation_attention(
    info: CheckpointInfo,
    version: tuple,
    text: str,
    outputs: tuple[int, ...],
    masked: frozenset[Head],
    blocked: frozenset[int],
) -> Mapping[str, np.ndarray]:
    """Of each kind, shared and read-only; computed once for all heads of a translation that are selected in turn.

    Raises Failure, also for an id that is not in the vocabulary, or more than the model can read.
    """
    checkpoint = load_model(info)
    config = checkpoint.model.config
    for position, token in enumerate(outputs):
        if token >= config.vocabulary or position >= config.max_tokens:
            raise Failure("translation.unknown_word", position=position + 1)
    source = checkpoint.text_encoder.encode(text)
    hook = changes_hook(checkpoint, source, TranslationChanges(masked, blocked))
    return explain_translation(checkpoint, source, list(outputs), hook).attention


def _pairs(heads: object) -> list[Head] | None:
    """Heads without duplicates; None if it is not a list of pairs of integers."""
    if not isinstance(heads, list):
        return None
    valid = all(isinstance(head, list) and [type(number) for number in head] == [int, int] for head in heads)
    return list(dict.fromkeys(map(tuple, heads))) if valid else None


def _are_indices(values: list) -> bool:
    return all(type(value) is int and value >= 0 for value in values)
