"""`POST explorer/heads`: the exact weights of a head, which the explorer fetches when it is selected."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

import numpy as np
from cachetools import LRUCache, cached
from starlette.requests import Request
from starlette.responses import Response

from pages.routes.budget import WEIGHTS
from pages.routes.requests import Posted, are_texts, failure_response, parse_json, refusal, respond
from pages.shared.cache import (
    TRANSLATION_BYTES,
    explain_input,
    input_norms,
    load_model,
    model_version,
    translation_bytes,
)
from pages.shared.models import find_model
from viz_core.analysis.translation.changes import TranslationChanges, changes_hook
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.packed_translation import SIDES
from viz_core.explorer.packed_weights import Head, pack_heads, pack_norms, pack_weighted_heads
from viz_core.records import Failure, Translation
from viz_core.records.translation import Kind
from viz_core.tasks import TRANSLATION, all_tasks
from viz_core.text.length import cut_text

PATH = "explorer/heads"  # relative to the address of a page


class Shown(NamedTuple):
    """The attention that a request is about, `(L, H, Q, K)`, and what computes the norms of its values, `(L, H, K)`."""

    attention: np.ndarray
    norms: Callable[[], np.ndarray]


async def heads(request: Request) -> Response:
    """Responds to `{"task", "model", "texts", "heads": [[layer, head], …]}`, from 0, with `pack_heads`.
    With `"measure": "norms"`, of value-weighted attention, with `pack_weighted_heads`, or without heads `pack_norms`.

    Of a translation `{"task", "model", "text", "outputs", "kind", …}`, where `outputs` are the ids of the tokens
    that it consists of (packed_translation.py), with its changes `masked` and `blocked` as in translate.py.
    """
    return await respond(request, _response, WEIGHTS)


def _response(posted: Posted) -> Response:
    say = posted.say
    match parse_json(posted.body):
        case {"task": str(task), "model": str(model), **fields}:
            show, pack = _attention(task, fields), _packer(fields)
        case _:
            show = pack = None
    if show is None or pack is None:
        return refusal(400, say("pages.request_unreadable"))
    info = find_model(task, model)
    if info is None:
        return refusal(404, say("pages.request_unknown_model"))
    try:
        shown = show(info)
        posted.deadline.check()
        weights = pack(shown)
    except Failure as failure:
        return failure_response(failure, say)
    except ValueError:
        return refusal(
            400, say("pages.request_unknown_head", layers=info.settings.config.layers, heads=info.settings.config.heads)
        )
    # `identity` keeps Streamlit from compressing, which takes longer than all the rest and saves only a third.
    return Response(weights, headers={"Content-Encoding": "identity"}, media_type="application/octet-stream")


def _packer(fields: dict) -> Callable[[Shown], bytes] | None:
    """What packs the response; None if the request is not valid."""
    match fields:
        case {"heads": [*selected]} if (heads := _pairs(selected)) is not None:
            if fields.get("measure", "weights") == "weights":
                return lambda shown: pack_heads(shown.attention, heads)
            if fields["measure"] == "norms":
                return lambda shown: pack_weighted_heads(shown.attention, shown.norms(), heads)
        case {"measure": "norms"} if "heads" not in fields:
            return lambda shown: pack_norms(shown.attention, shown.norms())
    return None


def _attention(task: str, fields: dict) -> Callable[[CheckpointInfo], Shown] | None:
    """What computes the attention that a request is about, which raises Failure; None if the request is not valid."""
    match fields:
        case {"texts": [*texts]} if task not in all_tasks(TRANSLATION) and are_texts(texts):
            return lambda info: _of_texts(info, texts)
        case {"text": str(text), "outputs": [_, *_] as outputs, "kind": str(kind)} if (
            task in all_tasks(TRANSLATION) and kind in SIDES and _are_indices(outputs)
        ):
            masked, blocked = _pairs(fields.get("masked", [])), fields.get("blocked", [])
            if masked is None or not isinstance(blocked, list) or not _are_indices(blocked):
                return None
            translated = text, tuple(outputs), frozenset(masked), frozenset(blocked)
            return lambda info: _of_translation(_translation(info, model_version(info), *translated), kind)
    return None


def _of_texts(info: CheckpointInfo, texts: list[str]) -> Shown:
    explanation = explain_input(info, *texts)
    return Shown(explanation.attention, lambda: input_norms(info, explanation))


def _of_translation(translation: Translation, kind: Kind) -> Shown:
    return Shown(translation.attention[kind], lambda: translation.value_norms[kind])


@cached(
    LRUCache(TRANSLATION_BYTES, getsizeof=translation_bytes),
    key=lambda info, version, text, *fields: (info.path, version, cut_text(text), *fields),
    lock=Lock(),
)
def _translation(
    info: CheckpointInfo,
    version: tuple,
    text: str,
    outputs: tuple[int, ...],
    masked: frozenset[Head],
    blocked: frozenset[int],
) -> Translation:
    """Shared and read-only; computed once for all heads of a translation that are selected in turn.

    Raises Failure, also for an id that is not in the vocabulary, or more than the model can read.
    """
    checkpoint = load_model(info)
    config = checkpoint.model.config
    for position, token in enumerate(outputs):
        if token >= config.vocabulary or position >= config.max_tokens:
            raise Failure("translation.unknown_word", position=position + 1)
    source = checkpoint.text_encoder.encode(text)
    hook = changes_hook(checkpoint, source, TranslationChanges(masked, blocked))
    return explain_translation(checkpoint, source, list(outputs), hook)


def _pairs(heads: object) -> list[Head] | None:
    """Heads without duplicates; None if it is not a list of pairs of integers."""
    if not isinstance(heads, list):
        return None
    valid = all(isinstance(head, list) and [type(number) for number in head] == [int, int] for head in heads)
    return list(dict.fromkeys(map(tuple, heads))) if valid else None


def _are_indices(values: list) -> bool:
    return all(type(value) is int and value >= 0 for value in values)
