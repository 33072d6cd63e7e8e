"""From Message to sentence: message catalogues and the translator that reads them.

A catalogue is a TOML file per language and room, `locale/<language>/<room>.toml`. The key `text.truncated` is the entry
`truncated` of `text.toml`. An entry is a template in Python's format syntax, or a table with `one` and `other`, of which
the value named `count` chooses. A translator is passed in wherever something is said; there is no global language.
"""

from __future__ import annotations

import re
import string
import tomllib
from functools import cache
from pathlib import Path

from viz_core.records import Message

LANGUAGES = {"en": "English", "zh": "中文"}
LOCALE = Path(__file__).parent / "locale"
_PERCENT = re.compile(r"(?<=[\d}]) %")  # behind a number; a no-break space would look the same in the catalogues
_JOIN = {"en": ", ", "zh": "、"}


@cache
def catalogue(language: str) -> dict[str, str | dict[str, str]]:
    """All entries of a language, by full key (`room.entry`). No line is broken between a number and its percent sign."""
    entries = {}
    for file in sorted((LOCALE / language).glob("*.toml")):
        text = _PERCENT.sub("\N{NO-BREAK SPACE}%", file.read_text(encoding="utf-8"))
        for name, template in tomllib.loads(text).items():
            entries[f"{file.stem}.{name}"] = template
    return entries


def closest_language(wanted: str | None) -> str:
    """The language of ours for a browser's locale such as `zh-CN`; English where it is none of ours."""
    prefix = (wanted or "").replace("_", "-").split("-")[0].lower()
    return prefix if prefix in LANGUAGES else "en"


class _Formatter(string.Formatter):
    """Python's format syntax, and `{name!c}` for a value whose first letter becomes a capital."""

    def convert_field(self, value: object, conversion: str | None) -> object:
        if conversion == "c":
            text = str(value)
            return text[:1].upper() + text[1:]
        return super().convert_field(value, conversion)


_FILL = _Formatter()


class Translator:
    """Says messages in one language: `say(Message(...))`, or `say("room.entry", name=value)`."""

    def __init__(self, language: str) -> None:
        if language not in LANGUAGES:
            raise ValueError(f"language {language!r} is not one of {', '.join(LANGUAGES)}")
        self.language = language

    def __call__(self, message: Message | str, /, **values: object) -> str:
        """The sentence. Raises KeyError, naming the key, where the catalogue lacks it."""
        if isinstance(message, Message):
            message, values = message.key, {**message.values, **values}
        template = catalogue(self.language)[message]
        if isinstance(template, dict):
            template = template["one" if values["count"] == 1 else "other"]
        return _FILL.format(template, **{name: self._spoken(value) for name, value in values.items()})

    def _spoken(self, value: object) -> object:
        if isinstance(value, Message):
            return self(value)
        if isinstance(value, (tuple, list)):
            return _JOIN[self.language].join(str(self._spoken(item)) for item in value)
        return value
