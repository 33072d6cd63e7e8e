"""The form of the training page as Streamlit runs it: what is asked for, what cannot be, what is never lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from pages.training import runs
from tests.pages.app import link_parameters, page_text
from tests.pages.fake_runs import at
from viz_core.jobs import runs as jobs
from viz_core.tasks import TASKS
from viz_core.training import door
from viz_core.training.settings import TrainingSettings

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]


def test_without_runs_the_page_says_what_to_press():
    app = at()
    assert "Start training" in app.info[0].value and not app.button(key="start").disabled
    assert "parameters" in page_text(app)


@pytest.mark.parametrize("task", TASKS)
def test_every_preset_fills_the_form_with_what_can_be_trained(task):
    app = at(task=task)
    for preset in TASKS[task].presets:
        app.selectbox(key=f"train_preset_{task}").set_value(preset).run()
        assert not app.exception and not app.error and not app.button(key="start").disabled


def test_start_asks_for_what_the_form_says():
    app = at()
    app.text_input(key="train_name").set_value("mine").run()
    app.number_input(key="train_epochs").set_value(3).run()
    app.number_input(key="train_share").set_value(50).run()
    app.button(key="start").click().run()
    (run,) = jobs.listing()
    assert not app.exception and (run.name, run.status.state, run.request.command) == ("mine", "queued", door.COMMAND)
    settings = TrainingSettings.from_request(run.request)
    assert (settings.task, settings.data, len(settings.pinned)) == ("imdb", "sample", 2)
    assert (settings.training().recipe.epochs, settings.training().recipe.share) == (3, 0.5)
    assert link_parameters(app)["runs"] == run.id and "waiting, place 1" in page_text(app)


def test_depth_is_one_experiment_of_four_runs_although_three_may_wait():
    app = at()
    app.button(key="depths").click().run()
    found = jobs.listing()
    assert [run.request.settings["encoder"]["layers"] for run in reversed(found)] == [1, 2, 4, 6]
    assert len({run.request.experiment for run in found}) == 1 and not app.exception
    assert len(app.session_state[runs.SHOWN]) == 4


def test_who_has_too_many_waiting_is_told():
    app = at()
    for _ in range(4):
        app.button(key="start").click().run()
    assert len(jobs.listing()) == 3 and "You have 3 runs waiting" in page_text(app) and not app.exception
    assert "You have 3 runs waiting" in page_text(app.run())  # it is not wiped away by a run that moves


def test_another_width_offers_the_heads_that_divide_it():
    app = at()
    app.selectbox(key="train_heads").set_value(32).run()
    app.selectbox(key="train_width").set_value(48).run()
    assert app.selectbox(key="train_heads").value == 24  # the nearest
    assert all(48 % int(one) == 0 for one in app.selectbox(key="train_heads").options)
    assert not app.error and not app.button(key="start").disabled


def test_what_no_memory_holds_is_refused_with_its_numbers(monkeypatch):
    monkeypatch.setattr("viz_core.training.estimate.memory_of", lambda device: 10**6)
    app = at()
    assert "would take about" in page_text(app).replace("\\", "") and app.button(key="start").disabled


def test_a_batch_larger_than_the_sample_is_refused_no_sooner_than_by_the_training(monkeypatch):
    """The sample has 384 rows to learn from: a batch of 1,024 takes as much memory as they do."""
    recipe = {**TASKS["imdb"].presets["small"].on_sample, "batch": 384}
    largest = door.TrainingSettings("imdb", data="sample", recipe=recipe)
    enough = door.requirements(largest, "cpu").memory_bytes
    app = at()
    monkeypatch.setattr("viz_core.training.estimate.memory_of", lambda device: enough)
    app.number_input(key="train_batch").set_value(1024).run()
    assert not app.error and not app.button(key="start").disabled
    monkeypatch.setattr("viz_core.training.estimate.memory_of", lambda device: enough - 1)
    assert "would take about" in page_text(app.run()).replace("\\", "") and app.button(key="start").disabled


def test_a_corpus_that_is_not_at_hand_offers_the_sample():
    app = at()
    app.segmented_control(key="train_data_imdb").set_value("full").run()
    assert "is not at hand" in page_text(app) and app.button(key="start").disabled
    app.button(key="use_sample").click().run()
    assert not app.button(key="start").disabled and not app.warning


@pytest.mark.parametrize(
    ("task", "text"), [("imdb", "?!"), ("afqmc", "花呗怎么还款"), ("afqmc", "花呗 | ? "), ("imdb", "a\n" * 5)]
)
def test_inputs_that_cannot_be_followed_are_named(task, text):
    app = at(task=task)
    app.text_area(key=f"train_pinned_{task}").set_value(text).run()
    assert app.error and not app.exception and app.button(key="start").disabled


def test_full_disk_is_a_sentence(monkeypatch):
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "10000000000")
    app = at()
    app.button(key="start").click().run()
    assert "MB free" in page_text(app).replace("\\", "") and not jobs.listing() and not app.exception


@pytest.mark.parametrize("task", TASKS)
def test_the_small_preset_learns_from_the_sample_and_those_that_fail_still_fail(task):
    app = at(task=task)
    app.button(key="start").click().run()
    app.selectbox(key=f"train_preset_{task}").set_value("course").run()
    app.button(key="start").click().run()
    course, small = (TrainingSettings.from_request(run.request).training().recipe for run in jobs.listing())
    assert TASKS[task].presets["small"].on_sample.items() <= vars(small).items()
    assert course == replace(TASKS[task].presets["course"].recipe, share=1.0)


def test_what_was_changed_is_never_lost_and_the_way_back_is_offered():
    app = at()
    usual = app.number_input(key="train_epochs").value
    app.number_input(key="train_epochs").set_value(3).run()
    assert f"Epochs 3 (there {usual})" in page_text(app)
    app.selectbox(key="train_preset_imdb").set_value("course").run()
    assert "Not as in the preset" not in page_text(app)
    app.number_input(key="train_epochs").set_value(7).run()
    app.segmented_control(key="task").set_value("afqmc").run()
    app.number_input(key="train_epochs").set_value(2).run()
    app.segmented_control(key="task").set_value("imdb").run()
    assert app.number_input(key="train_epochs").value == 7
    app.selectbox(key="train_preset_imdb").set_value("small").run()
    assert app.number_input(key="train_epochs").value == 3
    app.button(key="train_reset").click().run()
    assert app.number_input(key="train_epochs").value == usual and "Not as in the preset" not in page_text(app)


@pytest.mark.parametrize("task", TASKS)
def test_a_preset_differs_from_itself_in_nothing(task):
    app = at(task=task)
    for preset in TASKS[task].presets:
        app.selectbox(key=f"train_preset_{task}").set_value(preset).run()
        assert "Not as in the preset" not in page_text(app)


def test_two_tabs_that_start_at_once_both_have_their_run():
    tabs = [at(), at()]
    with ThreadPoolExecutor(2) as together:
        list(together.map(lambda tab: tab.button(key="start").click().run(), tabs))
    found = jobs.listing()
    assert sorted(run.position for run in found) == [1, 2] and not any(tab.exception or tab.error for tab in tabs)
    assert {tuple(tab.session_state[runs.SHOWN]) for tab in tabs} == {(run.id,) for run in found}


def test_there_is_no_way_to_ask_for_no_epochs():
    app = at()
    assert app.number_input(key="train_epochs").min == 1
