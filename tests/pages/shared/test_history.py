"""After the browser went back or forward, the link of the page replaces what the session holds."""

import json

import pytest

from pages.shared import history
from tests.pages.app import explorer, link_parameters, open_page, type_texts
from tests.pages.fake_runs import make_run
from tests.tiny_translation import save_translation

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


@pytest.fixture
def go_back(monkeypatch):
    """Runs a page as if the browser had gone back to a link."""

    def run(app, **link: str):
        app.query_params.clear()
        app.query_params.update({"lang": "en", **link})
        with monkeypatch.context() as patch:
            patch.setattr("pages.shared.history.goes_back", lambda: True)
            app.run()
        return app.run()

    return run


def test_texts_model_and_selection_are_those_of_the_link(go_back):
    app = type_texts(open_page("sentiment", text="a good film"), "a bad film", head="1.2", query="3", scale="log")
    app = go_back(app, text="a good film", query="2")
    header = explorer(app)
    assert header["instrument"]["texts"] == ["a good film"]
    assert [header["selection"][name] for name in ("head", "query", "scale")] == ["2.1", "2", "linear"]
    assert link_parameters(app) == {"text": "a good film", "query": "2"}


def test_without_a_parameter_the_default_is_shown(go_back):
    app = go_back(type_texts(open_page("sentiment"), "a bad film", head="1.2"))
    header = explorer(app)
    assert header["instrument"]["texts"] == header["instrument"]["examples"][0]["texts"] and link_parameters(app) == {}
    assert header["selection"]["head"] == "2.1"


def test_the_component_is_told_that_the_page_knows_better(go_back):
    app = open_page("sentiment")
    assert explorer(app)["turns"] == explorer(app.run())["turns"] == 0
    assert explorer(go_back(app))["turns"] == 1
    assert explorer(open_page("sentiment"))["turns"] == 0, "another visitor"
    assert explorer(go_back(app, text=""))["turns"] == 2, "no input that the model can read"


def test_filters_of_the_evaluation_are_those_of_the_link(go_back):
    app = open_page("evaluation", part="errors", task="afqmc", model="tiny", outcome="right", sure="20-90")
    app = go_back(app, part="errors", task="afqmc", model="tiny", sure="10-80")
    assert app.session_state["outcome"] == "wrong" and app.session_state["sure"] == (10, 80)
    app = go_back(app, part="samples", task="afqmc", model="tiny", seed="7")
    assert app.session_state["seed"] == 7
    assert go_back(app, part="samples", task="afqmc", model="tiny").session_state["seed"] == 0


def test_a_translation_is_that_of_the_link(go_back, checkpoints_dir):
    save_translation(checkpoints_dir)
    app = open_page("translation", text="他没有来", masked="1.1")

    def opening() -> dict:
        (proto,) = (e.proto for e in app.get("bidi_component") if e.proto.component_name == "translation")
        return json.loads(proto.json)["translation"]

    before = opening()["turns"]
    app = go_back(app, text="我们明天去学校", head="1.2")
    link = opening()["link"]
    assert (link["text"], link["masked"], link["head"]) == ("我们明天去学校", "", "1.2")
    assert opening()["turns"] == before + 1


@pytest.mark.process
def test_the_runs_are_those_of_the_link(go_back, runs_dir):
    first, second = make_run(name="first"), make_run(name="second")
    app = open_page("training", runs=first.id)
    assert app.session_state["runs"] == [first.id]
    assert go_back(app, runs=second.id).session_state["runs"] == [second.id]


def test_steps_are_parameters_of_links():
    """A misspelt name would silently be no step."""
    from tests.compatibility.test_links import PARAMETERS

    later = {"present", "ref_model", "ref_head", "ref_a", "ref_b", "view", "decoding", "kind", "fed", "reference"}
    later |= {"inside", "step", "touch", "example", "chat", "system", "turns", "written", "kept", "without", "card"}
    assert set(history.STEPS) <= PARAMETERS | later and {"lang", "query", "scale"}.isdisjoint(history.STEPS)
