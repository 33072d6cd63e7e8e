"""The inside of models from elsewhere: reached by a click, followed where our encoder computes the same, and what it is
that others compute."""

import json

import pytest

from pages.routes.inside import inside_head
from pages.routes.matrices import matrices
from pages.shared import other_models
from pages.shared.other_models import open_model
from tests.adapters.test_causal import network as causal_network
from tests.adapters.test_opening import save_model
from tests.adapters.tiny_networks import byte_pairs
from tests.pages.app import link_parameters, open_page, page_text, report, switch
from tests.pages.inside.test_page import opening
from tests.pages.inside.test_page import report as report_link
from tests.pages.routes.route_requests import post, refusal_message
from tests.words import says

pytestmark = [pytest.mark.usefixtures("checkpoints_dir"), pytest.mark.process]  # a trial of each tokenizer
WEIGHT = {"head": "2.3", "query": "2", "key": "4"}
REQUEST = {"task": "other", "model": "classifier", "kind": "self", "layer": 1, "head": 2, "query": 1, "key": 3}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("elsewhere")
    return {
        "classifier": save_model(root / "classifier"),
        "base": save_model(root / "base", "distilbert", "Model"),
        "gpt2": _save_causal(root / "gpt2"),
        "deberta": save_model(root / "deberta", "deberta", "Model"),
    }


def _save_causal(path):
    causal_network().save_pretrained(path)
    byte_pairs().save_pretrained(path)
    return path


@pytest.fixture(autouse=True)
def nothing_open(monkeypatch):
    monkeypatch.setattr(other_models, "_models", {})


@pytest.mark.parametrize("texts", [["the cat"], ["the cat", "a mat"]])
def test_a_click_on_a_weight_leads_to_it(folders, texts):
    open_model(f"path:{folders['classifier']}")
    app = report(open_page("other", texts=str(len(texts))), "inside", {"texts": texts, "selection": WEIGHT})
    app = switch(app, "inside").run()
    header = opening(app)
    assert header["request"]["body"]["texts"] == texts and header["request"]["body"]["task"] == "other"
    assert [header[name] for name in ("layer", "head", "query", "key")] == [1, 2, 1, 3]
    assert len(header["prediction"]["labels"]) == 3 and "prediction.hidden" in header["arrays"]
    assert link_parameters(app)["task"] == "other"


def test_the_lens_of_a_causal_model_is_a_table_of_its_last_positions(folders):
    open_model(f"path:{folders['gpt2']}")
    app = open_page("inside", inside="lens", task="other", texts="1", typed="a b a b a b a b a b")
    (chart,) = app.get("plotly_chart")
    cells, tokens = json.loads(chart.proto.spec)["data"]
    assert (cells["type"], tokens["mode"]) == ("heatmap", "text")
    (start,) = [box for box in app.number_input if box.key == "lens_start"]
    assert start.value == start.max > 1 and len(tokens["text"]) == 4 * 14
    app = start.set_value(1).run()
    assert not app.exception and link_parameters(app)["lens_start"] == "1"


def test_its_link_opens_it_while_it_is_open(folders):
    link = {"task": "other", "model": "classifier", "texts": "1", "typed": "the cat sat", "head": "1.2", "query": "3"}
    app = open_page("inside", **link)
    assert opening(app)["request"]["body"]["task"] == "imdb" and any("classifier" in info.value for info in app.info)
    open_model(f"path:{folders['classifier']}")
    header = opening(open_page("inside", **link))
    assert header["request"]["body"]["texts"] == ["the cat sat"] and (header["head"], header["query"]) == (1, 2)


def test_causal_attention_is_followed_from_the_last_token(folders):
    open_model(f"path:{folders['gpt2']}")
    link = {"task": "other", "texts": "1", "typed": "the cat sat"}
    header = opening(open_page("inside", **link))
    assert (header["kind"], header["query"]) == ("causal", header["sizes"]["Q"] - 1) and header["sizes"]["Q"] > 2
    app = report_link(open_page("inside", **link), query="1", key="1", kind="causal", head="1.1")
    assert link_parameters(app)["query"] == "1"  # not left out, as it is not where the page opens


def test_the_routes_serve_it(folders):
    request = REQUEST | {"texts": ["the cat", "a mat"], "language": "en", "changes": {"masked": [2]}}
    refusal_message(inside_head, request, 404)
    open_model(f"path:{folders['classifier']}")
    assert post(inside_head, request).status_code == 200
    step = {"task": "other", "model": "classifier", "kind": "self", "layer": 0, "head": 0, "step": "classifier_hidden"}
    assert post(matrices, step).status_code == 200


@pytest.mark.parametrize("section, figures", [("lens", 1), ("plane", 1), ("positions", 7)])
def test_the_other_sections_show_it(folders, section, figures):
    open_model(f"path:{folders['classifier']}")
    app = open_page("inside", inside=section, task="other", typed="the cat sat", texts="1")
    assert not app.exception and not app.warning and len(app.get("plotly_chart")) == figures


@pytest.mark.parametrize("section, figures", [("lens", 0), ("plane", 1), ("positions", 6)])
def test_without_a_classifier_what_needs_none(folders, section, figures):
    open_model(f"path:{folders['base']}")
    app = open_page("inside", inside=section, task="other", typed="the cat sat", texts="1")
    assert not app.exception and len(app.get("plotly_chart")) == figures
    assert says(page_text(app), "lens.no_classifier") == (section == "lens")


@pytest.mark.parametrize("section", ["head", "lens", "plane", "positions"])
def test_of_another_family_the_page_says_what_it_computes(folders, section):
    open_model(f"path:{folders['deberta']}")
    app = open_page("inside", inside=section, task="other")
    assert sum(says(info.value, "inside.deberta") for info in app.info) == 1
    request = REQUEST | {"model": "deberta", "texts": ["a"], "language": "en"}
    assert says(refusal_message(inside_head, request, 422), "inside.deberta")


def test_the_link_does_not_tell_where_a_folder_lies(folders):
    open_model(f"path:{folders['base']}")
    header = json.dumps(opening(open_page("inside", task="other")))
    assert str(folders["base"].parent) not in header
