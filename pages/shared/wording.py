"""How the pages say things: a sentence shown to the letter, several sentences in a row, seconds as a person says them."""

from __future__ import annotations

from collections.abc import Iterable

from viz_core.language import Translator

_MARKDOWN = frozenset("\\`*_{}[]()<>#+-.!|$:~^=")


def escape_markdown(sentence: str) -> str:
    """A sentence with somebody's words in it, for places that read Markdown: shown to the letter."""
    return "".join(f"\\{character}" if character in _MARKDOWN else character for character in sentence)


def join_sentences(sentences: Iterable[str], say: Translator) -> str:
    """Sentences one after the other; Chinese has no space between them."""
    return (" " if say.language == "en" else "").join(sentences)


def duration(seconds: float, say: Translator) -> str:
    """Seconds as a person says them: `40 s`, `12 min`, `2.5 h`."""
    if seconds < 90:
        return say("pages.training_seconds", seconds=max(1, round(seconds)))
    if seconds < 5400:
        return say("pages.training_minutes", minutes=round(seconds / 60))
    return say("pages.training_hours", hours=f"{seconds / 3600:.1f}")
