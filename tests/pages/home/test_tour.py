"""The tour leads to views that exist, with the shipped models."""

import pytest

from pages.shared.tasks import TOUR
from tests.pages.app import explorer, open_page
from viz_core.checkpoints import FOLDER
from viz_core.language import Translator

pytestmark = pytest.mark.usefixtures("runs_dir")


@pytest.mark.parametrize(
    ("step", "model", "texts", "head"),
    [
        ("negation", "small", ["The film is not good."], "2.1"),
        ("words", "small", ["花呗怎么还款", "花呗如何还钱"], "2.4"),
        ("change", "small", ["花呗怎么还款", "花呗怎么分期"], "2.4"),
        ("collapsed", "collapsed", ["花呗怎么还款", "花呗如何还钱"], "6.1"),
    ],
)
def test_a_step_opens_its_example(monkeypatch, step, model, texts, head):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(FOLDER))
    app = open_page("home")
    app.button(key=f"tour_{step}").click().run()
    view = explorer(app)
    assert not app.exception and (view["model"], view["instrument"]["texts"]) == (model, texts)
    assert view["selection"]["head"] == head
    if step == "change":
        assert view["selection"]["ref_b"] == "花呗如何还钱"


@pytest.mark.parametrize(
    ("step", "title"), [("translation", "translation.title"), ("training", "pages.training_title")]
)
def test_the_last_steps_open_pages(step, title):
    app = open_page("home")
    app.button(key=f"tour_{step}").click().run()
    assert not app.exception and app.title[0].value == Translator("en")(title)


def test_a_step_whose_model_is_missing_opens_the_page():
    app = open_page("home")
    app.button(key="tour_collapsed").click().run()
    assert not app.exception and app.title[0].value == Translator("en")("afqmc.title")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_step_has_its_sentences(language):
    for name in (*(step.name for step in TOUR), "translation", "training"):
        assert Translator(language)(f"home.tour_{name}") and Translator(language)(f"home.tour_{name}_help")
