"""Patching between two texts, below the explorer: the map follows the texts, the direction and the part."""

from base64 import b64decode

import numpy as np
import pytest
from plotly.io import from_json

from tests.pages.app import explorer, link_parameters, open_page
from tests.words import says
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.analysis.patching.contrast import contrast
from viz_core.analysis.patching.patch import Cell, explain_patched, patch_all
from viz_core.records import Message
from viz_core.rendering.probabilities import prediction_in_short

pytestmark = pytest.mark.usefixtures("checkpoints_dir")
TEXTS = {"text": "a good film", "source_text": "a bad film"}


def chart(app):
    return from_json(app.get("plotly_chart")[-1].proto.spec)


def open_section(**parameters):
    return open_page("sentiment", evidence="patching", **{**TEXTS, **parameters})


def test_the_map_is_that_of_the_texts():
    app = open_section(site="heads")
    model = checkpoints.load("imdb", explorer(app)["model"])
    found = contrast(model, *(explain(model, text).encoding for text in ("a bad film", "a good film")))
    (heat,) = [trace for trace in chart(app).data if trace.type == "heatmap"]
    drawn = np.frombuffer(b64decode(heat.z["bdata"]), heat.z["dtype"]).reshape(model.model.config.layers, -1)
    np.testing.assert_allclose(drawn, patch_all(model, found, ["heads"]).effects["heads"], atol=1e-6)
    assert "csv_patching" in {button.key for button in app.get("download_button")}


def test_the_other_direction_is_in_the_link_and_the_default_is_not():
    assert "patch" not in link_parameters(open_section())
    app = open_section()
    app.segmented_control(key="patch").set_value("out").run()
    assert link_parameters(app)["patch"] == "out" and link_parameters(app)["source_text"] == "a bad film"


def test_equal_texts_are_refused_in_a_sentence():
    app = open_section(source_text="A good film!")
    assert any(says(info.value, "patching.same_texts") for info in app.info)
    assert "csv_patching" not in {button.key for button in app.get("download_button")}


def test_what_takes_long_is_estimated_until_it_is_asked_for(monkeypatch):
    monkeypatch.setattr("pages.shared.patching_runs.QUICK", 0)
    app = open_section()
    subtitle = chart(app).layout.title.subtitle.text
    assert says(subtitle, "patching.scale_estimated")
    (button,) = [button for button in app.button if says(button.label, "patching.exact")]
    assert says(chart(button.click().run()).layout.title.subtitle.text, "patching.scale")
    assert says(chart(app.run()).layout.title.subtitle.text, "patching.scale"), "what took long is kept"


def test_paths_that_take_long_are_traced_when_they_are_asked_for(monkeypatch):
    monkeypatch.setattr("pages.shared.patching_runs.QUICK", 0)
    app = open_section(site="paths", sender="1.1")
    assert not app.get("plotly_chart")
    (button,) = [button for button in app.button if says(button.label, "patching.exact")]
    assert says(chart(button.click().run()).layout.title.text, "patching.title_paths", head="1.1")


def test_of_a_pair_there_are_two_boxes():
    app = open_page("matching", evidence="patching", a="花呗怎么还款", b="借呗如何还钱", source_b="花呗如何还钱")
    assert [box.key for box in app.text_input if box.key.startswith("source_")] == ["source_a", "source_b"]
    assert not app.exception


def test_the_prediction_with_the_strongest_part_is_told():
    app = open_section(site="heads")
    model = checkpoints.load("imdb", explorer(app)["model"])
    source, target = (explain(model, text) for text in ("a bad film", "a good film"))
    found = contrast(model, source.encoding, target.encoding)
    layer, head = patch_all(model, found, ["heads"]).strongest("heads")
    patched = explain_patched(model, found, Cell("heads", layer, head))
    values = {
        "part": Message("patching.part_heads", {"layer": layer + 1, "name": head + 1}),
        "before": prediction_in_short(target),
        "after": prediction_in_short(patched),
    }
    assert any(says(text.value, "patching.turned", **values) for text in app.markdown)


def test_paths_follow_the_chosen_head():
    app = open_section(site="paths", sender="1.2")
    assert says(chart(app).layout.title.text, "patching.title_paths", head="1.2")
    app.selectbox(key="sender").set_value("2.1").run()
    assert any(says(info.value, "patching.no_later_layer") for info in app.info)
    assert link_parameters(app)["sender"] == "2.1"
