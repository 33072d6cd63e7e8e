"""The probes on the evaluation page: the answers of an untrained model, which of them are shown, and the way to each."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.browser import PROJECT
from tests.pages.app import switch
from viz_core import checkpoints
from viz_core.analysis.behaviour import run_behavioural_tests
from viz_core.language import Translator
from viz_core.tasks import TASKS, Task

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


def script(task: str) -> None:
    import streamlit as st

    from pages.evaluation import behaviour
    from viz_core import checkpoints

    st.session_state.setdefault("lang", "en")
    behaviour.section(checkpoints.usable(task)[0])


def open_page(task: str, **link: str) -> AppTest:
    app = AppTest.from_function(script, args=(task,), default_timeout=60)
    app.query_params.update(link)
    app.run()
    assert not app.exception
    return app


def test_every_answer_is_shown_beside_what_is_expected():
    (table,) = open_page("imdb").dataframe
    answers = run_behavioural_tests(checkpoints.load("imdb", "tiny"), TASKS["imdb"].behavioural_tests()).predictions
    assert list(table.value.columns) == ["Right?", "Text", "Expected", "Answer", "Confidence", "Probes"]
    assert table.value["Text"].tolist() == [answer.test.texts[0] for answer in answers]
    assert table.value["Right?"].tolist() == ["✓" if answer.correct else "✗" for answer in answers]
    assert table.value["Confidence"].tolist() == [answer.probability for answer in answers]


def test_how_often_each_answer_was_given_and_the_threshold_are_said():
    page_text = " ".join(element.value for element in open_page("afqmc").markdown)
    given = run_behavioural_tests(checkpoints.load("afqmc", "tiny"), TASKS["afqmc"].behavioural_tests()).predicted_counts
    assert f"Of the 60 answers: {given['different']} × different meaning, {given['same']} × same meaning." in page_text
    assert "from 40.0% on" in page_text


def test_one_category_and_the_wrong_ones_alone_are_chosen_by_hand_or_by_a_link():
    app = open_page("afqmc", probe_category="number")
    assert set(app.dataframe[0].value["Probes"]) == {"Numbers"} and len(app.dataframe[0].value) == 10
    app.toggle(key="probe_wrong").set_value(True).run()
    assert set(app.dataframe[0].value["Right?"]) <= {"✗"} and app.query_params["probe_wrong"] in ("True", ["True"])
    assert len(open_page("afqmc", probe_category="sarcasm").dataframe[0].value) == 60, "of the other task: passed over"


def test_a_click_opens_the_text_with_its_model(monkeypatch):
    clicked, went = SimpleNamespace(selection=SimpleNamespace(cells=[(3, "Text")])), []
    monkeypatch.setattr(st, "dataframe", lambda *given, **options: clicked)
    monkeypatch.setattr(
        "pages.evaluation.behaviour.open_input", lambda info, texts: went.append((info.name, texts))
    )
    open_page("afqmc", probe_category="order")
    assert went == [("tiny", [probe for probe in TASKS["afqmc"].behavioural_tests() if probe.category == "order"][3].texts)]


def test_without_probes_and_without_weights_a_sentence_is_shown(monkeypatch, checkpoints_dir):
    (checkpoints_dir / "imdb/tiny/model.safetensors").write_bytes(b"not weights")
    assert "imdb/tiny" in open_page("imdb").warning[0].value
    monkeypatch.setattr(Task, "behavioural_tests", lambda task: ())
    assert "no probes" in open_page("afqmc").caption[0].value


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.slow)])
def test_the_evaluation_page_has_them_in_both_languages(language):
    app = AppTest.from_file(str(PROJECT / "pages/frame.py"), default_timeout=60).run()
    app.query_params.update({"lang": language, "part": "probes", "task": "afqmc"})
    app.session_state["lang"] = language
    switch(app, "evaluation").run()
    assert not app.exception
    assert Translator(language)("behaviour.title") in [header.value for header in app.subheader]
