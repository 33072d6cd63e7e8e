"""Runs on the training page, made by hand: looked at, stopped, kept as models, compared; nothing is trained."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

from pages.training import runs
from tests.pages.app import page_text
from tests.pages.fake_runs import make_run, at
from viz_core import checkpoints
from viz_core.jobs import runs as jobs
from viz_core.language import Translator
from viz_core.training import publish

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_form_and_a_run_speak_both_languages(language):
    run = make_run("failed")
    app = at(lang=language)
    assert app.title[0].value == Translator(language)("pages.training_title")
    assert Translator(language)("jobs.state_failed") in page_text(app) and app.button(key=f"resume_{run.id}")


def test_a_run_that_is_under_way_tells_how_far_it_is_and_can_be_stopped():
    run = make_run("running")
    app = at()
    assert "accuracy 70.0%" in page_text(app)
    app.button(key=f"stop_{run.id}").click().run()
    assert (run.path / "stop").exists() and app.button(key=f"stop_{run.id}").disabled


def test_a_run_becomes_a_model_once_and_can_be_taken_back():
    run = make_run()
    app = at()
    app.text_input(key=f"model_{run.id}").set_value("tiny").run()
    app.button(key=f"keep_now_{run.id}").click().run()
    assert "already a model named “tiny”" in page_text(app)
    app.text_input(key=f"model_{run.id}").set_value("../x").run()
    app.button(key=f"keep_now_{run.id}").click().run()
    assert "cannot be the name" in page_text(app) and "already a model" not in page_text(app)
    app.text_input(key=f"model_{run.id}").set_value("mine").run()
    app.button(key=f"keep_now_{run.id}").click().run()
    assert checkpoints.load("imdb", "mine") and "Delete the model **mine**" in page_text(app)
    app.button(key="give_up_imdb_mine_now").click().run()
    assert [one.name for one in checkpoints.usable("imdb")] == ["tiny"] and not app.exception


def test_a_run_is_kept_under_a_name_that_is_free_unless_another_is_typed():
    run = make_run(name="tiny")
    app = at()
    assert app.text_input(key=f"model_{run.id}").value == "tiny-2"
    app.button(key=f"keep_now_{run.id}").click().run()
    assert [info.name for info in checkpoints.usable("imdb")] == ["tiny", "tiny-2"] and not app.exception


def test_a_run_is_deleted_when_that_was_confirmed():
    run = make_run("stopped")
    app = at()
    app.button(key=f"delete_{run.id}_now").click().run()
    assert not run.path.exists() and "No runs yet" in app.info[0].value


def test_runs_side_by_side_and_only_what_differs():
    one, other = make_run(name="one", encoder={"layers": 1}), make_run(name="six", encoder={"layers": 6})
    app = at(runs=f"{one.id} {other.id} nobody")
    (compared,) = (frame.value for frame in app.dataframe if "Layers" in frame.value)
    assert compared["Layers"].tolist() == [1, 6] and "Task" not in compared and "Heads" not in compared


def test_a_damaged_status_is_a_sentence_and_the_others_stay():
    damaged, other = make_run(name="damaged"), make_run(name="other")
    (damaged.path / "status.json").write_text("{")
    (damaged.path / "metrics.jsonl").write_bytes(b'\xff\n{}\n{"epoch": ')
    app = at(runs=f"{damaged.id} {other.id}")
    assert "status.json" in page_text(app).replace("\\", "") and "other" in page_text(app) and not app.exception


def test_keeping_needs_a_checkpoint():
    run = make_run("failed", evaluations=0)
    app = at()
    assert app.button(key=f"resume_{run.id}") and f"keep_now_{run.id}" not in [button.key for button in app.button]


def test_what_was_typed_last_counts_although_it_comes_with_the_click():
    app = at()
    app.text_input(key="train_name").set_value("typed")
    app.button(key="start").click().run()
    (run,) = jobs.listing()
    assert run.name == "typed"
    other = make_run()
    app.run()
    app.multiselect(key=runs.SHOWN).set_value([other.id]).run()
    app.text_input(key=f"model_{other.id}").set_value("kept")
    app.button(key=f"keep_now_{other.id}").click().run()
    assert checkpoints.load("imdb", "kept")


def test_runs_of_one_name_can_be_told_apart():
    make_run(name="same"), make_run(name="same")
    assert at().multiselect(key=runs.SHOWN).options == ["same (2)", "same"]


def test_a_tensorboard_that_shows_these_runs_is_linked(runs_dir, monkeypatch):
    def info(pid: int, folder: str) -> SimpleNamespace:
        return SimpleNamespace(pid=pid, logdir=folder, port=6123, path_prefix="")

    listed = [info(os.getpid(), "/elsewhere"), info(2**30, str(runs_dir))]
    monkeypatch.setattr("pages.training.comparison.manager.get_all", lambda: listed)
    make_run()
    assert "tensorboard --logdir" in page_text(at()).replace("\\", "")
    listed.append(info(os.getpid(), str(runs_dir.parent)))
    assert [one.proto.url for one in at().link_button] == ["http://localhost:6123/"]


def test_only_who_asked_for_a_run_can_stop_or_delete_it_unless_the_switch_is_on():
    theirs, mine = make_run("running", name="theirs", owner="f" * 32), make_run("stopped", name="mine")
    app = at(runs=f"{theirs.id} {mine.id}")
    keys = [button.key for button in app.button]
    assert f"stop_{theirs.id}" not in keys and f"delete_{mine.id}_now" in keys and f"resume_{mine.id}" in keys
    app.toggle(key="others").set_value(True).run()
    assert "ask before you stop or delete" in page_text(app)
    app.button(key=f"stop_{theirs.id}").click().run()
    assert (theirs.path / "stop").exists() and not app.exception


def test_who_is_alone_needs_no_switch():
    make_run()
    assert "others" not in [toggle.key for toggle in at().toggle]


def test_kept_models_are_listed_and_given_up_when_that_was_confirmed():
    run = make_run()
    app = at()
    assert "Kept models" not in [header.value for header in app.subheader]
    app.text_input(key=f"model_{run.id}").set_value("mine").run()
    app.button(key=f"keep_now_{run.id}").click().run()
    assert "**mine** · Sentiment (IMDB) · kept on" in page_text(app)
    jobs.delete(run.id)
    runs.fresh()
    app.run()  # without its run, the model is still there
    app.button(key="give_up_imdb_mine_now").click().run()
    assert [one.name for one in checkpoints.usable("imdb")] == ["tiny"] and not app.exception


def test_a_model_that_somebody_else_kept_needs_the_switch():
    run = make_run(owner="f" * 32)
    publish.keep(run, "theirs")
    app = at()
    assert "**theirs**" in page_text(app) and "give_up_imdb_theirs_now" not in [button.key for button in app.button]
    app.toggle(key="others").set_value(True).run()
    assert "give_up_imdb_theirs_now" in [button.key for button in app.button]
