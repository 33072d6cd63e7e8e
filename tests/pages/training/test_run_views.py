"""The charts of runs: curves, the replay of attention, one input through two models."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.app import explorer, page_text
from tests.pages.fake_runs import make_run, open_training
from viz_core import checkpoints
from viz_core.training import snapshots

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]


def titles(app: AppTest) -> str:
    return " ".join(json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in app.get("plotly_chart"))


def test_a_run_shows_its_curves_and_the_replay_of_an_input():
    run = make_run()
    app = open_training()
    chart_titles = titles(app)
    assert all(
        name in chart_titles
        for name in ("Loss", "Accuracy", "AUC", "MCC", "Learning rate", "Tokens per second", "Attention map")
    )
    assert "Confusion matrix on validation" in chart_titles
    app.select_slider(key=f"replay_at_{run.id}").set_value(0).run()
    assert not app.exception and "Confusion matrix on validation" not in titles(
        app
    )  # nothing was measured at the start


def test_a_damaged_snapshot_is_a_sentence():
    run = make_run()
    (run.path / "probes/2-0.npz").write_bytes(b"PK")
    assert "missing or damaged" in page_text(open_training())


def charts(app: AppTest, name: str) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart") if name in chart.proto.id]


def test_all_evaluations_share_colour_scale_bar_scale_and_rows():
    run = make_run()
    for evaluation, peak in enumerate((0.2, 0.9, 0.5)):
        explanation = snapshots.read_snapshot(run.path, evaluation, 0)
        tokens = explanation.attention.shape[-1]
        weights = np.full_like(explanation.attention, (1 - peak) / (tokens - 1))
        weights[..., evaluation] = peak
        snapshots.write_snapshot(run.path, evaluation, 0, replace(explanation, attention=weights))
    app, scales = open_training(), []
    for evaluation in (0, 1, 2):
        app.select_slider(key=f"replay_at_{run.id}").set_value(evaluation).run()
        (colours,) = (chart["layout"]["coloraxis"] for chart in charts(app, "replay_heatmap"))
        (bars,) = charts(app, "replay_bars")
        scales.append((colours["cmax"], bars["layout"]["xaxis"]["range"], bars["layout"]["yaxis"]["ticktext"]))
    assert scales[0] == scales[1] == scales[2] and scales[0][0] == pytest.approx(0.9**0.5, abs=1e-3)


def test_an_input_through_two_models_is_drawn_on_shared_scales():
    first, second = make_run(name="one"), make_run(name="other")
    app = open_training(runs=f"{first.id} {second.id}")
    assert app.selectbox(key="beside_left").options == ["run one", "run other", "model tiny"]
    app.selectbox(key="beside_right").set_value("model tiny").run()
    app.text_area(key="beside_text").set_value("not a good film").run()
    app.selectbox(key="beside_right_head").set_value(1).run()
    maps = [charts(app, f"beside_map_{side}")[0] for side in ("left", "right")]
    assert maps[0]["data"][0]["x"] == maps[1]["data"][0]["x"] and len(maps[0]["data"][0]["x"]) == 6
    assert maps[0]["layout"]["coloraxis"]["cmax"] == maps[1]["layout"]["coloraxis"]["cmax"]
    assert maps[0]["data"][0]["z"] != maps[1]["data"][0]["z"]
    bars = [charts(app, f"beside_bars_{side}")[0]["layout"] for side in ("left", "right")]
    assert bars[0]["xaxis"]["range"] == bars[1]["xaxis"]["range"]
    assert bars[0]["yaxis"]["ticktext"] == bars[1]["yaxis"]["ticktext"]
    assert titles(app).count("Predicted probabilities") == 3  # two here, the third in the replay


def test_two_models_of_the_pages_are_compared_in_the_explorer(checkpoints_dir):
    run = make_run(name="one")
    shutil.copytree(checkpoints_dir / "imdb/tiny", checkpoints_dir / "imdb/other")
    app = open_training(runs=run.id)
    assert not [button for button in app.button if button.key == "beside_explorer"], "a run is on no page of a task"
    for side, name in (("left", "other"), ("right", "tiny")):
        app.selectbox(key=f"beside_{side}").set_value(f"model {name}").run()
    app.selectbox(key="beside_left_head").set_value(2).run()
    app.button(key="beside_explorer").click().run()
    selected = explorer(app)["selection"]
    assert selected["head"] == "2.*" and explorer(app)["model"] == "tiny"
    assert (selected["ref_model"], selected["ref_head"]) == ("other", "2.2")
    assert [selected["ref_a"]] == explorer(app)["instrument"]["texts"]


def test_an_invalid_text_gets_a_sentence_on_both_sides():
    run = make_run()
    app = open_training()
    app.text_area(key="beside_text").set_value(" ").run()
    assert not charts(app, "beside_map") and page_text(app).count("type a text") == 2 and not app.exception
    (run.path / "checkpoints/20/model.safetensors").write_bytes(b"")
    app.text_area(key="beside_text").set_value("a good film").run()
    assert "damaged" in page_text(app) and not app.exception


def test_pairs_are_compared_with_two_boxes():
    run = make_run(task="afqmc")
    shutil.rmtree(run.path / "checkpoints/20")
    shutil.copytree(checkpoints.folder() / "afqmc/tiny", run.path / "checkpoints/20")
    app = open_training()
    app.button(key="beside_example_1").click().run()
    assert app.text_area(key="beside_b").value == "花呗怎么分期" and len(charts(app, "beside_map")) == 2


def test_a_pinned_input_of_several_runs_is_offered_once():
    first = make_run(name="one", pinned=["a good film", "The acting is superb and I loved every minute of it."])
    second = make_run(name="other", pinned=[["a good film"], ["two", "texts"]])
    app = open_training(runs=f"{first.id} {second.id}")
    (button,) = (button for button in app.button if button.label == "a good film")
    button.click().run()
    assert app.text_area(key="beside_text").value == "a good film" and not app.exception
