"""The training page as Streamlit runs it, on run folders made by hand: nothing is trained, nothing is started."""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from safetensors.torch import load_file, save_file
from streamlit.testing.v1 import AppTest

from pages.shared import recipe_form, runs
from tests.pages.test_pages import linked, opened, said
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.jobs import runs as jobs
from viz_core.language import Translator
from viz_core.training import probes
from viz_core.training.presets import PRESETS
from viz_core.training.request import Request

VALIDATION = {"split": "validation", "n": 48, "accuracy": 0.7, "majority_accuracy": 0.5, "auc": 0.6, "mcc": 0.2,
              "f1": [0.7, 0.7], "confusion": [[20, 4], [5, 19]], "ece": 0.1, "ece_uncalibrated": 0.1}
FIGURES = {"task": "imdb", "data": "sample", "recipe": {"lr": 1e-3}, "seed": 0, "parameters": 1234, "command": "python",
           "commit": "unknown", "device": "cpu", "data_sha256": "0", "wall_seconds": 60, "validation": VALIDATION}

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


@pytest.fixture(autouse=True)
def runs_dir(tmp_path, monkeypatch):
    """A folder of runs that no worker looks after."""
    import streamlit as st

    st.cache_resource.clear()
    st.cache_data.clear()
    root = tmp_path / "runs"
    root.mkdir()
    monkeypatch.setenv("VIZ_RUNS_DIR", str(root))
    monkeypatch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)
    return root


def row(evaluation: int) -> dict:
    return {"phase": "train", "evaluation": evaluation, "epoch": evaluation, "step": 10 * evaluation,
            "loss": 0.7 / evaluation, "validation_loss": 0.7, "train_accuracy": 0.6, "accuracy": 0.5 + evaluation / 10,
            "auc": 0.6, "mcc": 0.2, "majority_accuracy": 0.5, "confusion": [[20, 4], [5, 19]], "lr": 1e-3,
            "tokens_per_second": 1000, "memory_bytes": 10**9}


def a_run(state: str = "finished", evaluations: int = 2, name: str = "first", **settings) -> jobs.Run:
    """A training that has come so far, with its figures, its checkpoint and one input that was followed."""
    run = jobs.submit({"kind": "train", "name": name, "command": runs.COMMAND, "device": "cpu",
                       "settings": {"task": "imdb", "name": name, "data": "sample", **settings}}, owner="somebody")
    figures = [row(number) for number in range(1, evaluations + 1)]
    status = json.loads((run.path / "status.json").read_text()) | {
        "state": state, "step": 10 * evaluations, "total": 40, "eta": 12.0, "heartbeat": time.time(),
        "started": time.time() - 60, "ended": None if state in ("queued", "running") else time.time(),
        "device": "cpu, 2 threads", "last": figures[-1] if figures else None, "best": figures[-1] if figures else None}
    (run.path / "status.json").write_text(json.dumps(status))
    (run.path / "metrics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in figures))
    if evaluations:
        pretend_trained(run.path, 10 * evaluations)
    runs.fresh()
    return jobs.read(run.id)


def pretend_trained(folder: Path, step: int) -> None:
    """Puts the tiny model where the best checkpoint of a run stands, and what it made of an input beside it."""
    best = folder / "checkpoints" / str(step)
    shutil.copytree(checkpoints.folder() / "imdb/tiny", best)
    weights = load_file(best / checkpoints.WEIGHTS)
    save_file({name: tensor + 1 for name, tensor in weights.items()}, best / checkpoints.WEIGHTS)  # not imdb/tiny
    (best / checkpoints.METRICS).write_text(json.dumps(FIGURES))
    (best / checkpoints.CARD).write_text("# imdb / tiny\n")
    for evaluation in range(3):
        probes.write(folder, evaluation, 0, explain(checkpoints.load("imdb", "tiny"), "a good film"))


def at(**link: str) -> AppTest:
    return opened("training", **link)


def titles(app: AppTest) -> str:
    return " ".join(json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in app.get("plotly_chart"))


def test_without_runs_the_page_says_what_to_press():
    app = at()
    assert "Start training" in app.info[0].value and not app.button(key="start").disabled
    assert "parameters" in said(app)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_form_and_a_run_speak_both_languages(language):
    run = a_run("failed")
    app = at(lang=language)
    assert app.title[0].value == Translator(language)("pages.training_title")
    assert Translator(language)("jobs.state_failed") in said(app) and app.button(key=f"resume_{run.id}")


@pytest.mark.parametrize("task", PRESETS)
def test_every_preset_fills_the_form_with_what_can_be_trained(task):
    app = at(task=task)
    for preset in PRESETS[task]:
        app.selectbox(key=f"train_preset_{task}").set_value(preset).run()
        assert not app.exception and not app.error and not app.button(key="start").disabled


def test_start_asks_for_what_the_form_says():
    app = at()
    app.text_input(key="train_name").set_value("mine").run()
    app.number_input(key="train_epochs").set_value(3).run()
    app.number_input(key="train_share").set_value(50).run()
    app.button(key="start").click().run()
    run, = jobs.listing()
    assert not app.exception and (run.name, run.state, run.request["command"]) == ("mine", "queued", runs.COMMAND)
    request = Request.from_run(run.request)
    assert (request.task, request.data, len(request.inputs())) == ("imdb", "sample", 2)
    assert (request.training().recipe.epochs, request.training().recipe.share) == (3, 0.5)
    assert linked(app)["runs"] == run.id and "waiting, place 1" in said(app)


def test_depth_is_one_experiment_of_four_runs_although_three_may_wait():
    app = at()
    app.button(key="depths").click().run()
    found = jobs.listing()
    assert [run.request["settings"]["encoder"]["layers"] for run in reversed(found)] == [1, 2, 4, 6]
    assert len({run.request["experiment"] for run in found}) == 1 and not app.exception
    assert len(app.session_state[runs.SHOWN]) == 4


def test_who_has_too_many_waiting_is_told():
    app = at()
    for _ in range(4):
        app.button(key="start").click().run()
    assert len(jobs.listing()) == 3 and "You have 3 runs waiting" in said(app) and not app.exception
    assert "You have 3 runs waiting" in said(app.run())  # it is not wiped away by a run that moves


def test_another_width_offers_the_heads_that_divide_it():
    app = at()
    app.selectbox(key="train_heads").set_value(32).run()
    app.selectbox(key="train_width").set_value(48).run()
    assert app.selectbox(key="train_heads").value == 24  # the nearest
    assert all(48 % int(one) == 0 for one in app.selectbox(key="train_heads").options)
    assert not app.error and not app.button(key="start").disabled


def test_what_no_memory_holds_is_refused_with_its_numbers(monkeypatch):
    monkeypatch.setattr("pages.shared.estimates.memory_of", lambda device: 10**6)
    app = at()
    assert "would take about" in said(app).replace("\\", "") and app.button(key="start").disabled


def test_a_corpus_that_is_not_at_hand_offers_the_sample():
    app = at()
    app.segmented_control(key="train_data_imdb").set_value("full").run()
    assert "is not at hand" in said(app) and app.button(key="start").disabled
    app.button(key="use_sample").click().run()
    assert not app.button(key="start").disabled and not app.warning


@pytest.mark.parametrize(("task", "text"), [
    ("imdb", "?!"), ("afqmc", "花呗怎么还款"), ("afqmc", "花呗 | ? "), ("imdb", "a\n" * 5)])
def test_inputs_that_cannot_be_followed_are_named(task, text):
    app = at(task=task)
    app.text_area(key=f"train_pinned_{task}").set_value(text).run()
    assert app.error and not app.exception and app.button(key="start").disabled


def test_a_run_shows_its_curves_and_what_an_input_looked_like():
    run = a_run()
    app = at()
    drawn = titles(app)
    assert all(name in drawn for name in ("Loss", "Accuracy", "AUC and MCC", "Learning rate", "Who looks at whom"))
    assert "What the model answered" in drawn
    app.select_slider(key=f"replay_at_{run.id}").set_value(0).run()
    assert not app.exception and "What the model answered" not in titles(app)  # nothing was measured at the start


def test_a_run_that_is_under_way_tells_how_far_it_is_and_can_be_stopped():
    run = a_run("running")
    app = at()
    assert "accuracy 70.0%" in said(app)
    app.button(key=f"stop_{run.id}").click().run()
    assert (run.path / "stop").exists() and app.button(key=f"stop_{run.id}").disabled


def test_a_run_becomes_a_model_once_and_can_be_taken_back():
    run = a_run()
    app = at()
    app.text_input(key=f"model_{run.id}").set_value("tiny").run()
    app.button(key=f"keep_now_{run.id}").click().run()
    assert "already a model named “tiny”" in said(app)
    app.text_input(key=f"model_{run.id}").set_value("../x").run()
    app.button(key=f"keep_now_{run.id}").click().run()
    assert "cannot be the name" in said(app) and "already a model" not in said(app)
    app.text_input(key=f"model_{run.id}").set_value("mine").run()
    app.button(key=f"keep_now_{run.id}").click().run()
    assert checkpoints.load("imdb", "mine") and "Delete the model **mine**" in said(app)
    app.button(key=f"unkeep_{run.id}_now").click().run()
    assert [one.name for one in checkpoints.usable("imdb")] == ["tiny"] and not app.exception


def test_a_run_is_deleted_when_that_was_confirmed():
    run = a_run("stopped")
    app = at()
    app.button(key=f"delete_{run.id}_now").click().run()
    assert not run.path.exists() and "No runs yet" in app.info[0].value


def test_runs_side_by_side_and_only_what_differs():
    one, other = a_run(name="one", encoder={"layers": 1}), a_run(name="six", encoder={"layers": 6})
    app = at(runs=f"{one.id} {other.id} nobody")
    compared, = (frame.value for frame in app.dataframe if "Layers" in frame.value)
    assert compared["Layers"].tolist() == [1, 6] and "Task" not in compared and "Heads" not in compared


def test_a_damaged_status_is_a_sentence_and_the_others_stay():
    damaged, other = a_run(name="damaged"), a_run(name="other")
    (damaged.path / "status.json").write_text("{")
    (damaged.path / "metrics.jsonl").write_bytes(b"\xff\n{}\n{\"epoch\": ")
    app = at(runs=f"{damaged.id} {other.id}")
    assert "status.json" in said(app).replace("\\", "") and "other" in said(app) and not app.exception


def test_a_probe_that_is_damaged_is_a_sentence():
    run = a_run()
    (run.path / "probes/2-0.npz").write_bytes(b"PK")
    assert "missing or damaged" in said(at())


def test_full_disk_is_a_sentence(monkeypatch):
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "10000000000")
    app = at()
    app.button(key="start").click().run()
    assert "MB free" in said(app).replace("\\", "") and not jobs.listing() and not app.exception


def test_keeping_needs_a_checkpoint():
    run = a_run("failed", evaluations=0)
    app = at()
    assert app.button(key=f"resume_{run.id}") and f"keep_now_{run.id}" not in [button.key for button in app.button]


@pytest.mark.parametrize("task", PRESETS)
def test_the_small_preset_learns_from_the_sample_and_those_that_fail_still_fail(task):
    app = at(task=task)
    app.button(key="start").click().run()
    app.selectbox(key=f"train_preset_{task}").set_value("course").run()
    app.button(key="start").click().run()
    course, small = (Request.from_run(run.request).training().recipe for run in jobs.listing())
    assert recipe_form.ON_SAMPLE.items() <= vars(small).items()
    assert course == replace(PRESETS[task]["course"].recipe, share=1.0)


def test_what_was_typed_last_counts_although_it_comes_with_the_click():
    app = at()
    app.text_input(key="train_name").set_value("typed")
    app.button(key="start").click().run()
    run, = jobs.listing()
    assert run.name == "typed"
    other = a_run()
    app.run()
    app.multiselect(key=runs.SHOWN).set_value([other.id]).run()
    app.text_input(key=f"model_{other.id}").set_value("kept")
    app.button(key=f"keep_now_{other.id}").click().run()
    assert checkpoints.load("imdb", "kept")


def test_runs_of_one_name_can_be_told_apart():
    a_run(name="same"), a_run(name="same")
    assert at().multiselect(key=runs.SHOWN).options == ["same (2)", "same"]


def test_a_tensorboard_that_shows_these_runs_is_linked(runs_dir, monkeypatch):
    def info(pid: int, folder: str) -> SimpleNamespace:
        return SimpleNamespace(pid=pid, logdir=folder, port=6123, path_prefix="")

    listed = [info(os.getpid(), "/elsewhere"), info(2**30, str(runs_dir))]
    monkeypatch.setattr("pages.shared.comparing.manager.get_all", lambda: listed)
    a_run()
    assert "tensorboard --logdir" in said(at()).replace("\\", "")
    listed.append(info(os.getpid(), str(runs_dir.parent)))
    assert [one.proto.url for one in at().link_button] == ["http://localhost:6123/"]
