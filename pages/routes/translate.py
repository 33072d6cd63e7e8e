"""`POST explorer/translate`: a translation as it is made, word by word; or a reference, read by teacher forcing."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pages.routes import word_effects
from pages.routes.budget import TRANSLATING
from pages.routes.requests import Posted, handler, read_indices, read_list, read_string, respond
from pages.routes.streams import PACKED, Streams, frame, json_frame
from pages.shared.cache import load_model
from pages.shared.head_names import given
from pages.shared.tasks import TaskPage
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.heads.statistics import translation_statistics
from viz_core.analysis.translation.changes import TranslationChanges, fed_ids, probabilities_with_changes
from viz_core.analysis.translation.explain_translation import source_notices
from viz_core.analysis.translation.live import Event, read_reference, translate_live
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.explorer.packed_translation import pack_translation
from viz_core.language import Translator
from viz_core.records import BeamNode, BeamTree, Encoding, Exposure, Step, Translation

PATH = "explorer/translate"  # relative to the address of a page
PATHS = {"request": PATH, "effects": word_effects.PATH}  # what a page of translations asks
DIGITS = 7  # of a probability: a rounded one is 0 only where a percentage would be, too
_streams = Streams()


@dataclass(frozen=True)
class TranslateRequest:
    """text: the source. reference: to be read by teacher forcing, in place of a translation. fed: words at positions of
    the translation, as ids or as typed. visit: marks the requests of a page that replace each other."""

    text: str
    decoding: Decoding
    reference: str | None
    masked: frozenset[tuple[int, int]]
    blocked: frozenset[int]
    fed: tuple[tuple[int, int | str], ...]
    visit: str | None


async def translate(request: Request) -> Response:
    """Responds to `{"task", "model", "text", "language"}` with frames (streams.py), in this order: the source; each
    token, or the nodes of each step of a beam search and then its tree; the translation; all its attention, packed;
    what it cost; what the changes make of the unchanged translation, if there are any.

    `decoding`: `{"method": "greedy" | "sample" | "beam", "temperature", "seed", "width"}`. `reference`: a text to be
    read by teacher forcing. Changes, counted from 0: `masked` heads of the cross-attention `[[layer, head], …]`,
    `blocked` source tokens `[index, …]`, words `fed` `[[position, id or word], …]`. `visit`: any string; a newer
    request of the same visit ends this one.
    """
    answer = handler("translate", read_request, _answer, "translation.request_unreadable", speaks=True)
    return await respond(request, answer, TRANSLATING)


def warm_up(info: CheckpointInfo, page: TaskPage) -> None:
    """Translates the first example, so that the first visitor waits for nothing to be loaded. Raises Failure."""
    checkpoint = load_model(info)
    for _ in translate_live(checkpoint, checkpoint.text_encoder.encode(page.first_texts[0]), Decoding()):
        pass


def _answer(fields: TranslateRequest, info: CheckpointInfo, say: Translator, posted: Posted) -> Response:
    checkpoint = load_model(info)
    source = checkpoint.text_encoder.encode(fields.text)
    changes = _changes(checkpoint, fields)
    events, names = _events(checkpoint, source, fields, changes), given(info)
    frames = _frames(checkpoint, source, fields, changes, events, names, say)
    busy = json_frame({"error": say("translation.busy", waiting=_streams.running), "status": 503})
    return StreamingResponse(
        _streams.send(frames, busy, fields.visit and (posted.client, fields.visit), posted.client),
        # `identity` keeps Streamlit from compressing, for which it would collect the pieces.
        headers={"Content-Encoding": "identity"},
        media_type="application/octet-stream",
    )


def _changes(checkpoint: Checkpoint, fields: TranslateRequest) -> TranslationChanges:
    return TranslationChanges(fields.masked, fields.blocked, fed_ids(checkpoint, fields.fed))


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
    names: Mapping[str, str],
    say: Translator,
) -> Iterator[bytes]:
    notices = [say(notice) for notice in source_notices(checkpoint, source)]
    labels = list(source.labels)
    yield json_frame({"source": {"labels": labels, "special": source.special.tolist()}, "notices": notices})
    for event in events:
        yield json_frame(_content(event, say))
        if isinstance(event, Translation):
            yield frame(PACKED, _pack(event, names, say))
    if changes:
        for event in _events(checkpoint, source, fields, TranslationChanges()):
            if isinstance(event, Translation):
                changed = [round(value, 5) for value in probabilities_with_changes(checkpoint, event, changes).tolist()]
                yield json_frame({"original": {**_translation_fields(event, say), "changed": changed}})
            else:
                yield b""
    yield json_frame({"end": True})


def _pack(translation: Translation, names: Mapping[str, str], say: Translator) -> bytes:
    """All attention, for the explorer of a browser that has theme and messages already."""
    statistics = {kind: translation_statistics(translation, kind) for kind in translation.attention}
    return pack_translation(translation, statistics, say, None, names=names)


def _content(event: Event, say: Translator) -> dict:
    match event:
        case Step():
            return {"step": step_fields(event)}
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
        "steps": [step_fields(step) for step in translation.steps],
    }


def step_fields(step: Step) -> dict:
    candidates = [
        [candidate.id, candidate.token, round(candidate.probability, DIGITS)] for candidate in step.candidates
    ]
    output = step.output
    return {
        "id": output.id,
        "token": output.token,
        "probability": round(output.probability, DIGITS),
        "rank": step.rank,
        "candidates": candidates,
    }


def _node_fields(node: BeamNode) -> dict:
    return {
        **asdict(node),
        "probability": round(node.probability, 5),
        "log_probability": round(node.log_probability, 4),
    }


def read_request(fields: dict[str, Any]) -> TranslateRequest:
    """Raises KeyError, TypeError or ValueError if the fields are not a valid request."""
    reference, visit = fields.get("reference"), fields.get("visit")
    if not isinstance(reference, str | None) or not isinstance(visit, str | None):
        raise ValueError("not a request")
    return TranslateRequest(
        read_string(fields["text"]),
        _decoding(fields.get("decoding", {})),
        reference,
        frozenset(read_indices(head, 2) for head in read_list(fields.get("masked", []))),
        frozenset(read_indices(fields.get("blocked", []))),
        tuple(_word(entry) for entry in read_list(fields.get("fed", []))),
        visit,
    )


def _decoding(fields: object) -> Decoding:
    default = Decoding()
    match {**asdict(default), **fields} if isinstance(fields, dict) else None:
        case {
            "method": "greedy" | "sample" | "beam" as method,
            "temperature": int() | float() as temperature,
            "seed": int(seed),
            "width": int(width),
        } if not isinstance(temperature, bool) and 0 <= seed < 2**31:
            return Decoding(method, float(temperature), seed, width)
    raise ValueError("not a decoding")


def _word(entry: object) -> tuple[int, int | str]:
    position, word = read_list(entry)
    if type(position) is not int or not isinstance(word, int | str):
        raise TypeError("not a word at a position")
    return position, word
