"""The charts of runs: curves, and the replay of attention."""

import json
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.training.playing import NEWEST
from tests.pages.app import page_text
from tests.pages.fake_runs import make_run, metrics_row, open_training, write_checkpoint
from tests.words import english, says
from viz_core.jobs.runs import Run
from viz_core.language import LANGUAGES, Translator
from viz_core.training import snapshots

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]


def titles(app: AppTest) -> str:
    return " ".join(json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in app.get("plotly_chart"))


def test_a_run_shows_its_curves_and_the_replay_of_an_input():
    run = make_run()
    app = open_training()
    chart_titles = titles(app)
    assert all(
        says(chart_titles, f"rendering.curves_{name}") for name in ("loss", "accuracy", "auc", "mcc", "lr", "speed")
    )
    assert says(chart_titles, "analysis.title_map") and says(chart_titles, "rendering.confusion_validation")
    app.select_slider(key=f"replay_at_{run.id}").set_value(0).run()
    assert not app.exception
    assert not says(titles(app), "rendering.confusion_validation"), "nothing was measured at the start"


def test_training_that_is_ahead_of_validation_by_ten_points_is_called_overfitting():
    run = make_run()
    for training, overfits in ((0.79, False), (0.8125, True)):  # validation: 0.7
        row = metrics_row(2) | {"train_accuracy": training}
        (run.path / "metrics.jsonl").write_text("".join(json.dumps(each) + "\n" for each in (metrics_row(1), row)))
        text = page_text(open_training())
        assert says(text, "pages.training_overfits", training=training, validation=0.7) == overfits


def run_with_best_of_two(state: str = "finished") -> Run:
    """Of two epochs, the first is the best."""
    run = make_run(state)
    write_checkpoint(run.path, 10)
    status = run.path / "status.json"
    status.write_text(json.dumps(json.loads(status.read_text()) | {"best": metrics_row(1)}))
    return run


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_another_epoch_is_shown_than_the_one_that_is_saved_it_is_named(language):
    run, say = run_with_best_of_two(), Translator(language)
    remark = say("pages.training_saved_instead", best=say("pages.training_epoch_train", epoch=1))
    app, seen = open_training(lang=language), []
    for place in (NEWEST, 1, 0):
        app.select_slider(key=f"replay_at_{run.id}").set_value(place).run()
        seen.append(remark in page_text(app))
    assert seen == [True, False, True]


@pytest.mark.parametrize("make", [make_run, lambda: run_with_best_of_two("running")])
def test_without_another_epoch_that_can_be_saved_none_is_named(make):
    make()
    assert english("pages.training_saved_instead", best="") not in page_text(open_training())


def test_a_damaged_snapshot_is_a_sentence():
    run = make_run()
    (run.path / "probes/2-0.npz").write_bytes(b"PK")
    assert says(page_text(open_training()), "training.no_snapshot", evaluation=2)


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
        app.select_slider(key=f"replay_at_{run.id}").set_value(evaluation if evaluation < 2 else NEWEST).run()
        (chart,) = charts(app, "replay_heatmap")
        layout = chart["layout"]
        scales.append((layout["coloraxis"]["cmax"], layout["xaxis2"]["range"], layout["yaxis2"]["ticktext"]))
    assert scales[0] == scales[1] == scales[2] and scales[0][0] == 1
