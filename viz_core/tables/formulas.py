"""Cells that a spreadsheet would evaluate: a text of an upload must be no formula for whoever opens the results."""

from __future__ import annotations

import re

# OWASP, CSV injection; the full-width signs count for spreadsheets of East Asia.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_ESCAPED = re.compile(r"''*[=+\-@\t\r\n＝＋－＠]")


def escape_formula(text: str) -> str:
    """The text after an apostrophe if a spreadsheet would evaluate it, or if `unescape_formula` would change it."""
    return f"'{text}" if _FORMULA.match(text) else text


def unescape_formula(text: str) -> str:
    """The text of `escape_formula` as it was."""
    return text[1:] if _ESCAPED.match(text) else text
