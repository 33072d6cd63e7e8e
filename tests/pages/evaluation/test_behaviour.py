"""The probes on the evaluation page: the answers of an untrained model, which of them are shown, and the way to each."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.browser import PROJECT
from tests.pages.app import switch
from viz_core import checkpoints
from viz_core.analysis.probing import probing
from viz_core.language import Translator
from viz_core.tasks import TASKS, Task

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


def script(task: str) -> None:
    import streamlit as st

    from pages.evaluation import behaviour
    from viz_core import checkpoints

    st.session_state.setdefault("lang", "en")
    behaviour.section(checkpoints.usable(task)[0])


def opened(task: str, **link: str) -> AppTest:
    app = AppTest.from_function(script, args=(task,), default_timeout=60)
    app.query_params.update(link)
    app.run()
    assert not app.exception
    return app


def test_every_answer_is_shown_beside_what_is_expected():
    (table,) = opened("imdb").dataframe
    answers = probing(checkpoints.load("imdb", "tiny"), TASKS["imdb"].probes()).answers
    assert list(table.value.columns) == ["Right?", "Text", "Expected", "Answer", "Confidence", "Probes"]
    assert table.value["Text"].tolist() == [answer.probe.texts[0] for answer in answers]
    assert table.value["Right?"].tolist() == ["✓" if answer.right else "✗" for answer in answers]
    assert table.value["Confidence"].tolist() == [answer.probability for answer in answers]


def test_how_often_each_answer_was_given_and_the_threshold_are_said():
    said = " ".join(element.value for element in opened("afqmc").markdown)
    given = probing(checkpoints.load("afqmc", "tiny"), TASKS["afqmc"].probes()).given
    assert f"Of the 60 answers: {given['different']} × different meaning, {given['same']} × same meaning." in said
    assert "from 40.0% on" in said


def test_one_category_and_the_wrong_ones_alone_are_chosen_by_hand_or_by_a_link():
    app = opened("afqmc", probe_category="number")
    assert set(app.dataframe[0].value["Probes"]) == {"Numbers"} and len(app.dataframe[0].value) == 10
    app.toggle(key="probe_wrong").set_value(True).run()
    assert set(app.dataframe[0].value["Right?"]) <= {"✗"} and app.query_params["probe_wrong"] in ("True", ["True"])
    assert len(opened("afqmc", probe_category="sarcasm").dataframe[0].value) == 60, "of the other task: passed over"


def test_a_click_opens_the_text_with_its_model(monkeypatch):
    clicked, went = SimpleNamespace(selection=SimpleNamespace(cells=[(3, "Text")])), []
    monkeypatch.setattr(st, "dataframe", lambda *given, **options: clicked)
    monkeypatch.setattr(
        "pages.evaluation.behaviour.open_input", lambda listing, texts: went.append((listing.name, texts))
    )
    opened("afqmc", probe_category="order")
    assert went == [("tiny", [probe for probe in TASKS["afqmc"].probes() if probe.category == "order"][3].texts)]


def test_without_probes_and_without_weights_a_sentence_is_shown(monkeypatch, checkpoints_dir):
    (checkpoints_dir / "imdb/tiny/model.safetensors").write_bytes(b"not weights")
    assert "imdb/tiny" in opened("imdb").warning[0].value
    monkeypatch.setattr(Task, "probes", lambda task: ())
    assert "no probes" in opened("afqmc").caption[0].value


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.slow)])
def test_the_evaluation_page_has_them_in_both_languages(language):
    app = AppTest.from_file(str(PROJECT / "pages/frame.py"), default_timeout=60).run()
    app.query_params.update({"lang": language, "part": "probes", "task": "afqmc"})
    app.session_state["lang"] = language
    switch(app, "evaluation").run()
    assert not app.exception
    assert Translator(language)("probing.title") in [header.value for header in app.subheader]
