"""The pages of the documents about lessons, written from their files: what a teacher needs for each card."""

import re
from collections.abc import Iterator

from viz_core.language import LANGUAGES, Translator
from viz_core.lessons import Card, Lesson, Side
from viz_core.lessons.finding import SHIPPED
from viz_core.lessons.formulas import FORMULA, mathml
from viz_core.lessons.reading import read_lesson

_WORDS = {
    "en": {
        **{"aims": "Aims", "cards": "Cards", "questions": "What students ask", "trouble": "What may go wrong"},
        **{"say": "For you:", "answer": "Answer:", "code": "Code:", "table": "| lesson | about | length |"},
        "about": "*Present*, on the app's page *Lessons*, shows all this card by card.",
        "address": "Its address, after that of the app:",
        **{"minutes": "{minutes} min", "place": "{number}. {title} ({minutes} min)", "stop": "."},
    },
    "zh": {
        **{"aims": "目标", "cards": "卡片", "questions": "学生常问", "trouble": "可能出的问题"},
        **{"say": "给老师：", "answer": "答案：", "code": "代码：", "table": "| 课 | 内容 | 时长 |"},
        "about": "在应用的“课程”页点“讲课模式”，就能一张卡片一张卡片地看到这些内容。",
        "address": "接在应用网址后面的地址：",
        **{"minutes": "{minutes} 分钟", "place": "{number}. {title}（{minutes} 分钟）", "stop": "。"},
    },
}
_SEPARATOR = re.compile(" — |——")  # between a question and its answer
_TERM = re.compile(r"\]\(glossary:[^)]+\)")


def pages() -> dict[str, str]:
    """Markdown by the name of the document: a page per lesson that ships, in each language."""
    return {
        f"lessons/{lesson.name}{_suffix(language)}.md": "\n\n".join(_page(lesson, language)) + "\n"
        for lesson in shipped()
        for language in LANGUAGES
    }


def table(language: str) -> str:
    """All lessons, with how long they take."""
    say = Translator(language)
    rows = [
        f"| [{lesson.about[language].title}](lessons/{lesson.name}.md) | {_text(lesson.about[language].summary)} | "
        f"{say('lessons.length', minutes=lesson.minutes, count=len(lesson.cards))} |"
        for lesson in shipped()
    ]
    return "\n".join([_WORDS[language]["table"], "|---|---|---|", *rows])


def shipped() -> list[Lesson]:
    """The lessons that ship, in order."""
    return [read_lesson(file) for file in sorted(SHIPPED.glob("*.md"))]


def _suffix(language: str) -> str:
    return "" if language == "en" else f".{language}"


def _page(lesson: Lesson, language: str) -> Iterator[str]:
    say, words, about = Translator(language), _WORDS[language], lesson.about[language]
    yield f"# {_text(about.title)}"
    length = say("lessons.length", minutes=lesson.minutes, count=len(lesson.cards))
    yield f"**{_text(about.summary)}** {length}{words['stop']}"
    yield words["about"]
    yield f"{words['address']}\n\n```\n{lesson.address(0, language)}\n```"
    if about.aims:
        yield f"## {words['aims']}"
        yield _list(about.aims)
    yield f"## {words['cards']}"
    for number, card in enumerate(lesson.cards, 1):
        yield from _card(card, number, language)
    if about.questions:
        yield f"## {words['questions']}"
        for question in about.questions:
            asked, *answered = _SEPARATOR.split(question, maxsplit=1)
            yield f"**{_text(asked)}**  \n{_text(''.join(answered))}".rstrip()
    if about.trouble:
        yield f"## {words['trouble']}"
        yield _list(about.trouble)


def _card(card: Card, number: int, language: str) -> Iterator[str]:
    """What the students read and do, the answer, and what to say."""
    words, side = _WORDS[language], card.sides[language]
    yield "### " + words["place"].format(number=number, title=_text(side.title), minutes=f"{card.minutes:g}")
    yield _text(side.text)
    if side.options:
        yield "\n".join(f"{place}. {_text(option)}" for place, option in enumerate(side.options, 1))
    if card.ask or card.done:
        yield from _answer(card, side, words["answer"])
    elif side.reveal:
        yield _text(side.reveal)
    if card.code:
        yield f"**{words['code']}** `viz_core/{card.code}`"
    if side.notes:
        yield "\n".join(f"> {line}" for line in f"**{words['say']}** {_text(side.notes)}".splitlines())


def _answer(card: Card, side: Side, word: str) -> Iterator[str]:
    right = ""
    if card.ask and card.ask.choice:
        right = f" {card.ask.choice}. {_text(side.options[card.ask.choice - 1])}"
    elif card.ask and card.ask.number is not None:
        right = f" {card.ask.number:g} ± {card.ask.within:g}"
    if right:
        yield f"**{word}**{right}"
    if side.reveal:
        yield _text(side.reveal) if right else f"**{word}** {_text(side.reveal)}"


def _list(items: tuple[str, ...]) -> str:
    return "\n".join(f"- {_text(item)}" for item in items)


def _text(markdown: str) -> str:
    """Terms as links into the glossary, formulas as MathML, in a span so that no block begins with them."""
    linked = _TERM.sub("](../glossary.md)", markdown)
    return FORMULA.sub(lambda match: f"<span>{mathml(match['latex'])}</span>", linked)
