"""The tour leads to views that exist, with the shipped models, and says in each what to see."""

import pytest

from pages.shared.tour import STEPS
from tests.pages.app import explorer, open_page, page_text
from tests.words import english, says
from viz_core.checkpoints import FOLDER
from viz_core.language import Translator

pytestmark = pytest.mark.usefixtures("runs_dir")


@pytest.mark.parametrize(
    ("step", "model", "texts", "head"),
    [
        ("negation", "small-distilled", ["The film is not good."], "2.2"),
        ("words", "wide-distilled", ["花呗怎么还款", "花呗如何还钱"], "2.4"),
        ("change", "wide-distilled", ["花呗怎么还款", "花呗如何分期"], "2.4"),
        ("collapsed", "collapsed", ["花呗怎么还款", "花呗如何还钱"], "6.1"),
    ],
)
def test_a_step_opens_its_example(monkeypatch, step, model, texts, head):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(FOLDER))
    app = open_page("lessons")
    app.button(key=f"open_{step}").click().run()
    view = explorer(app)
    assert not app.exception and (view["model"], view["instrument"]["texts"]) == (model, texts)
    assert view["selection"]["head"] == head and says(page_text(app), f"lessons.see_{step}")
    if step == "change":
        assert (view["selection"]["ref_b"], view["selection"]["ref_mode"]) == ("花呗如何还钱", "side")


def test_the_tour_leads_on_and_back_and_comes_home(monkeypatch):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(FOLDER))
    app = open_page("lessons")
    app.button(key=f"open_{STEPS[-3]}").click().run()
    app.button(key="tour_next").click().run()
    assert app.title[0].value == english("translation.title") and not app.exception
    app.button(key="tour_back").click().run()
    assert explorer(app)["model"] == "collapsed"
    app.button(key="tour_next").click().run()
    app.button(key="tour_next").click().run()
    assert app.title[0].value == english("pages.training_title")
    app.button(key="tour_finish").click().run()
    assert app.title[0].value == english("pages.home_title") and not app.exception
    assert not [button for button in app.button if str(button.key).startswith("tour_")]


def test_a_step_whose_model_is_missing_opens_the_page():
    app = open_page("lessons")
    app.button(key="open_collapsed").click().run()
    assert not app.exception and app.title[0].value == english("afqmc.title")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_step_has_its_sentences(language):
    for name in STEPS:
        assert Translator(language)(f"lessons.step_{name}") and Translator(language)(f"lessons.see_{name}")
