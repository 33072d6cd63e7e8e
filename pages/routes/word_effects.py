"""`POST explorer/word-effects`: what a word of a translation owes to heads of cross-attention and to source tokens."""

from dataclasses import asdict, dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from pages.routes.budget import WHATIF, long_turns
from pages.routes.requests import Posted, handler, read_indices, read_list, read_string, respond
from pages.shared.cache import explain_outputs, load_model
from viz_core.analysis.translation.word_effects import word_effects
from viz_core.checkpoints import CheckpointInfo
from viz_core.language import Translator

PATH = "explorer/word-effects"  # relative to the address of a page


@dataclass(frozen=True)
class EffectsRequest:
    """outputs: the ids that the translation consists of. word: its position."""

    text: str
    outputs: tuple[int, ...]
    word: int
    heads: frozenset[tuple[int, int]]
    tokens: frozenset[int]


async def effects(request: Request) -> Response:
    """Responds to `{"task", "model", "text", "outputs": [id, …], "word", "masked": [[layer, head], …], "blocked":
    [source token, …]}`, all counted from 0, with the fields of `WordEffects`."""
    answer = handler("word-effects", _read, _answer, "translation.request_unreadable", speaks=True)
    return await respond(request, answer, WHATIF)


def _answer(fields: EffectsRequest, info: CheckpointInfo, say: Translator, posted: Posted) -> Response:
    with long_turns.turn(posted.client, posted.deadline) as between_passes:
        translation = explain_outputs(info, fields.text, fields.outputs, between_passes=between_passes)
        checkpoint, asked = load_model(info), (fields.word, fields.heads, fields.tokens)
        return JSONResponse(asdict(word_effects(checkpoint, translation, *asked, between_passes)))


def _read(fields: dict[str, Any]) -> EffectsRequest:
    return EffectsRequest(
        read_string(fields["text"]),
        read_indices(fields["outputs"]),
        *read_indices([fields["word"]], 1),
        frozenset(read_indices(head, 2) for head in read_list(fields["masked"])),
        frozenset(read_indices(fields["blocked"])),
    )
