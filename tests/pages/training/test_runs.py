"""Fake runs on the training page: shown, stopped, saved as models, compared."""

import json
import os
import time
from types import SimpleNamespace

import pytest

from pages.shared.teacher import ALONE
from pages.training import runs
from tests.pages.app import page_text
from tests.pages.fake_runs import make_run, open_training
from tests.words import english, says
from viz_core import checkpoints
from viz_core.jobs import runs as jobs
from viz_core.language import Translator

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_form_and_a_run_are_shown_in_both_languages(language):
    run = make_run("failed")
    app = open_training(lang=language)
    assert app.title[0].value == Translator(language)("pages.training_title")
    assert Translator(language)("jobs.state_failed") in page_text(app) and app.button(key=f"resume_{run.id}")


def test_the_form_is_unfolded_where_there_is_no_run_to_show():
    assert open_training().session_state["recipe"]
    make_run("finished")
    assert not open_training().session_state["recipe"]


def test_an_active_run_shows_its_progress_and_can_be_stopped():
    run = make_run("running")
    app = open_training()
    assert says(page_text(app), "pages.figure_accuracy", value="70.0%")
    app.button(key=f"stop_{run.id}").click().run()
    assert (run.path / "stop").exists() and app.button(key=f"stop_{run.id}").disabled


@pytest.mark.parametrize("seconds, key", [(10, "starting"), (60, "starting_busy")])
def test_a_run_that_takes_long_to_start_says_that_the_machine_is_busy(seconds, key):
    run = make_run("running", evaluations=0)
    status = json.loads((run.path / "status.json").read_text())
    status |= {"step": 0, "eta": None, "started": status["heartbeat"] - seconds}
    (run.path / "status.json").write_text(json.dumps(status))
    (bar,) = open_training().get("progress")
    assert says(bar.proto.text, f"pages.training_{key}", time=english("pages.training_seconds", seconds=20))


def test_a_run_is_saved_as_a_model_and_deleted_again():
    run = make_run()
    app = open_training()
    app.text_input(key=f"model_{run.id}").set_value("tiny").run()
    app.button(key=f"save_now_{run.id}").click().run()
    assert says(page_text(app), "training.name_taken", name="tiny")
    app.text_input(key=f"model_{run.id}").set_value("../x").run()
    app.button(key=f"save_now_{run.id}").click().run()
    assert says(page_text(app), "training.bad_name") and not says(page_text(app), "training.name_taken")
    app.text_input(key=f"model_{run.id}").set_value("mine").run()
    app.button(key=f"save_now_{run.id}").click().run()
    assert checkpoints.load("imdb", "mine") and says(page_text(app), "pages.training_delete_model_sure", name="mine")
    app.button(key="delete_model_imdb_mine_now").click().run()
    assert [info.name for info in checkpoints.task_checkpoints("imdb")] == ["tiny"] and not app.exception


def test_the_suggested_name_of_a_model_is_free():
    run = make_run(name="tiny")
    app = open_training()
    assert app.text_input(key=f"model_{run.id}").value == "tiny-2"
    app.button(key=f"save_now_{run.id}").click().run()
    assert [info.name for info in checkpoints.task_checkpoints("imdb")] == ["tiny", "tiny-2"] and not app.exception


@pytest.mark.parametrize("name", ["x" * 300, "a\0b\n\u202e", "../CON", "花" * 200])
def test_whatever_a_run_on_the_disk_is_called_it_is_shown_and_can_be_saved(name):
    run = make_run()
    request = json.loads((run.path / "request.json").read_text()) | {"name": name}
    (run.path / "request.json").write_text(json.dumps(request))
    app = open_training()
    app.button(key=f"save_now_{run.id}").click().run()
    assert not app.exception and not app.error
    assert len(checkpoints.task_checkpoints("imdb")) == 2


def test_a_run_is_deleted_after_confirmation():
    run = make_run("stopped")
    app = open_training()
    app.button(key=f"delete_{run.id}_now").click().run()
    assert not run.path.exists() and says(app.info[0].value, "pages.training_none")
    assert app.session_state["recipe"], "the button that the sentence names is in sight"


def test_the_comparison_lists_only_settings_that_differ():
    first, second = make_run(name="one", encoder={"layers": 1}), make_run(name="six", encoder={"layers": 6})
    app = open_training(runs=f"{first.id} {second.id} nobody")
    layers, task, heads = (english(f"pages.training_{name}") for name in ("layers", "task", "heads"))
    (table,) = (frame.value for frame in app.dataframe if layers in frame.value)
    assert table[layers].tolist() == [1, 6] and task not in table and heads not in table


def test_a_damaged_status_is_a_sentence_and_other_runs_stay():
    damaged, second = make_run(name="damaged"), make_run(name="other")
    (damaged.path / "status.json").write_text("{")
    (damaged.path / "metrics.jsonl").write_bytes(b'\xff\n{}\n{"epoch": ')
    app = open_training(runs=f"{damaged.id} {second.id}")
    assert "status.json" in page_text(app).replace("\\", "") and "other" in page_text(app) and not app.exception


def test_saving_needs_a_checkpoint():
    run = make_run("failed", evaluations=0)
    app = open_training()
    assert app.button(key=f"resume_{run.id}") and f"save_now_{run.id}" not in [button.key for button in app.button]


def test_an_edit_that_arrives_with_the_click_counts():
    app = open_training()
    app.text_input(key="train_name").set_value("typed")
    app.button(key="start").click().run()
    (run,) = jobs.list_runs()
    assert run.name == "typed"
    second = make_run()
    app.run()
    app.multiselect(key=runs.SELECTED).set_value([second.id]).run()
    app.text_input(key=f"model_{second.id}").set_value("kept")
    app.button(key=f"save_now_{second.id}").click().run()
    assert checkpoints.load("imdb", "kept")


def test_runs_of_the_same_name_are_numbered():
    make_run(name="same"), make_run(name="same")
    assert open_training().multiselect(key=runs.SELECTED).options == ["same (2)", "same"]


def test_a_tensorboard_that_shows_these_runs_is_linked(runs_dir, monkeypatch):
    def process(pid: int, folder: str) -> SimpleNamespace:
        return SimpleNamespace(pid=pid, logdir=folder, port=6123, path_prefix="")

    processes = [process(os.getpid(), "/elsewhere"), process(2**30, str(runs_dir))]
    monkeypatch.setattr("pages.training.comparison.manager.get_all", lambda: processes)
    make_run()
    monkeypatch.setenv(ALONE, "1")
    assert not open_training().link_button
    processes.append(process(os.getpid(), str(runs_dir.parent)))
    assert [link.proto.url for link in open_training().link_button] == ["http://localhost:6123/"]
    monkeypatch.delenv(ALONE)
    assert not open_training().link_button


def test_saved_models_are_listed_and_deleted_after_confirmation():
    run = make_run()
    app = open_training()
    assert english("pages.training_saved_models") not in [header.value for header in app.header]
    app.text_input(key=f"model_{run.id}").set_value("mine").run()
    app.button(key=f"save_now_{run.id}").click().run()
    assert says(page_text(app), "pages.training_saved_model", name="mine")
    jobs.delete(run.id)
    runs.clear_cache()
    app.run()  # without its run, the model is still there
    app.button(key="delete_model_imdb_mine_now").click().run()
    assert [info.name for info in checkpoints.task_checkpoints("imdb")] == ["tiny"] and not app.exception


def test_a_new_run_stays_selected_if_the_browser_sends_what_it_showed_before(monkeypatch):
    """Fragments that run by themselves send the values of all widgets; later, the choice is the visitor's."""
    old, clock = make_run(), SimpleNamespace(now=100.0)
    app = open_training()
    monkeypatch.setattr(runs, "time", SimpleNamespace(**{**vars(time), "monotonic": lambda: clock.now}))
    app.button(key="start").click().run()
    new = next(run.id for run in jobs.list_runs() if run.id != old.id)
    app.multiselect(key=runs.SELECTED).set_value([old.id]).run()
    assert app.session_state[runs.SELECTED] == [new]
    clock.now += runs.HOLD
    app.multiselect(key=runs.SELECTED).set_value([old.id]).run()
    assert app.session_state[runs.SELECTED] == [old.id] and not app.exception
