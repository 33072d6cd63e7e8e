"""The sheet of a lesson: boxes and lines on the one, the right answers on the other; in both languages."""

from html.parser import HTMLParser

import pytest

from tests.browser import PROJECT
from tests.pictures import compare
from viz_core.language import LANGUAGES, Translator
from viz_core.lessons.reading import read_lesson
from viz_core.lessons.sheet import sheet

FILE = PROJECT / "tests/lessons/own/1-looking.md"
LESSON = read_lesson(FILE)


class Parts(HTMLParser):
    """Elements and text of a document, flat. Raises AssertionError where it loads anything or runs a script."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, str]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        assert tag not in ("script", "img", "link", "iframe")
        assert not {name for name, _ in attrs} & {"src", "onclick"}
        self.tags.append((tag, dict(attrs).get("class", "")))

    def handle_data(self, data):
        self.text += data


def both(lesson, language="en"):
    return [Parts(sheet(lesson, Translator(language), has_answers)) for has_answers in (False, True)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_card_has_its_question_and_room_for_an_answer(language):
    questions, answers = both(LESSON, language)
    sides = [card.sides[language] for card in LESSON.cards]
    options = sum(len(side.options) for side in sides)
    assert questions.tags.count(("section", "")) == len(sides)
    assert questions.text.count("☐") == options and "☒" not in questions.text
    assert (answers.text.count("☐"), answers.text.count("☒")) == (options - 1, 1)
    assert questions.tags.count(("p", "number")) == sum(
        card.ask is not None and card.ask.number is not None for card in LESSON.cards
    )
    assert ("div", "room") in questions.tags and ("div", "room") not in answers.tags
    assert "glossary:" not in questions.text
    for card, side in zip(LESSON.cards, sides, strict=True):
        assert side.title in questions.text
        assert not side.notes or side.notes not in answers.text  # the notes are the teacher's
        if side.reveal and (card.ask or card.done):
            assert side.reveal.strip("*$.。") in answers.text
            assert side.reveal.strip("*$.。") not in questions.text


def test_what_a_lesson_says_is_text_except_for_formulas(tmp_path):
    file = tmp_path / FILE.name
    wild = "<script>alert(1)</script> ![x](http://x.y/z.png) `a $b$` costs $x_1$ \n\n"
    file.write_text(FILE.read_text("utf-8").replace("\n***", f"\n{wild}\n***", 1), "utf-8")
    (questions, _) = both(read_lesson(file))
    assert "<script>alert(1)</script>" in questions.text
    assert "a $b$" in questions.text
    assert [tag for tag, _ in questions.tags].count("msub") == 1


@pytest.mark.browser
def test_a_sheet_looks_as_before(browser):
    page = browser.new_page(viewport={"width": 794, "height": 400})  # A4
    page.set_content(sheet(LESSON, Translator("zh"), has_answers=True))
    compare(page.screenshot(full_page=True), "lesson_sheet")
    page.close()
