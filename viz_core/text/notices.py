"""Notices about the parts of a text that the model does not read."""

import re
from collections.abc import Sequence

import numpy as np

from viz_core.records import Encoding, Message
from viz_core.text.unicode import UnicodeNormalizer, graphemes, is_punctuation, visible

LINE_BREAK = r"<br\s*/?>"  # markup in the reviews
MAX_LISTED = 12  # unknown tokens or lost characters quoted in a notice; the others are only counted
MAX_QUOTED = 40  # characters of a token that are quoted
_LINE_BREAK = re.compile(LINE_BREAK, re.IGNORECASE)


def notices(
    encoding: Encoding, totals: Sequence[int], limit: int, normalizer: UnicodeNormalizer
) -> tuple[Message, ...]:
    """Notices about truncated tokens, unknown tokens, and characters without a token.

    Args:
        encoding: The encoded texts.
        totals: Number of tokens of each text, special ones excluded.
        limit: Maximal number of tokens, special ones included.
        normalizer: Normalises the texts.
    """
    read = [int((encoding.typed & (encoding.segments == number)).sum()) for number in range(len(totals))]
    unknown = [encoding.surface(i) for i in np.flatnonzero(encoding.unknown).tolist()]
    lost = lost_characters(encoding, [count == total for count, total in zip(read, totals, strict=True)], normalizer)
    return (
        *_truncation(read, totals, limit),
        *_listing("text.unknown", "tokens", unknown),
        *_listing("text.lost", "characters", lost),
    )


def lost_characters(encoding: Encoding, complete: Sequence[bool], normalizer: UnicodeNormalizer) -> list[str]:
    """Characters (graphemes) without a token, except white space, punctuation and line-break markup.

    What is truncated is not lost. A mark is lost if the token is known without it; an unknown token
    is reported as a whole.

    Args:
        encoding: The encoded texts.
        complete: For each text, whether it is read to its end.
        normalizer: Normalises the texts.
    """
    lost, spans, unknown = [], encoding.offsets.tolist(), encoding.unknown.tolist()  # lists: faster to index
    for number, text in enumerate(encoding.texts):
        position = 0
        for i in np.flatnonzero((encoding.segments == number) & encoding.typed).tolist():
            start, end = spans[i]
            lost += _symbols(text[position:start])
            if not unknown[i]:
                lost += normalizer.lost_marks(text[start:end])
            position = end
        if complete[number]:
            lost += _symbols(text[position:])
    return lost


def _symbols(gap: str) -> list[str]:
    """The graphemes between two tokens that are more than punctuation."""
    if all(map(is_punctuation, gap)):  # the usual case
        return []
    text = _LINE_BREAK.sub(" ", gap)
    return [grapheme for grapheme in graphemes(text) if not all(map(is_punctuation, grapheme))]


def _truncation(read: Sequence[int], totals: Sequence[int], limit: int) -> list[Message]:
    if sum(read) == sum(totals):
        return []
    if len(totals) == 1:
        values = {"count": totals[0] - read[0], "read": read[0], "typed": totals[0], "limit": limit}
        return [Message("text.truncated", values)]
    parts = [
        Message("text.truncated_part", {"sentence": name, "count": total - count, "typed": total})
        for name, count, total in zip("AB", read, totals, strict=True)
        if count < total
    ]
    return [Message("text.truncated_pair", {"parts": parts, "limit": limit})]


def _listing(key: str, name: str, texts: Sequence[str]) -> list[Message]:
    """A notice that counts the texts and quotes the first distinct ones; none if there are no texts."""
    if not texts:
        return []
    quoted = list(dict.fromkeys(visible(_shorten(text)) for text in texts))
    rest = len(quoted) - MAX_LISTED
    more = Message("text.and_more", {"count": rest}) if rest > 0 else ""
    return [Message(key, {"count": len(texts), name: quoted[:MAX_LISTED], "more": more})]


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1]}…"
