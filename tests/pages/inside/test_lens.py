"""The logit lens on the page: of a text, of a pair, of a translation, and of models that have none."""

import json

import pytest

from tests.pages.app import link_parameters, open_page, page_text
from tests.tiny import REVIEWS
from tests.tiny_translation import save_translation
from tests.words import english
from viz_core import checkpoints
from viz_core.analysis.explain import explain

pytestmark = pytest.mark.usefixtures("runs_dir")


def figure(app) -> dict:
    assert not app.exception
    (chart,) = app.get("plotly_chart")
    return json.loads(chart.proto.spec)


def test_the_last_point_of_a_line_is_the_prediction():
    app = open_page("inside", inside="lens", task="imdb", model="tiny", text=REVIEWS[0])
    lines = figure(app)["data"]
    assert [line["name"] for line in lines] == [
        english(f"rendering.label_{label}") for label in ("negative", "positive")
    ]
    probabilities = explain(checkpoints.load("imdb", "tiny"), REVIEWS[0]).probabilities
    assert [line["y"][-1] for line in lines] == pytest.approx(probabilities.tolist(), abs=1e-5)
    assert len(lines[0]["y"]) == 3, "the embedding and two layers"
    assert english("lens.source") in page_text(app)
    assert link_parameters(app)["inside"] == "lens"


def test_a_pair_and_a_translation(checkpoints_dir):
    assert figure(open_page("inside", inside="lens", task="afqmc"))["data"][0]["type"] == "scatter"
    save_translation(checkpoints_dir, end=3.0)
    cells, tokens = figure(open_page("inside", inside="lens", task="tatoeba"))["data"]
    assert (cells["type"], tokens["mode"]) == ("heatmap", "text")


def test_a_text_that_the_model_cannot_read_is_said():
    app = open_page("inside", inside="lens", task="imdb", text=" ")
    assert app.warning and not app.get("plotly_chart")
