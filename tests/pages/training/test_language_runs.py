"""Trainings of language models on the training page: the form, the curves, what it writes at each evaluation."""

import json

import numpy as np
import pytest

from pages.training.playing import NEWEST
from tests.pages.app import page_text
from tests.pages.fake_runs import make_run, open_training
from tests.pages.training.test_translation_runs import charts, numbers
from tests.tiny_language_model import TASK, language_checkpoint
from tests.words import english, says
from viz_core.jobs import runs as jobs
from viz_core.tasks import LANGUAGE_MODEL, get_task
from viz_core.training.kinds import training_kind
from viz_core.training.settings import TrainingSettings
from viz_core.training.snapshots import write_snapshot

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]
BEGINNING = "a film"
MODEL, RECIPE = "layers heads width feedforward dropout norm positions", "lr schedule batch epochs share seed"


def generation(seed: int):
    return training_kind(LANGUAGE_MODEL).explain(language_checkpoint(seed=seed), (BEGINNING,))


def make_language_run() -> jobs.Run:
    """A finished training of two evaluations, with a snapshot of a pinned beginning at each."""
    run = make_run(name="writer", task=TASK, evaluations=0, pinned=[[BEGINNING]])
    rows = [
        {"phase": "train", "evaluation": number, "epoch": number, "step": 10 * number, "loss": 5.0 / number}
        | {"validation_loss": 4.0, "token_accuracy": 0.1 * number, "perplexity": 300.0 / number}
        | {"bits_per_character": 2.5 / number, "repeated_loss": 3.0, "lr": 1e-3, "tokens_per_second": 1000}
        for number in (1, 2)
    ]
    (run.path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    status = json.loads((run.path / "status.json").read_text()) | {"best": rows[-1], "last": rows[-1]}
    (run.path / "status.json").write_text(json.dumps(status))
    for evaluation in (0, 1, 2):
        write_snapshot(run.path, evaluation, 0, generation(evaluation))
    return jobs.read(run.id)


def test_the_form_has_the_settings_of_a_language_model_and_starts_one():
    app = open_training(task=TASK)
    keys = {element.key for kind in (app.number_input, app.selectbox) for element in kind if element.key}
    assert {key.removeprefix("train_") for key in keys if key.startswith("train_") and TASK not in key} == {
        *MODEL.split(),
        *RECIPE.split(),
    }
    assert app.selectbox(key="train_positions").value == "rotary"
    box = app.text_area(key=f"train_pinned_{TASK}")
    assert box.label == english("pages.training_pinned_continued") and box.value.splitlines()[0] == "This film is"
    app.button(key="start").click().run()
    (run,) = jobs.list_runs()
    training = TrainingSettings.from_request(run.request).training()
    assert (training.config.positions, training.recipe.best, training.data) == ("rotary", "perplexity", "sample")
    assert training.recipe.validation_rows == get_task(TASK).presets["small"].on_sample["validation_rows"]
    app.segmented_control(key="task").set_value("imdb").run()
    assert app.selectbox(key="train_positions").value == "learned" and not app.exception


def test_the_slider_shows_what_it_writes_and_the_attention_at_each_evaluation():
    run = make_language_run()
    app, seen = open_training(runs=run.id), []
    titles = [json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in app.get("plotly_chart")]
    names = ("loss", "perplexity", "bits_per_character", "token_accuracy", "repeated_loss", "lr", "speed")
    expected_titles = [english(f"rendering.curves_{name}") for name in names]
    assert [title for title in titles if title in expected_titles] == expected_titles
    figures = {
        "perplexity": "150.0",
        "bits_per_character": "1.250",
        "token_accuracy": "20.0%",
        "repeated_loss": "3.000",
    }
    best = ", ".join(english(f"pages.figure_{name}", value=value) for name, value in figures.items())
    assert says(page_text(app), "pages.training_best", figures=best)
    for evaluation in (0, 1, 2):
        app.select_slider(key=f"replay_at_{run.id}").set_value(evaluation if evaluation < 2 else NEWEST).run()
        expected = generation(evaluation)
        (map_,) = charts(app, "replay_heatmap")
        weights = numbers(map_["data"][0]["customdata"])
        np.testing.assert_allclose(np.nan_to_num(weights), expected.explanation.attention[-1, 0], atol=1e-4)
        seen.append(map_["layout"]["coloraxis"]["cmax"])
    assert len(set(seen)) == 1, "one colour scale"
    column = english("pages.training_continuation")
    (table,) = (frame.value for frame in app.dataframe if column in frame.value)
    assert table[column].tolist()[2] == f"{expected.written} …".strip() and not app.exception
    assert table[english("pages.column_perplexity")].tolist()[1:] == [300.0, 150.0]
