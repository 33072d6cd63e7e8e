"""Tokens as labels of axes: escaped, unique and short enough."""

import re
import unicodedata
from collections.abc import Sequence
from html import unescape
from math import ceil

from viz_core.language import Translator

COLUMN = 0.58  # average width of a Latin letter, in font sizes
TICK_COLUMNS, HOVER_COLUMNS = 14, 60  # longest tick and hover text; a CJK character takes two columns
_VERTICAL = str.maketrans("[]…", "\ufe47\ufe48\ufe19")  # presentation forms for vertical text
_HTML_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_SPECIAL = re.compile(r"\[([A-Z]+)\]")
_JOINER = "\u200d"  # joins emoji: not printable, yet part of what is displayed


def columns(text: str) -> int:
    """Width of a text in columns: 1 for a Latin letter, 2 for a CJK character."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def shorten(text: str, limit: int) -> str:
    """Truncate a text with … if it is wider than `limit` columns."""
    if len(text) <= limit // 2 or columns(text) <= limit:
        return text
    head, width = "", 1
    for character in text:
        width += columns(character)
        if width > limit:
            break
        head += character
    return head + "…"


def excerpt(text: str, limit: int) -> str:
    """Beginning of a corpus text in one line, without line breaks, including HTML ones as in reviews."""
    return shorten(" ".join(_HTML_BREAK.sub(" ", text).split()), limit)


def printable(text: str) -> str:
    """Replace control characters (such as the right-to-left override) by their codes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == _JOINER else f"\\u{ord(c):04x}" for c in text)


def escape(text: str) -> str:
    """Escape a text for plotly, whose labels interpret a few HTML tags and entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def class_name(label: str, say: Translator) -> str:
    """Name of a class for plotly; that of a next token, which may contain anything, is the token."""
    return escape(printable(say(f"rendering.label_{label}")))


def categories(tokens: Sequence[str]) -> list[str]:
    """Unique name per token, `3 · good`, for category axes and hover texts; positions count from 1."""
    return [
        f"{position} · {escape(shorten(printable(token), HOVER_COLUMNS))}" for position, token in enumerate(tokens, 1)
    ]


def tick_texts(tokens: Sequence[str]) -> list[str]:
    """Short text per token for the ticks of an axis."""
    return [escape(shorten(printable(token), TICK_COLUMNS)) for token in tokens]


def text_width(texts: Sequence[str], size: float) -> float:
    """Estimated width in px of the widest line of texts (plotly markup excluded) at a font size."""
    lines = [unescape(re.sub("<[^>]*>", "", line)) for text in texts for line in text.split("<br>")]
    return max(map(columns, lines)) * size * COLUMN


def hover(sentence: str) -> str:
    """Sentence as a hover template without plotly's extra box for the name of the trace."""
    return f"{sentence}<extra></extra>"


def hover_sentence(say: Translator, key: str, /, *columns: str, **values: object) -> str:
    """Message as a hover template.

    Args:
        columns: Its values in `customdata`, in order, each with its format (`low:.1%`).
        values: The others, such as `%{x:.1%}`.
    """
    for number, column in enumerate(columns):
        name, colon, form = column.partition(":")
        place = f"[{number}]" if len(columns) > 1 else ""
        values[name] = f"%{{customdata{place}{colon}{form}}}"
    return hover(say(key, **values))


def upright_ticks(tokens: Sequence[str], cell: float, size: int) -> list[str] | None:
    """Tick texts that need no rotation below cells of `cell` px; None if the labels have to be rotated.

    They stand on one line if all fit. Otherwise Chinese runs from top to bottom, and special tokens
    stay on a line, without their brackets and as large as fits.
    """
    if all(columns(shorten(token, TICK_COLUMNS)) * size * COLUMN <= cell for token in tokens):
        return tick_texts(tokens)
    if 2 * sum(columns(token) > len(token) for token in tokens) < len(tokens) or cell < size * 1.1:
        return None
    return [_stack(token, cell, size) for token in tokens]


def _stack(token: str, cell: float, size: int) -> str:
    """Label from top to bottom."""
    if special := _SPECIAL.fullmatch(token):
        (name,) = special.groups()
        return f'<span style="font-size:{min(size, int(cell / (len(name) * COLUMN)))}px">{name}</span>'
    return "<br>".join(escape(c) for c in shorten(printable(token), TICK_COLUMNS).translate(_VERTICAL))


def tick_step(cell: float, line: float) -> int:
    """Smallest n such that labels of height `line` px fit on every n-th cell of `cell` px."""
    return max(1, ceil(line / cell))


def wrap(text: str, limit: float) -> list[str]:
    """Break a text into lines of at most `limit` columns.

    English breaks at spaces, Chinese between any characters.
    """
    lines, line = [], ""
    # A short bracket stays whole. Opening brackets and quotes stay with what follows, closing ones with what precedes.
    bracket = rf"（[^（）]{{1,{max(1, int(limit) // 2 - 2)}}}）"
    for piece in re.findall(rf"{bracket}|[（“]*(?:[\u2e80-\uffef]|[^\s\u2e80-\uffef]+\s*)|\s+", text):
        if line and columns(line + piece.rstrip()) > limit and piece not in "，。：；、”）":
            lines.append(line.rstrip())
            line = ""
        line += piece
    return [*lines, line.rstrip()]
