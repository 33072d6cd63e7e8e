"""How long a text may be. Longer ones are cut where they enter, and a notice says so.

The limit is far beyond what a model reads, and beyond the longest review of IMDB (13,704
characters). Without it, a single pasted text would be sent to the browser, stored in caches and
split into words again at every key press.
"""

from collections.abc import Sequence

from viz_core.records import Message

MAX_CHARACTERS = 20_000  # Unicode code points


def cut_text(text: str) -> str:
    """The first MAX_CHARACTERS characters of a text."""
    return text[:MAX_CHARACTERS]


def is_cut(text: str) -> bool:
    """Whether `cut_text` leaves something out."""
    return len(text) > MAX_CHARACTERS


def cut_notices(texts: Sequence[str]) -> tuple[Message, ...]:
    """A notice for each text, or each sentence of a pair, that is cut."""
    names = [text_name(number, len(texts)) for number in range(len(texts))]
    return tuple(
        Message("text.cut", {"where": name, "typed": len(text), "limit": MAX_CHARACTERS})
        for text, name in zip(texts, names, strict=True)
        if is_cut(text)
    )


def text_name(number: int, count: int) -> Message:
    """The name of one of `count` texts in a sentence: the text, or sentence A or B of a pair."""
    return Message("text.the_text") if count == 1 else Message("text.sentence", {"number": "AB"[number]})
