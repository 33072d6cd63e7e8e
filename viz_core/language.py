"""Message catalogues and the translator, which turns a Message into a sentence.

Catalogues are TOML files, `locale/<language>/<topic>.toml`. The key `text.truncated` is the entry
`truncated` of `text.toml`. An entry is a template in Python's format syntax, or a table of the
plural forms `one` and `other`, selected by the value `count`. Translators are passed as arguments;
there is no global language.

A task that is added while the process runs brings its own words (`add_words`); entries of the
catalogues take precedence.
"""

import string
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from threading import Lock

from viz_core.records import Message

LANGUAGES = {"en": "English", "zh": "中文"}
LOCALE = Path(__file__).parent / "locale"
_LABEL = "rendering.label_"  # prefix of the name of a class
_ANY = "tasks"  # the catalogue for tasks that have no words of their own
_JOIN = {"en": ", ", "zh": "、"}


Words = Mapping[str, Mapping[str, str]]  # by language and entry
_lock = Lock()
_words: dict[str, Words] = {}


@cache
def catalogue(language: str) -> dict[str, str | dict[str, str]]:
    """All entries of a language by full key (`topic.entry`)."""
    entries = {}
    for file in sorted((LOCALE / language).glob("*.toml")):
        for name, template in tomllib.loads(file.read_text(encoding="utf-8")).items():
            entries[f"{file.stem}.{name}"] = template
    return entries


def add_words(topic: str, words: Words) -> None:
    """Add sentences for the entries of a topic that the catalogues lack.

    Among them are `label_<class>`, the names of its classes. They are plain texts, not templates: a
    visitor may have typed them.
    """
    with _lock:
        _words[topic] = words


def remove_words(topic: str) -> None:
    """Remove the words of a topic."""
    with _lock:
        _words.pop(topic, None)


def closest_language(locale: str | None) -> str:
    """The available language for a browser's locale such as `zh-CN`; English if there is none."""
    prefix = (locale or "").replace("_", "-").split("-")[0].lower()
    return prefix if prefix in LANGUAGES else "en"


def has_sentence(message: Message) -> bool:
    """Whether a message becomes a sentence in every language.

    One that was read from a file may be of any kind.
    """
    try:
        return all(Translator(language)(message) for language in LANGUAGES)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, RecursionError):
        return False


class _Formatter(string.Formatter):
    """Python's format syntax, with minus signs, and `{name!c}` for a value whose first letter becomes a capital."""

    def convert_field(self, value: object, conversion: str | None) -> object:
        """Capitalise the first letter for the conversion `c`."""
        if conversion == "c":
            text = str(value)
            return text[:1].upper() + text[1:]
        return super().convert_field(value, conversion)

    def format_field(self, value: object, format_spec: str) -> str:
        """Format a value, a negative number with a minus sign, not a hyphen."""
        text = super().format_field(value, format_spec)
        return f"−{text[1:]}" if isinstance(value, (int, float)) and text.startswith("-") else text


_FILL = _Formatter()


class Translator:
    """Translates messages into one language: `say(Message(...))`, or `say("topic.entry", name=value)`."""

    def __init__(self, language: str) -> None:
        if language not in LANGUAGES:
            raise ValueError(f"language {language!r} is not one of {', '.join(LANGUAGES)}")
        self.language = language

    def __call__(self, message: Message | str, /, **values: object) -> str:
        """The sentence for a message.

        It comes from the catalogue, or else from the words that its topic brings along, in this
        language if it has any. A class without a name here, for example in a model from elsewhere,
        is called what the model calls it.

        Raises:
            KeyError: If there is no such key.
        """
        if isinstance(message, Message):
            return self(message.key, **{**message.values, **values})
        if message not in catalogue(self.language):
            return self._own_words(message)
        template = catalogue(self.language)[message]
        if isinstance(template, dict):
            template = template["one" if values["count"] == 1 else "other"]
        return _FILL.format(template, **{name: self._format(value) for name, value in values.items()})

    def _own_words(self, key: str) -> str:
        is_label, (topic, _, entry) = key.startswith(_LABEL), key.partition(".")
        with _lock:
            brought = [words for name, words in _words.items() if is_label or name == topic]
        for words in brought:
            for language in (self.language, *LANGUAGES):
                if sentence := words.get(language, {}).get(entry):
                    return sentence
        if is_label:
            return key.removeprefix(_LABEL)
        if brought and f"{_ANY}.{entry}" in catalogue(self.language):
            return self(f"{_ANY}.{entry}", task=topic)
        raise KeyError(key)

    def _format(self, value: object) -> object:
        if isinstance(value, Message):
            return self(value)
        if isinstance(value, (tuple, list)):
            return _JOIN[self.language].join(str(self._format(item)) for item in value)
        return value
