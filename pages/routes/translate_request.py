"""The fields of a request for a translation."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from pages.routes.requests import read_indices, read_list
from viz_core.analysis.translation.live import Decoding
from viz_core.language import LANGUAGES


@dataclass(frozen=True)
class TranslateRequest:
    """text: the source. reference: to be read by teacher forcing, in place of a translation. fed: words at positions of
    the translation, as ids or as typed. visit: marks the requests of a page that replace each other."""

    task: str
    model: str
    text: str
    language: str
    decoding: Decoding
    reference: str | None
    masked: frozenset[tuple[int, int]]
    blocked: frozenset[int]
    fed: dict[int, int | str]
    visit: str | None


def read_request(fields: object) -> TranslateRequest:
    """Raises KeyError, TypeError or ValueError if the fields are not a valid request."""
    match fields:
        case {"task": str(task), "model": str(model), "text": str(text), "language": str(language), **others}:
            pass
        case _:
            raise TypeError("not a request")
    reference, visit = others.get("reference"), others.get("visit")
    if language not in LANGUAGES or not isinstance(reference, str | None) or not isinstance(visit, str | None):
        raise ValueError("not a request")
    return TranslateRequest(
        task,
        model,
        text,
        language,
        _decoding(others.get("decoding", {})),
        reference,
        frozenset(read_indices(head, 2) for head in read_list(others.get("masked", []))),
        frozenset(read_indices(read_list(others.get("blocked", [])))),
        dict(_word(entry) for entry in read_list(others.get("fed", []))),
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
