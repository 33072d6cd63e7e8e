"""`POST explorer/translate`: a translation as it is made, word by word; or a reference, read by teacher forcing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pages.routes.budget import TRANSLATING
from pages.routes.requests import Posted, failure_response, parse_json, refusal, respond
from pages.routes.streams import PACKED, Streams, frame, json_frame
from pages.routes.translate_request import TranslateRequest, read_request
from pages.shared.cache import load_model
from pages.shared.models import find_model
from viz_core.analysis.heads.statistics import translation_statistics
from viz_core.analysis.translation.changes import TranslationChanges, probabilities_with_changes, word_id
from viz_core.analysis.translation.explain_translation import source_notices
from viz_core.analysis.translation.live import Decoding, Event, read_reference, translate_live
from viz_core.checkpoints import Checkpoint, task_checkpoints
from viz_core.explorer.packed_translation import pack_translation
from viz_core.language import Translator
from viz_core.records import OTHER_TRANSLATION, BeamNode, BeamTree, Encoding, Exposure, Failure, Step, Translation
from viz_core.tasks import TRANSLATION, all_tasks

PATH = "explorer/translate"  # relative to the address of a page
_streams = Streams()


async def translate(request: Request) -> Response:
    """Responds to `{"task", "model", "text", "language"}` with frames (streams.py), in this order: the source; each
    token, or the nodes of each step of a beam search and then its tree; the translation; all its attention, packed;
    what it cost; what the changes make of the unchanged translation, if there are any.

    `decoding`: `{"method": "greedy" | "sample" | "beam", "temperature", "seed", "width"}`. `reference`: a text to be
    read by teacher forcing. Changes, counted from 0: `masked` heads of the cross-attention `[[layer, head], …]`,
    `blocked` source tokens `[index, …]`, words `fed` `[[position, id or word], …]`. `visit`: any string; a newer
    request of the same visit ends this one.
    """
    return await respond(request, _response, TRANSLATING)


def warm_up(text: str) -> None:
    """Translates a text with the first model of each task, so that the first visitor waits for nothing to be loaded."""
    for task in all_tasks(TRANSLATION):
        for info in task_checkpoints(task)[:1]:
            try:
                checkpoint = load_model(info)
                source = checkpoint.text_encoder.encode(text)
                for _ in translate_live(checkpoint, source, Decoding()):
                    pass
            except Failure:
                continue  # the page shows the message


def _response(posted: Posted) -> Response:
    try:
        fields = read_request(parse_json(posted.body))
    except (KeyError, TypeError, ValueError, OverflowError):
        return refusal(400, posted.say("translation.request_unreadable"))
    say = Translator(fields.language)
    tasks = (*all_tasks(TRANSLATION), OTHER_TRANSLATION)
    info = find_model(fields.task, fields.model) if fields.task in tasks else None
    if info is None:
        return refusal(404, say("pages.request_unknown_model"))
    try:
        checkpoint = load_model(info)
        source = checkpoint.text_encoder.encode(fields.text)
        changes = _changes(checkpoint, fields)
        events = _events(checkpoint, source, fields, changes)
    except Failure as failure:
        return failure_response(failure, say)
    frames = _frames(checkpoint, source, fields, changes, events, say)
    busy = json_frame({"error": say("translation.busy", waiting=_streams.running), "status": 503})
    return StreamingResponse(
        _streams.send(frames, busy, fields.visit, posted.visitor),
        # `identity` keeps Streamlit from compressing, for which it would collect the pieces.
        headers={"Content-Encoding": "identity"},
        media_type="application/octet-stream",
    )


def _changes(checkpoint: Checkpoint, fields: TranslateRequest) -> TranslationChanges:
    fed = {
        position: word_id(checkpoint, word) if isinstance(word, str) else word for position, word in fields.fed.items()
    }
    return TranslationChanges(fields.masked, fields.blocked, fed)


def _events(
    checkpoint: Checkpoint, source: Encoding, fields: TranslateRequest, changes: TranslationChanges
) -> Iterator[Event]:
    if fields.reference is not None:
        return read_reference(checkpoint, source, fields.reference, changes)
    return translate_live(checkpoint, source, fields.decoding, changes)


def _frames(
    checkpoint: Checkpoint,
    source: Encoding,
    fields: TranslateRequest,
    changes: TranslationChanges,
    events: Iterator[Event],
    say: Translator,
) -> Iterator[bytes]:
    notices = [say(notice) for notice in source_notices(checkpoint, source)]
    labels = list(source.labels)
    yield json_frame({"source": {"labels": labels, "special": source.special.tolist()}, "notices": notices})
    for event in events:
        yield json_frame(_content(event, say))
        if isinstance(event, Translation):
            yield frame(PACKED, _pack(event, say))
    if changes:
        for event in _events(checkpoint, source, fields, TranslationChanges()):
            if isinstance(event, Translation):
                changed = _round(probabilities_with_changes(checkpoint, event, changes).tolist())
                yield json_frame({"original": {**_translation_fields(event, say), "changed": changed}})
            else:
                yield b""
    yield json_frame({"end": True})


def _pack(translation: Translation, say: Translator) -> bytes:
    """All attention, for the explorer of a browser that has theme and messages already."""
    statistics = {kind: translation_statistics(translation, kind) for kind in translation.attention}
    return pack_translation(translation, statistics, say, None)


def _content(event: Event, say: Translator) -> dict:
    match event:
        case Step():
            return {"step": _step_fields(event)}
        case [*nodes]:
            return {"nodes": [_node_fields(node) for node in nodes]}
        case BeamTree():
            return {"leaves": [asdict(leaf) for leaf in event.leaves]}
        case Translation():
            return {"translation": _translation_fields(event, say)}
        case Exposure():
            return {"exposure": asdict(event)}


def _translation_fields(translation: Translation, say: Translator) -> dict:
    return {
        "text": translation.text,
        "complete": translation.complete,
        "notices": [say(notice) for notice in translation.notices],
        "steps": [_step_fields(step) for step in translation.steps],
    }


def _step_fields(step: Step) -> dict:
    candidates = [[candidate.id, candidate.token, round(candidate.probability, 5)] for candidate in step.candidates]
    output = step.output
    return {
        "id": output.id,
        "token": output.token,
        "probability": round(output.probability, 5),
        "rank": step.rank,
        "candidates": candidates,
    }


def _node_fields(node: BeamNode) -> dict:
    return {
        **asdict(node),
        "probability": round(node.probability, 5),
        "log_probability": round(node.log_probability, 4),
    }


def _round(values: list[float]) -> list[float]:
    return [round(value, 5) for value in values]
