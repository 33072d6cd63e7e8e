"""`POST explorer/generate`: a text as a language model reads it, and how it goes on, token by token."""

from collections.abc import Iterable, Iterator, Set
from dataclasses import asdict, dataclass, replace
from math import log
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pages.routes.budget import TRANSLATING
from pages.routes.requests import Posted, handler, read_indices, read_list, read_string, respond
from pages.routes.streams import Streams, json_frame
from pages.routes.translate import DIGITS, step_fields
from pages.shared.cache import load_model
from viz_core.analysis.context import Context, read_on, shaped_candidates, write_on, written_text
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.generation import chat_text
from viz_core.analysis.whatif import Head
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.language import Translator
from viz_core.records import Encoding, Failure, ShapedCandidate, Step
from viz_core.rendering.labels import printable
from viz_core.text.chat import Turn

PATH = "explorer/generate"  # relative to the address of a page
MOST_WRITTEN = 256  # tokens of a request
CONTEXT_BYTES = 2**28  # of a model: of SmolLM2 with 1,024 tokens five, of which the newest are kept
_streams = Streams()
_contexts: WeakKeyDictionary[Checkpoint, LRUCache[str, Context]] = WeakKeyDictionary()  # by visit, of open models


@dataclass(frozen=True)
class GenerateRequest:
    """text: typed. chat: whether it is a message of the user, after the system line and earlier turns. written: the
    tokens after it, that were written or chosen before. most: how many more to write. visit: marks the requests of a
    page, which replace each other."""

    text: str
    chat: bool
    system: str
    turns: tuple[Turn, ...]
    written: tuple[int, ...]
    most: int
    decoding: Decoding
    masked: frozenset[Head]
    visit: str


async def generate(request: Request) -> Response:
    """Responds to `{"task", "model", "text", "language", "visit"}` with frames (streams.py): what was expected at each
    token that is read; each token that is written; the candidates for the next one; the end.

    `chat`: whether the text is a message of the user, `system`: a line before all messages, `turns`: earlier messages
    with their answers, `[[message, answer], …]`; with a blank text, the chat up to the last answer. `written`: ids of
    the tokens after the text. `most`: tokens to write, by default none. `decoding`: `{"method": "greedy" | "sample",
    "temperature", "top_k", "top_p", "seed"}`. `masked`: heads that write nothing, `[[layer, head], …]` from 0. A newer
    request of the same visit ends this one.
    """
    answer = handler("generate", read_request, _answer, "generation.request_unreadable", speaks=True)
    return await respond(request, answer, TRANSLATING)


def _answer(fields: GenerateRequest, info: CheckpointInfo, say: Translator, posted: Posted) -> Response:
    checkpoint = load_model(info)
    fields.decoding.check()
    text, notices = fields.text, ()
    if fields.chat:
        text, notices = chat_text(checkpoint, fields.text, fields.system, fields.turns)
    try:
        encoding, given = written_text(checkpoint, text, fields.written)
    except Failure as failure:
        if fields.turns and failure.message.key == "generation.full":
            raise Failure("generation.chat_full", **failure.message.values) from failure
        raise
    encoding = replace(encoding, notices=(*notices, *encoding.notices))
    starts = _starts(encoding, given) if text == fields.text else [0] * given
    visit = (posted.client, fields.visit)
    frames = _frames(checkpoint, encoding, starts, len(text), fields, f"{posted.client} {fields.visit}", say)
    busy = json_frame({"error": say("generation.busy", waiting=_streams.running), "status": 503})
    return StreamingResponse(
        _streams.send(frames, busy, visit, posted.client),
        # `identity` keeps Streamlit from compressing, for which it would collect the pieces.
        headers={"Content-Encoding": "identity"},
        media_type="application/octet-stream",
    )


def _frames(
    checkpoint: Checkpoint,
    encoding: Encoding,
    starts: list[int],
    typed: int,
    fields: GenerateRequest,
    visit: str,
    say: Translator,
) -> Iterator[bytes]:
    """typed: characters of the text before what was written."""
    contexts = _contexts.setdefault(checkpoint, LRUCache(CONTEXT_BYTES, getsizeof=lambda context: context.bytes))
    encoder = checkpoint.text_encoder
    special = frozenset(map(encoder.token, encoder.special_ids))
    try:
        context = read_on(checkpoint, encoding.ids.tolist(), contexts.get(visit), fields.masked)
        yield json_frame({"read": _read_fields(encoding, starts, context, special, say)})
        count, full = len(context.ids) + fields.most, encoder.max_tokens
        _keep(contexts, visit, context)
        for longer in write_on(checkpoint, context, fields.decoding, fields.most):
            context = longer
            _keep(contexts, visit, context)
            yield json_frame({"step": _step_fields(longer.steps[-1]), "special": _among(special, longer.steps[-1:])})
        candidates = shaped_candidates(checkpoint, context, fields.decoding.shaping)
        length, notice = len(context.ids), ""
        if length == full:
            notice = say("generation.context_full")
        elif length < count:
            notice = say("generation.ended")
        special &= {candidate.token for candidate in candidates}
        whole = encoder.extend(encoding, context.ids[len(encoding.ids) :])
        shown = {"next": [_shaped(candidate) for candidate in candidates], "special": sorted(special)}
        yield json_frame({**shown, "notice": notice, "labels": _labels(whole), "written": whole.texts[0][typed:]})
        yield json_frame({"end": True})
    except Failure as failure:
        yield json_frame({"error": say(failure.message), "status": 422})


def _keep(contexts: LRUCache[str, Context], visit: str, context: Context) -> None:
    if context.bytes <= contexts.maxsize:
        contexts[visit] = context


def _starts(encoding: Encoding, given: int) -> list[int]:
    """Where in the text each token begins, in the units in which JavaScript counts (UTF-16)."""
    text, begins = encoding.texts[0], encoding.offsets[:given, 0].tolist()
    return [len(text[:begin].encode("utf-16-le", "surrogatepass")) // 2 for begin in begins]


def _labels(encoding: Encoding) -> list[str]:
    """The tokens, and for those that are bytes of a character the character: of several, one has it."""
    names = [encoding.surface(i) if token.startswith("<0x") else token for i, token in enumerate(encoding.tokens)]
    return [printable(name) for name in names]


def _read_fields(encoding: Encoding, starts: list[int], context: Context, special: Set[str], say: Translator) -> dict:
    """starts: where in what was typed each token begins; 0 in a chat, where the text cannot be cut before a token.
    special: the special tokens among all that are shown."""
    return {
        "labels": _labels(encoding),
        "starts": starts,
        "markers": np.flatnonzero(encoding.special).tolist(),
        "special": sorted({*_among(special, context.steps), *special.intersection(encoding.tokens[:1])}),
        "steps": [step and _step_fields(step) for step in context.steps],
        "notices": [say(notice) for notice in encoding.notices],
    }


def _among(special: Set[str], steps: Iterable[Step | None]) -> list[str]:
    """The special tokens among those that came and those that were expected."""
    shown = {one.token for step in steps if step for one in (step.output, *step.candidates)}
    return sorted(special & shown)


def _step_fields(step: Step) -> dict:
    """log_probability: before the probability is rounded; None of 0."""
    probability = step.output.probability
    return step_fields(step) | {"log_probability": round(log(probability), 5) if probability else None}


def _shaped(candidate: ShapedCandidate) -> dict:
    return asdict(candidate) | {"probabilities": [round(value, DIGITS) for value in candidate.probabilities]}


def read_request(fields: dict[str, Any]) -> GenerateRequest:
    """Raises KeyError, TypeError or ValueError if the fields are not a valid request."""
    most = fields.get("most", 0)
    if type(most) is not int or not 0 <= most <= MOST_WRITTEN:
        raise ValueError("not a number of tokens")
    return GenerateRequest(
        read_string(fields["text"]),
        _read_flag(fields.get("chat", False)),
        read_string(fields.get("system", "")),
        read_turns(fields.get("turns", [])),
        read_indices(fields.get("written", [])),
        most,
        _decoding(fields.get("decoding", {})),
        frozenset(read_indices(head, 2) for head in read_list(fields.get("masked", []))),
        read_string(fields["visit"]),
    )


def read_turns(value: object) -> tuple[Turn, ...]:
    """Messages with their answers. Raises TypeError or ValueError."""
    turns = [map(read_string, read_list(turn)) for turn in read_list(value)]
    return tuple(Turn(message, answer) for message, answer in turns)


def _read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("neither true nor false")
    return value


def _decoding(fields: object) -> Decoding:
    default = Decoding()
    match {**asdict(default), **fields} if isinstance(fields, dict) else None:
        case {
            "method": "greedy" | "sample" as method,
            "temperature": int() | float() as temperature,
            "top_k": int(top_k),
            "top_p": int() | float() as top_p,
            "seed": int(seed),
        } if not any(isinstance(value, bool) for value in (temperature, top_k, top_p, seed)) and 0 <= seed < 2**31:
            return Decoding(method, float(temperature), seed, top_k=top_k, top_p=float(top_p))
    raise ValueError("not a decoding")
