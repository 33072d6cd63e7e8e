"""The card of a lesson: it opens what it says, is done when the visitor has done it, and marks answers."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.lesson import TYPED
from tests.browser import PROJECT
from tests.pages.app import explorer, link_parameters, open_page, page_text, switch, trigger, type_texts
from tests.words import says
from viz_core.checkpoints import FOLDER

pytestmark = pytest.mark.usefixtures("runs_dir")
TURN = {"lesson": "looking", "card": "turn"}


@pytest.fixture(autouse=True)
def own_lesson(monkeypatch, checkpoints_dir):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(FOLDER))
    monkeypatch.setenv("VIZ_LESSONS_DIR", str(PROJECT / "tests/lessons/own"))


def open_card(card: str, page: str = "sentiment") -> AppTest:
    return open_page(page, lesson="looking", card=card)


def guide(app: AppTest):
    (proto,) = (element.proto for element in app.get("bidi_component") if element.proto.component_name == "lesson")
    return proto


def answers(app: AppTest) -> dict:
    return app.session_state["lesson_answers"]


def test_a_card_opens_its_state_whatever_the_session_holds():
    app = type_texts(open_page("sentiment", model="small", text="Something else."), "Quite another text.")
    app.session_state["lesson"], app.session_state["card"] = "looking", "choose"
    app.run().button(key="lesson_back").click().run()
    view = explorer(app)
    assert (view["model"], view["instrument"]["texts"]) == ("small-distilled", ["The film is not good."])
    assert link_parameters(app)["card"] == "turn"
    app.button(key="lesson_next").click().run()
    assert explorer(app)["instrument"]["texts"] == ["花呗怎么还款", "花呗如何分期"] and not app.exception


def test_a_card_is_done_once_the_visitor_has_done_it():
    app = open_card("turn")
    assert "looking/turn" not in answers(app) and "It was" not in page_text(app)
    app = type_texts(app, "The film is not bad at all, it is not good.")  # still negative
    assert "looking/turn" not in answers(app)
    app = type_texts(app, "The film is good.")
    assert answers(app)["looking/turn"] is True and "It was “not”." in page_text(app)
    app = type_texts(app, "The film is not good.")
    assert answers(app)["looking/turn"] is True  # what was done stays done


def test_what_is_revealed_before_it_is_done_is_not_done():
    app = open_card("turn")
    app.button(key="reveal_looking/turn").click().run()
    assert "It was “not”." in page_text(app) and "looking/turn" not in answers(app)


@pytest.mark.parametrize(("option", "key"), [(2, "lessons.right"), (1, "lessons.not_right")])
def test_a_choice_is_marked(option, key):
    app = open_card("choose", "matching")
    app.radio(key="field_looking/choose_0").set_value(option)
    app.button(key="answer_looking/choose").click().run()
    assert answers(app)["looking/choose"] == option and says(page_text(app), key) and not app.exception
    assert "def forward" in app.code[0].value


@pytest.mark.parametrize(("number", "key"), [(0.495, "lessons.right"), (0.6, "lessons.not_right")])
def test_a_number_is_marked(number, key):
    app = open_card("number")
    app.number_input(key="field_looking/number_0").set_value(number)
    app.button(key="answer_looking/number").click().run()
    assert answers(app)["looking/number"] == number and says(page_text(app), key)


def test_words_are_kept_and_not_marked_and_a_missing_model_is_said():
    app = open_card("words", "matching")
    assert says(page_text(app), "lessons.no_model", model="gone")
    app.button(key="answer_looking/words").click().run()
    assert "looking/words" not in answers(app)
    app.text_area(key="field_looking/words_0").set_value("  Because.  ")
    app.button(key="answer_looking/words").click().run()
    assert answers(app)["looking/words"] == "Because."
    assert not says(page_text(app), "lessons.right") and not says(page_text(app), "lessons.not_right")


def test_a_lesson_is_started_afresh():
    app = open_card("choose", "matching")
    app.radio(key="field_looking/choose_0").set_value(2)
    app.button(key="answer_looking/choose").click().run()
    app.session_state["lesson_answers"]["another/card"] = True
    app.button(key="lesson_close").click().run()
    app = switch(app, "lessons").run()
    app.button(key="forget_looking").click().run()
    assert answers(app) == {"another/card": True} and not app.exception
    assert not [button for button in app.button if button.key == "forget_looking"]


def test_folded_a_card_points_at_nothing_and_closed_it_is_gone():
    app = open_card("turn")
    assert "textarea" in guide(app).json
    app.button(key="lesson_fold").click().run()
    assert "textarea" not in guide(app).json and not [b for b in app.button if b.key == "lesson_next"]
    app.button(key="lesson_close").click().run()
    assert not [button for button in app.button if str(button.key).startswith("lesson_")]
    assert not {"lesson", "card"} & set(link_parameters(app))
    assert explorer(app)["instrument"]["texts"] == ["The film is not good."]


@pytest.mark.parametrize("link", [{"lesson": "gone"}, {"lesson": ""}, {"lesson": "<b>", "card": "\x00"}])
def test_a_link_to_a_lesson_that_is_not_there_is_ignored(link):
    app = open_page("sentiment", **link)
    assert not app.exception and "lesson" not in link_parameters(app)


def test_a_card_that_is_no_longer_there_is_the_first():
    assert link_parameters(open_card("of-an-older-version"))["lesson"] == "looking"
    assert "Turn it" in page_text(open_card("of-an-older-version"))


def test_answers_that_the_browser_kept_come_back_and_forged_ones_do_not():
    app = open_card("number")
    stored = {"looking/number": 0.5, "looking/words": "x" * (TYPED + 1), "looking/turn": {"a": 1}, "y" * 200: True}
    app = trigger(app, guide(app).id, "stored", stored)
    assert answers(app) == {"looking/number": 0.5}
    app.button(key="lesson_close").click().run()
    app = open_page("lessons")
    app = trigger(app, guide(app).id, "stored", {str(number): True for number in range(5_000)})
    assert len(answers(app)) <= 1_000


def test_a_window_follows_that_of_the_presenter():
    app = open_card("turn")
    shown = {"lesson": "looking", "card": "choose", "revealed": True}
    app = trigger(app, guide(app).id, "follow", shown)
    assert link_parameters(app)["card"] == "choose" and "def forward" in app.code[0].value and not app.exception
    for forged in ({"lesson": "gone", "card": "choose", "revealed": True}, {"lesson": 3}, "text"):
        app = trigger(app, guide(app).id, "follow", forged)
        assert link_parameters(app)["card"] == "choose" and not app.exception


def test_the_window_of_the_presenter_has_notes_and_the_next_card():
    app = open_page("lessons")
    app.button(key="present_looking").click().run()
    assert "Wait for three words." in page_text(app) and "Choose" in page_text(app)
    app.button(key="slide_reveal").click().run()
    assert '"revealed": true' in guide(app).json
    app.button(key="slide_next").click().run()
    assert '"revealed": false' in guide(app).json and '"card": "choose"' in guide(app).json
    assert link_parameters(app)["slide"] == "choose"
    assert {button.key for button in app.get("download_button")} == {"sheet_questions", "sheet_answers"}
    app.button(key="slide_end").click().run()
    assert [button for button in app.button if button.key == "present_looking"]


def test_a_file_that_cannot_be_read_is_said_beside_the_other_lessons(monkeypatch, tmp_path):
    (tmp_path / "2-broken.md").write_text("no settings", "utf-8")
    monkeypatch.setenv("VIZ_LESSONS_DIR", str(tmp_path))
    app = open_page("lessons")
    assert says(page_text(app), "lessons.wrong", file="2-broken.md") and not app.exception


def test_a_presenter_asks_the_class_and_the_other_window_shows_it():
    shown = open_card("choose", "matching")
    assert not [button for button in shown.button if button.key == "show_looking-choose"]
    app = open_page("lessons", presents="looking", slide="choose")
    app.button(key="ask_looking-choose").click().run()
    assert [button for button in app.button if button.key == "show_looking-choose"]
    shown.run()
    assert [button for button in shown.button if button.key == "show_looking-choose"] and not shown.exception
    app.button(key="show_looking-choose").click().run()
    assert says(page_text(app), "votes.nobody")
