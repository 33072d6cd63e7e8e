"""Trainings of translations on the training page: the form, the curves, the translations at each evaluation."""

import base64
import json

import numpy as np
import pytest

from pages.training.playing import NEWEST
from tests.models.tiny import encoder_decoder
from tests.pages.app import link_parameters, page_text
from tests.pages.fake_runs import FIGURES, OWNER, make_run, open_training
from tests.words import english, says
from viz_core import checkpoints
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.jobs import runs as jobs
from viz_core.tasks import TRANSLATION, get_task
from viz_core.text.building import build_translation_tokenizer
from viz_core.text.tokenizer import TextEncoder
from viz_core.training.kinds import training_kind
from viz_core.training.settings import TrainingSettings
from viz_core.training.snapshots import write_snapshot

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]
TASK, SOURCE = "tatoeba", "我去学校"
MODEL, RECIPE = "layers heads width feedforward dropout norm", "lr schedule batch epochs share seed"


def translator(seed: int) -> Checkpoint:
    text = TextEncoder(build_translation_tokenizer(["我 去 学 校", "I go to school"], 16, min_count=1))
    model = encoder_decoder(seed, vocabulary=text.vocabulary, max_tokens=16)
    return Checkpoint("tiny", get_task(TASK), Settings(TASK, model.config, kind="encoder_decoder"), model, text, None)


def make_translation_run(name: str = "translator") -> jobs.Run:
    """A finished training of two evaluations, with a checkpoint and a snapshot of a pinned sentence at each."""
    run = make_run(name=name, task=TASK, evaluations=0, pinned=[[SOURCE]])
    rows = [
        {"phase": "train", "evaluation": number, "epoch": number, "step": 10 * number, "loss": 5.0 / number}
        | {"validation_loss": 4.0, "token_accuracy": 0.1 * number, "train_accuracy": 0.2, "bleu": 2.5 * number}
        | {"chrf": 11.0 * number, "lr": 1e-3, "tokens_per_second": 1000}
        for number in (1, 2)
    ]
    (run.path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    status = json.loads((run.path / "status.json").read_text()) | {"best": rows[-1], "last": rows[-1]}
    (run.path / "status.json").write_text(json.dumps(status))
    for evaluation in (0, 1, 2):
        checkpoint = translator(evaluation)
        write_snapshot(run.path, evaluation, 0, training_kind(TRANSLATION).explain(checkpoint, (SOURCE,)))
    folder = run.path / "checkpoints/20"
    figures = FIGURES | {"task": TASK, "validation": rows[-1] | {"split": "validation", "n": 40}}
    checkpoints.save(folder, checkpoint.settings, checkpoint.model, checkpoint.text_encoder, figures)
    (folder / checkpoints.CARD).write_text("# tatoeba / tiny\n")
    return jobs.read(run.id)


def charts(app, name: str) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart") if name in chart.proto.id]


def numbers(array: dict | list) -> np.ndarray:
    """An array of a chart, which may be encoded as bytes."""
    if isinstance(array, list):
        return np.array(array)
    values = np.frombuffer(base64.b64decode(array["bdata"]), array["dtype"])
    return values.reshape([int(size) for size in str(array.get("shape", len(values))).split(",")])


def test_the_form_has_the_settings_of_a_translation_and_starts_one():
    app = open_training(task=TASK)
    keys = {element.key for kind in (app.number_input, app.selectbox) for element in kind if element.key}
    assert {key.removeprefix("train_") for key in keys if key.startswith("train_") and TASK not in key} == {
        *MODEL.split(),
        *RECIPE.split(),
    }
    app.number_input(key="train_layers").set_value(1).run()
    layers = {"name": english("pages.training_layers"), "value": "1", "usual": "3"}
    assert says(page_text(app), "pages.training_changed_one", **layers)
    app.text_area(key=f"train_pinned_{TASK}").set_value("我们明天去学校。\n你好").run()
    app.button(key="start").click().run()
    (run,) = jobs.list_runs()
    settings = TrainingSettings.from_request(run.request)
    assert (settings.task, settings.data, settings.pinned) == (TASK, "sample", (("我们明天去学校。",), ("你好",)))
    assert settings.training().config.layers == 1 and settings.training().recipe.best == "bleu"
    assert run.request.owner == OWNER and link_parameters(app)["task"] == TASK and not app.exception


def test_two_sentences_of_the_sample_are_tracked_if_nobody_chooses_others():
    lines = open_training(task=TASK).text_area(key=f"train_pinned_{TASK}").value.splitlines()
    assert lines == list(get_task(TASK).read("validation", "sample")["text"][:2])


def test_going_to_a_classification_and_back_keeps_the_changes_of_both():
    app = open_training(task=TASK)
    app.number_input(key="train_feedforward").set_value(64).run()
    app.segmented_control(key="task").set_value("imdb").run()
    assert app.selectbox(key="train_pooling").value == "cls" and app.number_input(key="train_feedforward").value == 128
    app.segmented_control(key="task").set_value(TASK).run()
    assert app.number_input(key="train_feedforward").value == 64 and not app.exception


def test_the_curves_are_those_of_a_translation():
    app = open_training(runs=make_translation_run().id)
    titles = [json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in app.get("plotly_chart")]
    curves = ("loss", "token_accuracy", "bleu", "chrf", "lr", "speed")
    expected = [english(f"rendering.curves_{name}") for name in curves]
    assert [title for title in titles if title in expected] == expected and len(titles) == len(expected) + 1
    (bleu,) = charts(app, "curve_bleu")
    assert numbers(bleu["data"][0]["y"]).tolist() == [2.5, 5.0]
    figures = {"token_accuracy": "20.0%", "bleu": "5.0", "chrf": "22.0"}
    best = ", ".join(english(f"pages.figure_{name}", value=value) for name, value in figures.items())
    assert says(page_text(app), "pages.training_best", figures=best)
    assert not says(page_text(app), "pages.training_no_bleu")


def test_a_best_epoch_with_a_bleu_of_about_0_is_called_chance():
    run = make_translation_run()
    status = json.loads((run.path / "status.json").read_text())
    (run.path / "status.json").write_text(json.dumps(status | {"best": status["best"] | {"bleu": 0.3}}))
    assert says(page_text(open_training(runs=run.id)), "pages.training_no_bleu")


def test_classification_and_translation_share_the_table_of_runs():
    make_translation_run(), make_run(name="classifier")
    names = ("training_column_progress", "column_bleu", "column_accuracy")
    progress, bleu, accuracy = (english(f"pages.{name}") for name in names)
    (table,) = (frame.value for frame in open_training().dataframe if progress in frame.value)
    assert table[bleu].tolist()[1] == 5.0 and table[accuracy].tolist()[0] == 0.7
    assert np.isnan(table[bleu].tolist()[0]) and np.isnan(table[accuracy].tolist()[1])


def test_the_slider_shows_the_translation_the_attention_and_the_figures_of_each_evaluation():
    run = make_translation_run()
    app, seen = open_training(runs=run.id), []
    for evaluation in (0, 1, 2):
        app.select_slider(key=f"replay_at_{run.id}").set_value(evaluation if evaluation < 2 else NEWEST).run()
        expected = training_kind(TRANSLATION).explain(translator(evaluation), (SOURCE,))
        assert expected.text.split()[0] in page_text(app)
        assert says(page_text(app), "pages.training_unmeasured") == (evaluation == 0)
        (map_,) = charts(app, "replay_heatmap")
        weights = numbers(map_["data"][0]["customdata"])
        np.testing.assert_allclose(weights, expected.attention["cross"][-1, 0], atol=1e-4)
        seen.append(map_["layout"]["coloraxis"]["cmax"])
    assert len(set(seen)) == 1, "one colour scale"
    app.segmented_control(key=f"replay_kind_{run.id}").set_value("causal").run()
    (map_,) = charts(app, "replay_heatmap")
    T = len(expected.steps)
    assert numbers(map_["data"][0]["customdata"]).shape == (T, T)
    column = english("pages.training_translation")
    (table,) = (frame.value for frame in app.dataframe if column in frame.value)
    assert len(table) == 3 and table[column].tolist()[2].startswith(expected.text)


def test_a_run_is_saved_as_a_model_and_deleted_again():
    run = make_translation_run()
    app = open_training(runs=run.id)
    app.button(key=f"save_now_{run.id}").click().run()
    assert checkpoints.load(TASK, "translator") and says(
        page_text(app), "pages.training_delete_model_sure", name="translator"
    )
    (evidence,) = (job for job in jobs.list_runs() if job.request.kind == "evidence")
    assert (evidence.request.settings["pass"], evidence.request.owner) == ("alignment", OWNER) and not app.exception
    app.button(key="delete_model_tatoeba_translator_now").click().run()
    assert not checkpoints.task_checkpoints(TASK) and not app.exception
