"""Behavioural tests on the evaluation page: predictions of an untrained model, their filters, and opening a text."""

from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.browser import PROJECT
from tests.pages.app import switch
from tests.words import english, says
from viz_core import checkpoints
from viz_core.analysis.evaluation.behaviour import run_behavioural_tests
from viz_core.language import Translator
from viz_core.tasks import Task, get_task

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


def script(task: str) -> None:
    import streamlit as st

    from pages.evaluation import behaviour
    from viz_core import checkpoints

    st.session_state.setdefault("lang", "en")
    behaviour.section(checkpoints.task_checkpoints(task)[0])


def open_section(task: str, **link: str) -> AppTest:
    app = AppTest.from_function(script, args=(task,), default_timeout=60)
    app.query_params.update(link)
    app.run()
    assert not app.exception
    return app


def test_every_prediction_is_shown_beside_the_expected_label():
    (table,) = open_section("imdb").dataframe
    predictions = run_behavioural_tests(
        checkpoints.load("imdb", "tiny"), get_task("imdb").behavioural_tests()
    ).predictions
    names = ("correct", "text", "expected", "prediction", "confidence", "category")
    assert list(table.value.columns) == [english(f"behaviour.column_{name}") for name in names]
    table = table.value.set_axis(names, axis=1)
    assert table["text"].tolist() == [prediction.test.texts[0] for prediction in predictions]
    assert table["correct"].tolist() == ["✓" if prediction.correct else "✗" for prediction in predictions]
    assert table["confidence"].tolist() == [prediction.probability for prediction in predictions]


def test_the_count_of_each_prediction_and_the_threshold_are_shown():
    markdown = " ".join(element.value for element in open_section("afqmc").markdown)
    counts = run_behavioural_tests(
        checkpoints.load("afqmc", "tiny"), get_task("afqmc").behavioural_tests()
    ).predicted_counts
    counted = [
        english("behaviour.predicted_count", count=counts[label], label=english(f"rendering.label_{label}"))
        for label in ("different", "same")
    ]
    assert says(markdown, "behaviour.predicted_counts", n=60, counts=", ".join(counted))
    assert says(markdown, "behaviour.threshold", percent="40.0%")


def test_category_and_wrong_predictions_are_filtered_by_widget_or_link():
    app = open_section("afqmc", probe_category="number")
    category, correct = (english(f"behaviour.column_{name}") for name in ("category", "correct"))
    assert app.dataframe[0].value[category].tolist() == [english("behaviour.category_number")] * 10
    app.toggle(key="probe_wrong").set_value(True).run()
    assert set(app.dataframe[0].value[correct]) <= {"✗"} and app.query_params["probe_wrong"] in ("True", ["True"])
    assert len(open_section("afqmc", probe_category="sarcasm").dataframe[0].value) == 60, (
        "a category of the other task is ignored"
    )


def test_a_click_opens_the_text_with_its_model(monkeypatch):
    table, opened_inputs = SimpleNamespace(selection=SimpleNamespace(cells=[(3, english("behaviour.column_text"))])), []
    monkeypatch.setattr(st, "dataframe", lambda *arguments, **options: table)
    monkeypatch.setattr(
        "pages.evaluation.behaviour.open_input", lambda info, texts: opened_inputs.append((info.name, texts))
    )
    open_section("afqmc", probe_category="order")
    assert opened_inputs == [
        ("tiny", [test for test in get_task("afqmc").behavioural_tests() if test.category == "order"][3].texts)
    ]


def test_without_tests_or_weights_a_sentence_is_shown(monkeypatch, checkpoints_dir):
    (checkpoints_dir / "imdb/tiny/model.safetensors").write_bytes(b"not weights")
    assert "imdb/tiny" in open_section("imdb").warning[0].value
    monkeypatch.setattr(Task, "behavioural_tests", lambda task: ())
    assert says(open_section("afqmc").caption[0].value, "behaviour.none")


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.slow)])
def test_the_evaluation_page_shows_them_in_both_languages(language):
    app = AppTest.from_file(str(PROJECT / "pages/frame.py"), default_timeout=60).run()
    app.query_params.update({"lang": language, "part": "probes", "task": "afqmc"})
    app.session_state["lang"] = language
    switch(app, "evaluation").run()
    assert not app.exception
    assert Translator(language)("behaviour.title") in [header.value for header in app.header]
