"""From tokens back to a text."""

import re
from collections.abc import Sequence

_NO_SPACE_BEFORE = set(".,!?;:%)]}，。！？；：、）》”’…")
_NO_SPACE_AFTER = set("([{$£€（《“‘")
_QUOTATION_MARK = '"'
_HAN = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]")  # Chinese characters and full-width punctuation


def has_han(text: str) -> bool:
    """Whether a text has a Chinese character or a full-width mark."""
    return bool(_HAN.search(text))


def join_with_spans(tokens: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Join tokens into a text as it is usually written; also start and end of each token in it.

    There are spaces between words, but none before a comma or between Chinese characters. Quotation
    marks open and close in turn.
    """
    text, spans, glued, quoted = "", [], True, False
    for token in tokens:
        is_mark = token == _QUOTATION_MARK
        closes = is_mark and quoted
        space = not (glued or closes or token in _NO_SPACE_BEFORE or (_HAN.match(token) and _HAN.match(text[-1:])))
        text += " " * space + token
        spans.append((len(text) - len(token), len(text)))
        glued = token in _NO_SPACE_AFTER or (is_mark and not quoted)
        quoted ^= is_mark
    return text, spans
