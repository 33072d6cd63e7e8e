"""Reading the file of a lesson: front matter in TOML, then cards. docs/lessons.md has the format."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from viz_core.language import LANGUAGES
from viz_core.lessons.lesson import About, Ask, Card, Done, Lesson, Side
from viz_core.records import Failure

_FRONT = re.compile(r"\A\+\+\+\n(?P<toml>.*?)\n\+\+\+\n(?P<cards>.*)\Z", re.DOTALL)
_CARD = re.compile(r"^## (?P<name>.*)\n(?P<body>(?:(?!## ).*\n?)*)", re.MULTILINE)
_SETTINGS = re.compile(r"\A\s*```toml\n(?P<toml>.*?)^```\n(?P<sides>.*)\Z", re.DOTALL | re.MULTILINE)
_SIDE = re.compile(r"^### (?P<title>.*)\n(?P<text>(?:(?!### ).*\n?)*)", re.MULTILINE)
_OPTION = re.compile(r"^\d+\. +(.*)\n*", re.MULTILINE)
_NOTE = re.compile(r"^> ?(.*)\n?", re.MULTILINE)
_REVEAL = re.compile(r"^\*\*\*\s*$", re.MULTILINE)
_NAME = re.compile("[a-z][a-z0-9-]{0,39}")
_KEYS = {*(field.name for field in fields(Card) if field.name not in ("name", "sides")), "open_zh"}


def read_lesson(file: Path) -> Lesson:
    """The lesson of a file `NUMBER-NAME.md` or `NAME.md`. Raises Failure, with the card, for what cannot be read."""
    name = file.stem.lstrip("0123456789").lstrip("-")
    try:
        return _read(name, file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise Failure("lessons.unreadable", file=file.name, reason=str(error)) from error
    except (_Wrong, tomllib.TOMLDecodeError, TypeError, ValueError, AttributeError) as error:  # the last three: kinds
        raise Failure("lessons.wrong", file=file.name, reason=str(error)) from error


class _Wrong(Exception):
    """What is wrong with a file, in English like the format itself."""


def _read(name: str, text: str) -> Lesson:
    if not _NAME.fullmatch(name):
        raise _Wrong(f"“{name}” is not a name: use lower-case letters, digits and hyphens")
    if not (match := _FRONT.match(text.replace("\r\n", "\n"))):
        raise _Wrong("it must begin with settings between two lines +++")
    front = tomllib.loads(match["toml"])
    cards = tuple(_read_card(match["name"].strip(), match["body"]) for match in _CARD.finditer(match["cards"]))
    if not cards:
        raise _Wrong("it has no card: a card begins with a line “## name”")
    names = [card.name for card in cards]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise _Wrong(f"two cards are called “{twice}”")
    if missing := next((language for language in LANGUAGES if language not in front), None):
        raise _Wrong(f"its settings have no table [{missing}]")
    about = {language: _about(language, front[language]) for language in LANGUAGES}
    return Lesson(name, about, int(front.get("minutes", sum(card.minutes for card in cards))), cards)


def _about(language: str, table: Mapping[str, Any]) -> About:
    known = {field.name for field in fields(About)}
    for key in ("title", "summary"):
        if not isinstance(table.get(key), str):
            raise _Wrong(f"[{language}] has no {key}, or it is no text")
    if unknown := set(table) - known:
        raise _Wrong(f"[{language}] has an unknown key “{min(unknown)}”; known are {', '.join(sorted(known))}")
    values: dict[str, Any] = {key: value if isinstance(value, str) else tuple(value) for key, value in table.items()}
    return About(**values)


def _read_card(name: str, body: str) -> Card:
    if not _NAME.fullmatch(name):
        raise _Wrong(f"card “{name}”: use lower-case letters, digits and hyphens")
    match = _SETTINGS.match(body)
    settings = tomllib.loads(match["toml"]) if match else {}
    sections = [*_SIDE.finditer(match["sides"] if match else body)]
    if len(sections) != len(LANGUAGES):
        raise _Wrong(f"card “{name}” has {len(sections)} sections ###; it needs one for each language: English, 中文")
    if unknown := set(settings) - _KEYS:
        raise _Wrong(f"card “{name}” has an unknown key “{min(unknown)}”; known are {', '.join(sorted(_KEYS))}")
    for key in ("open", "code"):
        if not isinstance(settings.get(key, ""), str):
            raise _Wrong(f"card “{name}”: {key} is no text")
    ask = _ask(name, settings)
    has_options = ask is not None and ask.choice is not None
    sides = [_side(section["title"].strip(), section["text"], has_options) for section in sections]
    for side in sides:
        _check_options(name, side, ask)
    address = settings.get("open", "")
    addresses = {language: str(settings.get(f"open_{language}", address)) for language in LANGUAGES}
    done = _done(name, settings.get("done"), str(address).partition("?")[0])
    card = Card(
        name,
        dict(zip(LANGUAGES, sides, strict=True)),
        settings.get("minutes", 1),
        {language: address for language, address in addresses.items() if address},
        _strings(settings.get("point", ())),
        done,
        ask,
        settings.get("code", ""),
        tuple(settings.get("expect", ())),
    )
    for language in LANGUAGES:
        if done and (unset := set(done.changed) - set(card.state(language)[1])):
            raise _Wrong(f"card “{name}”: “{min(unset)}” is to be changed, but `open` does not set it")
    return card


def _check_options(name: str, side: Side, ask: Ask | None) -> None:
    if ask and ask.choice is not None and not (len(side.options) > 1 and 0 <= ask.choice <= len(side.options)):
        raise _Wrong(f"card “{name}”: choice {ask.choice} of {len(side.options)} options in “{side.title}”")


def _record(card: str, kind: type, table: Mapping[str, Any] | None) -> Any:
    known = [field.name for field in fields(kind)]
    if table is None:
        return None
    if unknown := set(table) - set(known):
        raise _Wrong(f"card “{card}”: unknown key “{min(unknown)}”; known are {', '.join(known)}")
    return kind(**table)


def _ask(card: str, settings: Mapping[str, Any]) -> Ask | None:
    ask = _record(card, Ask, settings.get("ask"))
    if ask and "done" in settings:
        raise _Wrong(f"card “{card}” has both done and ask: make two cards of it")
    if ask and (ask.choice is not None) + (ask.number is not None) + ask.text != 1:
        raise _Wrong(f"card “{card}”: ask is of one kind, choice, number or text")
    return ask


def _done(card: str, table: Mapping[str, Any] | None, page: str) -> Done | None:
    if table is None:
        return None
    table = {"page": page} | {"equal" if key == "is" else key: value for key, value in table.items()}
    for key in {"set", "changed"} & set(table):
        table[key] = _strings(table[key])
    if "equal" in table:
        table["equal"] = {name: _strings(value) for name, value in table["equal"].items()}
    return _record(card, Done, table)


def _strings(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(map(str, value))


def _side(title: str, section: str, has_options: bool) -> Side:
    notes = "\n".join(match[1] for match in _NOTE.finditer(section))
    text, *reveal = _REVEAL.split(_NOTE.sub("", section), maxsplit=1)
    options = [*_first_list(text)] if has_options else []
    for option in options:
        text = text.replace(option[0], "", 1)
    return Side(
        title, text.strip(), tuple(option[1].strip() for option in options), "".join(reveal).strip(), notes.strip()
    )


def _first_list(text: str) -> Iterator[re.Match]:
    """The lines of the first ordered list."""
    end = None
    for match in _OPTION.finditer(text):
        if end is not None and text[end : match.start()].strip():
            return
        end = match.end()
        yield match
