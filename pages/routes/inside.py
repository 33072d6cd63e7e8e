"""`POST explorer/inside`: how an attention weight comes about and what follows from it, also after changes to its
head."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

from cachetools import LRUCache, cached
from starlette.requests import Request
from starlette.responses import Response

from pages.routes.budget import INSIDE
from pages.routes.requests import (
    Posted,
    are_texts,
    failure_response,
    parse_json,
    read_indices,
    read_list,
    refusal,
    respond,
)
from pages.shared.cache import TRANSLATION_BYTES, explain_input, load_transformer, model_version, translation_bytes
from pages.shared.models import find_model
from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.analysis.inside.inside import Selected, inside
from viz_core.analysis.inside.inside_translation import inside_translation
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.analysis.translation.live import translate_stepwise
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.inside import pack_inside, pack_window
from viz_core.language import LANGUAGES, Translator
from viz_core.records import OTHER, Encoding, Failure, Translation
from viz_core.records.inside import Inside
from viz_core.tasks import TRANSLATION, all_tasks
from viz_core.text.length import cut_text

PATH = "explorer/inside"  # relative to the address of a page
KINDS = ("self", "causal", "cross")
FLAGS = ("unscaled", "causal", "everywhere")


@dataclass(frozen=True)
class InsideInput:
    """What the model reads. outputs: of a translation, the ids of its tokens; empty for what greedy decoding
    produces."""

    texts: tuple[str, ...]
    outputs: tuple[int, ...] = ()


async def inside_head(request: Request) -> Response:
    """Responds to `{"task", "model", "texts", "language", "layer", "head", "query", "key"}` with `pack_inside`; all
    indices count from 0.

    `changes`: as `read_changes` has them. `kind`: of the attention, by default `self`. `outputs`: as in InsideInput.
    `window`: true for `pack_window` instead.
    """
    return await respond(request, _response, INSIDE)


def _response(posted: Posted) -> Response:
    fields = parse_json(posted.body)
    try:
        task, model, language, content, selected, changes, window = _read(fields)
    except (KeyError, TypeError, ValueError, OverflowError):
        return refusal(400, posted.say("inside.request_unreadable"))
    say = Translator(language)
    info = find_model(task, model) if task in (*all_tasks(), OTHER) else None
    if info is None:
        return refusal(404, say("pages.request_unknown_model"))
    try:
        if window:
            packed = pack_window(_compute(info, content, selected, changes, posted.deadline.check)[0])
        else:
            packed = pack_selected(info, content, selected, changes, say, posted.deadline.check)
    except Failure as failure:
        return failure_response(failure, say)
    return Response(
        gzip.compress(packed, 1, mtime=0), headers={"Content-Encoding": "gzip"}, media_type="application/octet-stream"
    )


def pack_selected(
    info: CheckpointInfo,
    content: InsideInput,
    selected: Selected,
    changes: HeadChanges,
    say: Translator,
    between_passes: Callable[[], None] = lambda: None,
    **fields: object,
) -> bytes:
    """The packed record. between_passes: called before each pass of the model; what it raises ends the computation.
    fields: as of `pack_inside`. Raises Failure."""
    record, sides, labels = _compute(info, content, selected, changes, between_passes)
    kinds = list(load_transformer(info).model.attention_kinds)
    return pack_inside(record, sides, labels, say, kinds=kinds, **fields)


def _compute(
    info: CheckpointInfo,
    content: InsideInput,
    selected: Selected,
    changes: HeadChanges,
    between_passes: Callable[[], None],
) -> tuple[Inside, tuple[Encoding, Encoding], tuple[tuple[str, ...], tuple[str, ...]]]:
    """The record, and the tokens of the queries and of the keys, with labels where those of the encodings do not do."""
    checkpoint = load_transformer(info)
    if info.task in all_tasks(TRANSLATION):
        translation = translate_input(info, content, between_passes)
        record = inside_translation(checkpoint, translation, selected, changes, between_passes)
        labels = translation.queries(selected.kind), translation.keys(selected.kind)
        return record, translation.sides(selected.kind), labels
    encoding = explain_input(info, *content.texts).encoding
    return inside(checkpoint, encoding, selected, changes, between_passes), (encoding, encoding), ((), ())


def translate_input(
    info: CheckpointInfo, content: InsideInput, between_passes: Callable[[], None] = lambda: None
) -> Translation:
    """The translation that an input consists of, shared and read-only. Raises Failure, also for an id that is not in
    the vocabulary, or more than the model can read."""
    return _translate(info, model_version(info), content.texts, content.outputs, between_passes)


@cached(
    LRUCache(TRANSLATION_BYTES, getsizeof=translation_bytes),
    key=lambda info, version, texts, outputs, between_passes: (info.path, version, cut_text(texts[0]), outputs),
    lock=Lock(),
)
def _translate(
    info: CheckpointInfo,
    version: tuple,
    texts: Sequence[str],
    outputs: tuple[int, ...],
    between_passes: Callable[[], None],
) -> Translation:
    checkpoint = load_transformer(info)
    config = checkpoint.model.config
    for position, token in enumerate(outputs):
        if not 0 <= token < config.vocabulary or position >= config.max_tokens:
            raise Failure("translation.unknown_word", position=position + 1)
    source = checkpoint.text_encoder.encode(texts[0])
    produced = list(outputs)
    if not produced:
        for step in translate_stepwise(checkpoint, source):
            produced.append(step.output.id)
            between_passes()
    return explain_translation(checkpoint, source, produced)


def _read(fields: object) -> tuple[str, str, str, InsideInput, Selected, HeadChanges, bool]:
    """Raises KeyError, TypeError, ValueError or OverflowError if the fields are not a valid request."""
    if not isinstance(fields, dict) or not are_texts(read_list(fields["texts"])):
        raise TypeError("not a request")
    names = task, model, language = fields["task"], fields["model"], fields["language"]
    kind = fields.get("kind", "self")
    if not all(isinstance(name, str) for name in names) or language not in LANGUAGES or kind not in KINDS:
        raise TypeError("names are strings")
    if len(fields["texts"]) != 1 and task in all_tasks(TRANSLATION):
        raise ValueError("a sentence is translated")
    content = InsideInput(tuple(fields["texts"]), read_indices(fields.get("outputs", [])))
    layer, head, query, key = read_indices([fields[name] for name in ("layer", "head", "query", "key")])
    changes = read_changes(fields.get("changes", {}))
    return task, model, language, content, Selected(kind, layer, head, query, key), changes, bool(fields.get("window"))


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
