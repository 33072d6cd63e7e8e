"""Formatting of text on pages: escaped Markdown, joined sentences, durations."""

from collections.abc import Iterable

from viz_core.language import Translator

_MARKDOWN = frozenset("\\`*_{}[]()<>#+-.!|$:~^=")


def escape_markdown(sentence: str) -> str:
    """Escapes a sentence that contains a visitor's words, so that Markdown shows it literally."""
    return "".join(f"\\{character}" if character in _MARKDOWN else character for character in sentence)


def row_label(label: str, row: str) -> str:
    """The label of a button that stands in every row, with the name of the row, which only screen readers read
    (streamlit.css)."""
    return f"{label} *{escape_markdown(row.strip())}*".strip()


def join_sentences(sentences: Iterable[str], say: Translator) -> str:
    """Joins sentences, in Chinese without spaces."""
    return (" " if say.language == "en" else "").join(sentences)


def duration(seconds: float, say: Translator) -> str:
    """Seconds in readable units: `40 s`, `12 min`, `2.5 h`."""
    if seconds < 90:
        return say("pages.training_seconds", seconds=max(1, round(seconds)))
    if seconds < 5400:
        return say("pages.training_minutes", minutes=round(seconds / 60))
    return say("pages.training_hours", hours=f"{seconds / 3600:.1f}")
