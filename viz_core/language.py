"""Message catalogues and the translator, which turns a Message into a sentence.

Catalogues are TOML files, `locale/<language>/<topic>.toml`. The key `text.truncated` is the entry `truncated` of
`text.toml`. An entry is a template in Python's format syntax, or a table of the plural forms `one` and `other`,
selected by the value `count`. Translators are passed as arguments; there is no global language.
"""

from __future__ import annotations

import string
import tomllib
from functools import cache
from pathlib import Path

from viz_core.records import Message

LANGUAGES = {"en": "English", "zh": "中文"}
LOCALE = Path(__file__).parent / "locale"
_LABEL = "rendering.label_"  # before the name of a class
_JOIN = {"en": ", ", "zh": "、"}


@cache
def catalogue(language: str) -> dict[str, str | dict[str, str]]:
    """All entries of a language by full key (`topic.entry`)."""
    entries = {}
    for file in sorted((LOCALE / language).glob("*.toml")):
        for name, template in tomllib.loads(file.read_text(encoding="utf-8")).items():
            entries[f"{file.stem}.{name}"] = template
    return entries


def closest_language(locale: str | None) -> str:
    """The available language for a browser's locale such as `zh-CN`; English if there is none."""
    prefix = (locale or "").replace("_", "-").split("-")[0].lower()
    return prefix if prefix in LANGUAGES else "en"


def has_sentence(message: Message) -> bool:
    """Whether a message becomes a sentence in every language; one that was read from a file may be of any kind."""
    try:
        return all(Translator(language)(message) for language in LANGUAGES)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, RecursionError):
        return False


class _Formatter(string.Formatter):
    """Python's format syntax, and `{name!c}` for a value whose first letter becomes a capital."""

    def convert_field(self, value: object, conversion: str | None) -> object:
        if conversion == "c":
            text = str(value)
            return text[:1].upper() + text[1:]
        return super().convert_field(value, conversion)


_FILL = _Formatter()


class Translator:
    """Translates messages into one language: `say(Message(...))`, or `say("topic.entry", name=value)`."""

    def __init__(self, language: str) -> None:
        if language not in LANGUAGES:
            raise ValueError(f"language {language!r} is not one of {', '.join(LANGUAGES)}")
        self.language = language

    def __call__(self, message: Message | str, /, **values: object) -> str:
        """The sentence. Raises KeyError if the catalogue has no such key. A class that it does not name, as of a model
        from elsewhere, is called what the model calls it."""
        if isinstance(message, Message):
            return self(message.key, **{**message.values, **values})
        if message.startswith(_LABEL) and message not in catalogue(self.language):
            return message.removeprefix(_LABEL)
        template = catalogue(self.language)[message]
        if isinstance(template, dict):
            template = template["one" if values["count"] == 1 else "other"]
        return _FILL.format(template, **{name: self._format(value) for name, value in values.items()})

    def _format(self, value: object) -> object:
        if isinstance(value, Message):
            return self(value)
        if isinstance(value, (tuple, list)):
            return _JOIN[self.language].join(str(self._format(item)) for item in value)
        return value
