"""A lesson as a notebook: its cards as Markdown, and what they open as cells that draw it."""

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from viz_core.language import Translator
from viz_core.lessons.glossary import plain_terms
from viz_core.lessons.lesson import Ask, Card, Lesson, Side
from viz_core.lessons.opened import PATCHING, Opened, opened
from viz_core.lessons.source import excerpt

_APP = "http://localhost:8501"  # where `make run` starts it
_ATLAS = {"atlas_x": "x", "atlas_y": "y", "atlas_colour": "colour", "kind": "kind"}  # in a link, and of show_heads
Cell = dict[str, Any]


def lesson_notebook(lesson: Lesson, say: Translator, first_model: Callable[[str], str]) -> str:
    """The notebook in the language of the translator, as JSON.

    Args:
        first_model: The model of a task that a page shows if the link names none.

    Raises:
        Failure: If a card shows code that does not exist.
    """
    about = lesson.about[say.language]
    head = [f"# {about.title}", about.summary, "\n".join(f"- {aim}" for aim in about.aims)]
    cells = [markdown_cell("lesson", *head, say("notebook.lesson_note"))]
    for card in lesson.cards:
        side = card.sides[say.language]
        cells.append(markdown_cell(f"{card.name}_card", f"## {side.title}", plain_terms(side.text), options(side)))
        drawing = drawing_cell(card, say, first_model)
        cells += [*([drawing] if drawing else []), *_way_to_app(card, drawing is not None, say)]
        cells += _outcome(card, side, say)
    return notebook(cells)


def notebook(cells: list[Cell]) -> str:
    """A document of nbformat 4.5, https://nbformat.readthedocs.io/en/latest/format_description.html.

    After the first cell, another imports what the others call.
    """
    if names := sorted({cell["source"][0].partition("(")[0] for cell in cells if cell["cell_type"] == "code"}):
        cells = [cells[0], _code_cell("imports", f"from viz_core import {', '.join(names)}"), *cells[1:]]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    document = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def markdown_cell(name: str, *paragraphs: str) -> Cell:
    """A cell of paragraphs, of which empty ones are left out. name: of letters, digits, - and _."""
    source = "\n\n".join(filter(None, paragraphs))
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source.splitlines(keepends=True)}


def _code_cell(name: str, source: str) -> Cell:
    return {"cell_type": "code", "id": name, "execution_count": None, "metadata": {}, "outputs": [], "source": [source]}


def options(side: Side) -> str:
    """The options of a question, numbered."""
    return "\n".join(f"{number}. {plain_terms(option)}" for number, option in enumerate(side.options, 1))


def right_answer(ask: Ask, side: Side) -> str:
    """The right option or number; empty if there is none."""
    if ask.choice:
        return plain_terms(side.options[ask.choice - 1])
    return "" if ask.number is None else f"{ask.number:g}"


def drawing_cell(card: Card, say: Translator, first_model: Callable[[str], str]) -> Cell | None:
    """The cell that draws what a card opens; None if it opens nothing, or what only the app has."""
    found = opened(card, say.language, first_model)
    code = _call(found, say.language) if found else _atlas(*card.state(say.language), say.language)
    return _code_cell(f"{card.name}_state", code) if code else None


def _way_to_app(card: Card, is_drawn: bool, say: Translator) -> list[Cell]:
    """Where the app shows what a card opens, if a cell cannot: other pages, changes of the model, comparisons."""
    page, link = card.state(say.language)
    if not page or (is_drawn and link.get("evidence", PATCHING) == PATCHING and "ref_model" not in link):
        return []
    address = f"{_APP}/{page}?{urlencode({'lang': say.language, **link}, quote_via=quote)}"
    return [markdown_cell(f"{card.name}_app", say("notebook.lesson_in_app", page=page, address=address))]


def _call(found: Opened, language: str) -> str:
    """`show("imdb/small", "Good.", layer=2, head=1, language="en")`, or that of patching."""
    if found.source:
        texts = [text if len(text) > 1 else text[0] for text in (found.source, found.texts)]
        if found.link.get("patch") == "out":
            texts.reverse()
        part = {name: found.link.get(name, "") for name in ("site", "sender")}
        if part["site"] == "paths":  # which a sender alone says
            part["site"] = ""
        return _written("show_patching", found.reference, *texts, **part, language=language)
    layer, head = (None if number is None else number + 1 for number in found.head)
    return _written("show", found.reference, *found.texts, layer=layer, head=head, language=language)


def _atlas(page: str, link: Mapping[str, str], language: str) -> str:
    if page != "models" or not (link.get("task") and link.get("model")):
        return ""
    axes = {name: link.get(parameter, "") for parameter, name in _ATLAS.items()}
    return _written("show_heads", f"{link['task']}/{link['model']}", **axes, language=language)


def _written(name: str, *arguments: object, **named: object) -> str:
    """A call in Python, without the named arguments that are not set."""
    written = [_literal(value) for value in arguments]
    written += [f"{key}={_literal(value)}" for key, value in named.items() if value not in (None, "")]
    return f"{name}({', '.join(written)})"


def _literal(value: object) -> str:
    """In Python, where strings and numbers are written as in JSON."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))})"
    return json.dumps(value, ensure_ascii=False)


def _outcome(card: Card, side: Side, say: Translator) -> list[Cell]:
    """What is revealed, folded if there is something to do or to answer before, and the code, folded."""
    right = right_answer(card.ask, side) if card.ask else ""
    reveal = "\n\n".join(filter(None, (f"**{right}**" if right else "", plain_terms(side.reveal))))
    parts = [_folded(say("notebook.lesson_answer"), reveal) if card.ask or card.done else reveal]
    if card.code:
        parts.append(_folded(say("lessons.code"), f"`viz_core/{card.code}`\n\n{fenced(excerpt(card.code), 'python')}"))
    return [markdown_cell(f"{card.name}_outcome", *parts)] if any(parts) else []


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>" if text else ""


def fenced(text: str, kind: str = "text") -> str:
    """A text that is shown as it is, whatever Markdown, HTML or formulas it contains."""
    longest = max((len(run) for run in "".join(c if c == "`" else " " for c in text).split()), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}"
