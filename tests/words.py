"""The words of the interface in tests: named by their keys, so that the sentences themselves are free to change."""

import re
import string

from viz_core.language import LANGUAGES, Translator, catalogue
from viz_core.records import Message

english, chinese = map(Translator, LANGUAGES)


def says(text: str, key: str, language: str = "en", /, **values: object) -> bool:
    """Whether a text, Markdown or not, has the sentence of a key, with these of its values and any others."""
    entry = catalogue(language)[key]
    templates = entry.values() if isinstance(entry, dict) else [entry]
    return any(re.search(_pattern(template, language, values), plain(text), re.DOTALL) for template in templates)


def opening(key: str, language: str = "en") -> str:
    """The words of a sentence up to its first value."""
    return next(iter(string.Formatter().parse(catalogue(language)[key])))[0].rstrip(" (“")


def _pattern(template: str, language: str, values: dict[str, object]) -> str:
    pattern = ""
    for literal, name, form, conversion in string.Formatter().parse(template):
        pattern += re.escape(plain(literal))
        if name in values:
            pattern += re.escape(plain(_filled(values[name], form, conversion, language)))
        elif name:
            pattern += ".*?"
    return pattern


def _filled(value: object, form: str, conversion: str | None, language: str) -> str:
    text = Translator(language)(value) if isinstance(value, Message) else format(value, form)
    return text[:1].upper() + text[1:] if conversion == "c" else text


def plain(text: str) -> str:
    """Without what Markdown and narrow figures add: backslashes and line breaks, with all other white space."""
    return re.sub(r"\\|<br>|\s", "", text)
