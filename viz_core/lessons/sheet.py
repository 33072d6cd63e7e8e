"""A lesson on paper (A4): its questions with room for answers, or with the answers, as HTML without scripts."""

from html import escape
from pathlib import Path

from viz_core.language import Translator
from viz_core.lessons.lesson import Card, Lesson
from viz_core.lessons.markup import html, inline

_STYLE = Path(__file__).with_name("sheet.css")
_ROOM = {"done": 2, "text": 5}  # lines to write on


def sheet(lesson: Lesson, say: Translator, has_answers: bool) -> str:
    """The document."""
    about = lesson.about[say.language]
    title = say("lessons.sheet_title_answers", title=about.title) if has_answers else about.title
    person = "".join(f"<span>{escape(say(f'calculator.sheet_{what}'))}</span>" for what in ("name", "date"))
    lines = "" if has_answers else f'<p class="lines">{person}</p>'
    cards = "".join(_card(card, number, say, has_answers) for number, card in enumerate(lesson.cards, 1))
    return (
        f'<!DOCTYPE html><html lang="{say.language}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
        f"<style>{_STYLE.read_text('utf-8')}</style></head><body>"
        f"<header><h1>{escape(title)}</h1>{lines}</header>"
        f"<p>{inline(about.summary)}</p>{cards}</body></html>"
    )


def _card(card: Card, number: int, say: Translator, has_answers: bool) -> str:
    side, is_open = card.sides[say.language], card.ask is not None or card.done is not None
    shows_reveal = side.reveal and (has_answers or not is_open)
    parts = [
        f"<h2>{number}. {inline(side.title)}</h2>",
        html(side.text),
        _answer(card, say, has_answers),
        f'<div class="reveal">{html(side.reveal)}</div>' if shows_reveal else "",
    ]
    return f"<section>{''.join(parts)}</section>"


def _answer(card: Card, say: Translator, has_answers: bool) -> str:
    """Options to tick, a blank for a number, or lines; filled in where there is a right answer."""
    ask = card.ask
    if ask and ask.choice is not None:
        right = ask.choice if has_answers else 0
        options = enumerate(card.sides[say.language].options, 1)
        return f'<ul class="options">{"".join(_option(text, number == right) for number, text in options)}</ul>'
    if ask and ask.number is not None:
        number = f"<b>{ask.number:g}</b>" if has_answers else ""
        return f'<p class="number">{escape(say("lessons.your_number"))} <span>{number}</span></p>'
    if has_answers or not (ask or card.done):
        return ""
    return f'<div class="room">{"<div></div>" * _ROOM["text" if ask else "done"]}</div>'


def _option(text: str, is_right: bool) -> str:
    mark, kind = ("☒", ' class="right"') if is_right else ("☐", "")
    return f"<li{kind}>{mark} {inline(text)}</li>"
