"""Language models of our own: on the page that writes, in the explorer, on the page of models, for the routes."""

import asyncio
import json

import pytest

from pages.routes.explain import explain
from pages.routes.generate import generate
from pages.routes.heads import heads
from pages.routes.inside import inside_head
from pages.routes.matrices import matrices
from pages.routes.streams import JSON
from pages.routes.whatif import whatif
from pages.shared.tasks import PAGES
from tests.pages.app import explorer, link_parameters, open_page, page_text, switch, trigger
from tests.pages.fake_runs import make_run
from tests.pages.routes.route_requests import post
from tests.pages.routes.test_translate import read, split
from tests.tiny_language_model import TASK, language_checkpoint, save_language_model
from tests.words import says
from viz_core import checkpoints
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.generation import continue_text
from viz_core.evidence.job import compute_evidence

pytestmark = pytest.mark.usefixtures("runs_dir")
PAGE, EXPLORER, NAME = "language-model", PAGES[TASK].url, f"{TASK}/tiny"
FIRST, COPIED = PAGES[TASK].examples[0][1], PAGES[TASK].examples[1][1]
MEASURED = {"split": "validation", "words": 900, "perplexity": 60.0, "bits_per_character": 1.25, "token_accuracy": 0.25}


@pytest.fixture(autouse=True)
def folder(checkpoints_dir):
    return save_language_model(checkpoints_dir, data="sample")


def component(app):
    (proto,) = (e.proto for e in app.get("bidi_component") if e.proto.component_name == "generation")
    return proto


def opened(app) -> dict:
    return json.loads(component(app).json)["generation"]


def move(app, page: str, **link: str):
    """Goes to another page in the same session, as by the navigation."""
    app = switch(app, page)
    app.query_params.clear()
    app.query_params.update({"lang": "en", **link})
    app.run()
    assert not app.exception
    return app


def test_the_page_is_in_the_navigation_and_opens_with_the_examples_of_the_task():
    app = open_page(PAGE)
    shown = [url for url, _ in app.session_state["pages_beside"]]
    assert PAGE in shown and EXPLORER not in shown
    assert link_parameters(app) == {"model": NAME}
    fields = opened(app)
    assert fields["request"]["body"] == {"task": TASK, "model": "tiny", "language": "en"}
    assert [example["texts"] for example in fields["examples"]] == [[*texts] for _, texts in PAGES[TASK].examples]
    assert (fields["link"]["text"], fields["chat"]["offered"]) == (*FIRST, False)
    assert says(page_text(app), f"{TASK}.writes")


def test_models_of_one_name_stay_apart_and_a_model_follows_from_page_to_page(checkpoints_dir):
    save_language_model(checkpoints_dir, seed=1, name="other", data="sample")
    app = open_page(PAGE, model=f"{TASK}/other", text="ab")
    event = {
        "text": "ab",
        "chat": False,
        "system": "",
        "turns": [],
        "written": [*language_checkpoint().text_encoder.encode("c").ids[1:-1].tolist()],
    }
    app = move(trigger(app, component(app).id, "explore", event), EXPLORER)
    assert (explorer(app)["model"], explorer(app)["kind"]) == ("other", "causal")
    assert explorer(app)["instrument"]["texts"] == ["ab c"]
    app = move(app, PAGE)
    assert opened(app)["request"]["body"]["model"] == "other" and link_parameters(app)["model"] == f"{TASK}/other"
    app = move(app, "sentiment")
    assert explorer(app)["model"] == "tiny" and app.selectbox(key="model").value == "tiny"
    assert opened(move(app, PAGE))["request"]["body"]["model"] == "other"


def test_the_best_checkpoint_of_a_run_is_opened_by_its_link():
    run = make_run(evaluations=0, task=TASK, name="mine")
    trained = language_checkpoint(seed=2)
    stored = {"task": TASK, "data": "sample"}
    checkpoints.save(run.path / "checkpoints/20", trained.settings, trained.model, trained.text_encoder, stored)
    status = json.loads((run.path / "status.json").read_text())
    (run.path / "status.json").write_text(json.dumps(status | {"best": {"step": 20, "perplexity": 50.0}}))
    app = open_page(PAGE, model=f"runs/{run.id}")
    assert opened(app)["request"]["body"]["model"] == f"runs/{run.id}"
    assert [name for name in app.selectbox(key="model").options if "mine" in name]


def test_the_explorer_reads_a_text_without_its_end_and_shows_what_comes_next():
    app = open_page(EXPLORER, text="a film")
    fields, text = explorer(app), language_checkpoint().text_encoder.encode("a film")
    assert fields["tokens"] == len(text.ids) - 1, "without [SEP], which ends a text"
    assert fields["pieces"] and fields["instrument"]["test"] and len(fields["prediction"]["labels"]) == 8
    assert not fields["instrument"]["corpus"], "no survey yet"
    compute_evidence("heads", TASK, "tiny", lambda done, total: None)
    assert explorer(move(app, EXPLORER, text="a film"))["instrument"]["corpus"]


@pytest.mark.parametrize("section", ["methods", "whatif", "parts", "patching"])
def test_each_kind_of_evidence_of_a_causal_model_is_drawn(section):
    app = open_page(EXPLORER, text="a film", evidence=section)
    assert not app.exception and not app.error and len(app.get("plotly_chart")) + len(app.get("bidi_component")) > 4


@pytest.mark.parametrize("section", ["head", "lens", "plane", "positions"])
def test_each_section_about_the_inside_is_drawn(section):
    app = open_page("inside", task=TASK, inside=section)
    assert not app.exception and not app.warning


@pytest.mark.parametrize("ngrams, key", [(75.0, "learned"), (50.0, "not_learned"), (None, "not_compared")])
def test_the_page_of_models_compares_with_the_five_gram(checkpoints_dir, ngrams, key):
    save_language_model(checkpoints_dir, data="sample", validation={**MEASURED, "kneser_ney_perplexity": ngrams})
    app = open_page("models", task=TASK)
    values = {"perplexity": 60.0, "ngrams": ngrams, "gain": 1 - 60.0 / ngrams} if ngrams else {}
    (box,) = [box for box in (*app.info, *app.error) if says(box.value, f"language_figures.{key}", **values)]
    assert (box.type == "error") == (key == "not_learned")
    figures = app.dataframe[0].value.iloc[0].tolist()
    assert figures[1:] == [60.0, *([ngrams] if ngrams else []), 1.25, 0.25]
    assert says(page_text(app), "heads.missing")


def test_the_page_of_a_head_shows_its_passages():
    compute_evidence("heads", TASK, "tiny", lambda done, total: None)
    app = open_page("head", task=TASK, head="2.1")
    assert not app.exception
    assert "passages" in {element.proto.component_name for element in app.get("bidi_component")}


def test_the_routes_serve_it():
    request = {"task": TASK, "model": "tiny", "texts": ["a film"], "language": "en"}
    weight = {"kind": "causal", "layer": 1, "head": 0, "query": 3, "key": 1}
    assert post(explain, request).status_code == post(heads, request | {"heads": [[1, 1]]}).status_code == 200
    assert post(inside_head, request | weight).status_code == 200
    step = {"kind": "causal", "layer": 1, "head": 0, "step": "query"}
    assert post(matrices, request | step).status_code == 200
    result = json.loads(post(whatif, request | {"masked": [[0, 1]], "effects": True}).body)
    assert result["original"] != result["probabilities"]
    response = post(generate, request | {"text": "a film", "visit": "1", "most": 3})
    frames = [json.loads(content) for kind, content in split(asyncio.run(read(response))) if kind == JSON]
    written = [frame["step"]["id"] for frame in frames if "step" in frame]
    *_, whole = continue_text(checkpoints.load(TASK, "tiny"), "a film", Decoding(), 3)
    assert written == whole.explanation.encoding.ids[whole.given :].tolist()
