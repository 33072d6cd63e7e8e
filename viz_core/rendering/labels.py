"""Tokens as labels: escaped, unique, short enough for a tick, and not more of them than fit."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from html import unescape
from math import ceil

COLUMN = 0.58  # width of a Latin letter, in heights of the font: an average
TICK_COLUMNS, HOVER_COLUMNS = 14, 60  # a CJK character takes two columns, a Latin letter one
_VERTICAL = str.maketrans("[]…", "\ufe47\ufe48\ufe19")  # the forms that Chinese has for text from top to bottom
_JOINER = "\u200d"  # holds emoji together, so it is no stray control character


def columns(text: str) -> int:
    """Width of a text in columns of a Latin letter."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def shorten(text: str, limit: int) -> str:
    """The text, cut with … where it is wider than `limit` columns."""
    if len(text) <= limit // 2 or columns(text) <= limit:
        return text
    kept, width = "", 1
    for character in text:
        width += columns(character)
        if width > limit:
            break
        kept += character
    return kept + "…"


def printable(text: str) -> str:
    """Control characters (such as the one that turns the writing direction) as their codes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == _JOINER else f"\\u{ord(c):04x}" for c in text)


def escape(text: str) -> str:
    """Text that plotly shows literally: its labels read a few HTML tags and entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def categories(tokens: Sequence[str]) -> list[str]:
    """One unique name a token, `3 · good`: what an axis distinguishes and the hover shows; positions from 1."""
    return [
        f"{position} · {escape(shorten(printable(token), HOVER_COLUMNS))}" for position, token in enumerate(tokens, 1)
    ]


def tick_texts(tokens: Sequence[str]) -> list[str]:
    """One short text a token, for the ticks of an axis."""
    return [escape(shorten(printable(token), TICK_COLUMNS)) for token in tokens]


def width_of(texts: Sequence[str], size: float) -> float:
    """Width of the widest line of texts for plotly, whose tags take no room, in px, at a font size: an estimate."""
    lines = [unescape(re.sub("<[^>]*>", "", line)) for text in texts for line in text.split("<br>")]
    return max(map(columns, lines)) * size * COLUMN


def hover(sentence: str) -> str:
    """A sentence as a hover template, without the box that plotly hangs on it for the trace's name."""
    return f"{sentence}<extra></extra>"


def upright(tokens: Sequence[str], cell: float, size: int) -> list[str] | None:
    """Tick texts that stand upright below cells of `cell` px: on one line where all fit; Chinese from top to bottom where
    they do not. None where the tokens have to be turned on their side."""
    if all(columns(shorten(token, TICK_COLUMNS)) * size * COLUMN <= cell for token in tokens):
        return tick_texts(tokens)
    if 2 * sum(columns(token) > len(token) for token in tokens) < len(tokens) or cell < size * 1.1:
        return None
    return [
        "<br>".join(escape(c) for c in shorten(printable(token), TICK_COLUMNS).translate(_VERTICAL)) for token in tokens
    ]


def every(cell: float, line: float) -> int:
    """Label each n-th token: the smallest n whose labels of height `line` px fit on cells of `cell` px."""
    return max(1, ceil(line / cell))


def wrap(text: str, limit: float) -> list[str]:
    """The text in lines of at most `limit` columns; English breaks at spaces, Chinese between any two characters."""
    lines, line = [], ""
    for piece in re.findall(r"[\u2e80-\uffef]|[^\s\u2e80-\uffef]+\s*|\s+", text):
        if line and columns(line + piece.rstrip()) > limit and piece not in "，。：；、”）":
            lines.append(line.rstrip())
            line = ""
        line += piece
    return [*lines, line.rstrip()]
