"""Queries and keys in one plane, on the page."""

import json

import pytest

from tests.pages.app import link_parameters, open_page, page_text
from tests.tiny_translation import save_translation
from tests.words import says
from viz_core.rendering import query_key_plane

pytestmark = pytest.mark.usefixtures("runs_dir")


def traces(app) -> list[dict]:
    assert not app.exception
    (chart,) = app.get("plotly_chart")
    return json.loads(chart.proto.spec)["data"]


def test_the_head_of_the_link_over_the_sample():
    app = open_page("inside", inside="plane", task="afqmc", plane_layer="2", plane_head="2", plane_colour="group")
    assert len(traces(app)) == 6 and says(app.get("plotly_chart")[0].proto.spec, "plane.title", layer=2, head=2)
    assert says(page_text(app), "plane.source")
    link = link_parameters(app)
    assert (link["head"], link["plane_colour"]) == ("2.2", "group") and not {"plane_layer", "plane_head"} & link.keys()


def test_the_head_is_that_of_the_other_sections_and_theirs_is_its():
    app = open_page("inside", inside="head", task="afqmc", head="2.2")
    app.menu_button(key="more_sections").click("plane").run()
    assert [app.selectbox(key=f"plane_{name}").value for name in ("layer", "head")] == [2, 2]
    app.selectbox(key="plane_head").set_value(1).run()
    assert says(app.get("plotly_chart")[0].proto.spec, "plane.title", layer=2, head=1)
    assert link_parameters(app)["head"] == "2.1"
    app.segmented_control(key="inside").set_value("head").run()
    assert link_parameters(app)["head"] == "2.1" and not app.exception


def test_a_head_that_no_plane_represents_has_a_sentence_in_place_of_the_figure(monkeypatch):
    monkeypatch.setattr(query_key_plane, "LEAST", 1.01)
    app = open_page("inside", inside="plane", task="afqmc", plane_layer="2", plane_head="1")
    (warning,) = app.warning
    assert not app.exception and not app.get("plotly_chart")
    assert says(warning.value, "plane.not_represented", layer=2, head=1)


def test_mistyped_values_of_a_link_are_ignored():
    app = open_page("inside", inside="plane", task="imdb", plane_layer="9", plane_head="0", plane_colour="<b>")
    assert len(traces(app)) == 2 and link_parameters(app).keys() <= {"inside", "task", "head"}


def test_the_causal_attention_of_a_translation(checkpoints_dir):
    save_translation(checkpoints_dir)
    app = open_page("inside", inside="plane", task="tatoeba", plane_kind="causal", plane_layer="2")
    assert len(traces(app)) == 2 and link_parameters(app)["plane_kind"] == "causal"
    assert says(page_text(app), "plane.no_cross")
    assert "plane_kind" not in link_parameters(open_page("inside", inside="plane", task="tatoeba", plane_kind="cross"))
