"""Every lesson that ships: what it says of models is so, and what it opens, shows and points at is there."""

import re
from itertools import chain

import pytest

from pages.shared.controls import CONTROLS
from pages.shared.models import find_model
from pages.shared.tasks import PAGES
from tests.lessons.facts import computed
from tests.pages.app import TITLES
from viz_core.checkpoints import FOLDER
from viz_core.language import LANGUAGES
from viz_core.lessons.finding import SHIPPED
from viz_core.lessons.glossary import link_terms, meanings
from viz_core.lessons.reading import read_lesson
from viz_core.lessons.source import excerpt

LESSONS = [read_lesson(file) for file in sorted(SHIPPED.glob("*.md"))]
CARDS = [pytest.param(card, id=f"{lesson.name}/{card.name}") for lesson in LESSONS for card in lesson.cards]
MOST = 115  # English words of a card, or twice as many Chinese characters, before anything is revealed


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("card", [case for case in CARDS if case.values[0].expect])
def test_what_a_card_says_of_a_model_is_so(card, language):
    for fact in card.expect:
        expected = {name: fact[name] for name in ("predicts", "probability", "weight") if name in fact}
        assert computed(card, fact, language) == expected, fact


@pytest.mark.parametrize("card", CARDS)
def test_what_a_card_opens_and_points_at_is_there(monkeypatch, card):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(FOLDER))
    assert set(card.point) <= set(CONTROLS)
    if card.code:
        assert len(excerpt(card.code).splitlines()) <= 40
    for language in LANGUAGES:
        page, link = card.state(language)
        assert not page or page in TITLES
        task = link.get("task") or next((record.task for record in PAGES.values() if record.url == page), "")
        assert "model" not in link or page == "language-model" or find_model(task, link["model"])
        assert card.done is None or not card.done.holds(page, link, link)


@pytest.mark.parametrize("card", CARDS)
def test_a_card_is_short_and_says_the_same_in_both_languages(card):
    english, chinese = (card.sides[language] for language in LANGUAGES)
    for one, other in ((english, chinese), (chinese, english)):
        assert bool(one.reveal) <= bool(other.reveal) and bool(one.notes) <= bool(other.notes)
    assert len(english.options) == len(chinese.options)
    assert len(english.text.split()) <= MOST and len(chinese.text) <= 2 * MOST
    for side in (english, chinese):
        for term in re.findall(r"\(glossary:([^)]+)\)", side.text + side.reveal):
            assert all(term in meanings(language) for language in LANGUAGES), term


@pytest.mark.parametrize("language, meaning", [("en", "1 is uniform"), ("zh", "均匀分布")])
def test_a_term_that_has_a_remark_in_the_glossary_is_linked_by_its_words(language, meaning):
    assert meaning in link_terms("[it](glossary:entropy)", language)
    assert not [term for term in meanings(language) if "(" in term], "of which no link could say the end"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_takes_as_long_as_its_cards(lesson):
    assert sum(card.minutes for card in lesson.cards) == pytest.approx(lesson.minutes, rel=0.2)
    assert all(about.aims and about.questions and about.trouble for about in lesson.about.values())


def test_no_two_lessons_have_a_name_in_common_and_the_first_is_a_tour():
    names = [lesson.name for lesson in LESSONS]
    assert len(set(names)) == len(names) and names[0] == "tour"
    assert all(chain.from_iterable((about.title, about.summary) for about in LESSONS[0].about.values()))
