"""The page of models from elsewhere with a model from text to text, and the route that it asks."""

import asyncio
import json

import pytest
from plotly.io import from_json

from pages.routes.explain import explain
from pages.routes.streams import JSON
from pages.routes.translate import translate
from pages.routes.whatif import whatif
from pages.shared import other_models, teacher
from pages.shared.other_models import find_opened, open_model, open_models
from pages.shared.translating import DEFAULTS
from pages.shared.translation_figures import translate_state
from tests.adapters.test_opening import save_model
from tests.adapters.tiny_translators import save_translator
from tests.pages.app import explorer, link_parameters, open_page, page_text
from tests.pages.routes.route_requests import post, refusal_message
from tests.pages.routes.test_translate import read, split
from tests.pages.translation.test_page import opening, report
from tests.words import english, says
from viz_core.analysis.attribution.methods import METHODS
from viz_core.records import ELSEWHERE, OTHER_TRANSLATION

pytestmark = [pytest.mark.usefixtures("checkpoints_dir"), pytest.mark.process]  # a trial of each tokenizer


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("elsewhere")
    return {"t5": save_translator(root / "t5"), "base": save_model(root / "base", kind="Model")}


@pytest.fixture(autouse=True)
def alone_with_a_model(folders, monkeypatch):
    monkeypatch.setenv(teacher.ALONE, "1")
    monkeypatch.setattr(other_models, "_models", {})
    open_model(f"path:{folders['t5']}")


def test_it_is_shown_with_the_component_of_translations():
    app = open_page("other")
    fields = opening(app)["translation"]
    assert fields["request"]["body"] == {"task": "other_translation", "model": "t5", "language": "en"}
    assert (fields["layers"], fields["heads"], fields["source"]) == (3, 4, english("other.source"))
    assert fields["begin"] == "<pad>" and fields["hasInside"] is False
    assert fields["link"]["text"] == fields["examples"][0]["texts"][0] and fields["link"]["kind"] == "cross"
    assert says(page_text(app), "other.about", family="t5") and says(page_text(app), "adapters.position_bias")
    assert not app.exception and not [button for button in app.button if button.key == "texts"]


def test_what_is_set_goes_into_the_link_and_not_to_the_page_of_translations():
    app = report(open_page("other"), text="the cat", decoding="beam", width="2")
    assert link_parameters(app).items() >= {"text": "the cat", "decoding": "beam", "width": "2"}.items()
    assert "translation_state" not in app.session_state
    app = open_page("other", **{"text": "a cat", "masked": "1.1", "model": "t5"})
    assert opening(app)["translation"]["link"].items() >= {"text": "a cat", "masked": "1.1"}.items()


def test_a_word_is_explained_by_every_method():
    app = open_page("other", text="the cat sat", evidence="methods", target="2")
    bars = [trace for trace in from_json(app.get("plotly_chart")[0].proto.spec).data if trace.type == "bar"]
    assert len(bars) == len(METHODS) and link_parameters(app)["target"] == "2" and not app.exception


def test_the_parts_that_it_shows_can_be_patched():
    app = open_page("other", text="the cat sat", source_text="a mat", evidence="patching", site="residual")
    (sites,) = [group for group in app.button_group if group.key == "site"]
    assert sites.options == [english(f"patching.site_{site}") for site in ("attention", "heads", "cross")]
    title = from_json(app.get("plotly_chart")[0].proto.spec).layout.title.text
    assert says(title, "patching.title_attention") and not app.exception


def test_encoders_and_such_models_stand_beside_each_other(folders):
    open_model(f"path:{folders['base']}")
    assert [info.name for info in open_models()] == ["base"]
    assert [info.name for info in open_models(ELSEWHERE)] == ["base", "t5"]
    assert find_opened("t5") is None and find_opened("t5", OTHER_TRANSLATION).name == "t5"
    assert explorer(open_page("other", model="base"))["model"] == "base"
    app = open_page("other", model="t5")
    assert opening(app)["translation"]["request"]["body"]["model"] == "t5"
    assert not open_page("models").exception


def test_a_click_on_how_a_weight_came_about_does_nothing():
    app = report(open_page("other"), text="the cat")
    states = app._tree.get_widget_states()
    event = states.widgets.add()
    (proto,) = (e.proto for e in app.get("bidi_component") if e.proto.component_name == "translation")
    event.id = f"$$STREAMLIT_INTERNAL_KEY_{proto.id}__events"
    inside = {"text": "the cat", "outputs": [4, 1], "kind": "cross", "head": "1.1", "query": "1", "key": "1"}
    event.json_trigger_value = json.dumps([{"event": "inside", "value": inside}])
    app = app._run(states).run()
    assert not app.exception and opening(app)["translation"]["request"]["body"]["model"] == "t5"


def test_the_route_translates_word_by_word_with_changes():
    request = {"task": OTHER_TRANSLATION, "model": "t5", "text": "the cat sat.", "language": "en"}
    changes = {"masked": [[0, 1]], "blocked": [1], "fed": [[0, "▁die"], [1, "Katze"]]}
    response = post(translate, request | changes)
    frames = [json.loads(content) for kind, content in split(asyncio.run(read(response))) if kind == JSON]
    assert frames[0]["source"] == {"labels": ["the", "cat", "sat", ".", "</s>"], "special": [False] * 4 + [True]}
    assert [frame["step"]["token"] for frame in frames[1:3]] == ["▁die", "▁Katze"]
    assert len(frames[1]["step"]["candidates"]) == 8 and frames[-1] == {"end": True}
    original = next(frame["original"] for frame in frames if "original" in frame)
    assert len(original["changed"]) == len(original["steps"])


@pytest.mark.parametrize("route", [explain, whatif])
def test_routes_of_encoders_do_not_know_it(route):
    for task in ELSEWHERE:
        refusal_message(route, {"task": task, "model": "t5", "texts": ["the cat"], "language": "en"}, 404)


def test_the_route_of_translations_does_not_know_encoders(folders):
    open_model(f"path:{folders['base']}")
    for task in ELSEWHERE:
        refusal_message(translate, {"task": task, "model": "base", "text": "the cat", "language": "en"}, 404)


@pytest.mark.slow
def test_figures_and_files_are_offered():
    app = open_page("other", text="the cat sat", head="2.3")
    app.session_state["figures"] = True
    app.run()
    assert not app.exception and len(app.get("plotly_chart")) == 2
    shown = translate_state(other_models.opened_checkpoint("t5"), DEFAULTS | {"text": "the cat"})
    assert shown.task == OTHER_TRANSLATION and shown.attention["cross"].shape[:2] == (3, 4)


@pytest.mark.slow
def test_what_is_not_known_of_its_link_does_not_fail():
    link = {"head": "9.9", "masked": "7.7", "blocked": "99", "fed": "1:Hund", "kind": "x", "text": "the"}
    assert not open_page("other", **link).exception
