"""The report of a lesson: what its cards open is drawn once, and a link that leads nowhere is left out."""

from streamlit.testing.v1 import AppTest

from pages.lessons.report import _shown
from pages.shared.tasks import PAGES
from tests.words import english
from viz_core.checkpoints import FOLDER
from viz_core.lessons import Ask, Card, Lesson, Side
from viz_core.lessons.lesson import About
from viz_core.tasks import all_tasks


def card(name: str, link: str, ask: Ask | None = None) -> Card:
    side = Side("Look", "Look.")
    return Card(name, {"en": side, "zh": side}, open={"en": link, "zh": link} if link else {}, ask=ask)


def lesson(*cards: Card) -> Lesson:
    return Lesson("looking", dict.fromkeys(("en", "zh"), About("Looking", "At it.")), 5, cards)


def test_what_the_cards_open_is_drawn_once(monkeypatch):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(FOLDER))
    link = "sentiment?model=small-distilled&text=The film is not good.&head=2.2"
    cards = [
        card("review", link),
        card("again", f"{link}&query=3"),
        card("translation", "translation?text=我们明天去学校。&head=2.1"),
        card("other-head", f"{link.replace('2.2', '9.9')}"),
        card("other-model", "sentiment?model=missing&text=Good."),
        card("other-page", "training"),
    ]
    shown = _shown(lesson(*cards), english)
    assert [*shown] == ["review", "translation"]
    assert english("rendering.label_negative").lower() in shown["review"].prediction.lower()
    assert round(float(shown["review"].figure.data[0].customdata[5][4]), 2) == 0.99, "“good” attends to “not”"
    assert "school" in shown["translation"].prediction


def test_only_a_lesson_with_questions_in_words_has_a_report():
    def draw(lesson):
        from pages.lessons.report import report

        report(lesson)

    for ask, count in ((Ask(choice=0), 0), (Ask(text=True), 1)):
        app = AppTest.from_function(draw, args=(lesson(card("first", "", ask)),))
        app.session_state["lang"] = "en"
        assert len(app.run().text_input) == count
        assert not app.exception


def test_the_pages_of_tasks_are_known_to_the_lessons():
    for name, task in all_tasks().items():
        texts = ("a", "b") if task.pair else ("text",)
        assert (PAGES[name].url, PAGES[name].boxes[: len(texts)]) == (task.page, texts)
