"""The recipe form as Streamlit runs it: the settings it submits, what it refuses, what it remembers."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from streamlit.runtime import Runtime
from streamlit.testing.v1 import app_test

from pages.training import runs
from tests.pages.app import link_parameters, page_text
from tests.pages.fake_runs import open_training
from tests.sampling import few
from tests.words import english, says
from viz_core.jobs import runs as jobs
from viz_core.tasks import CLASSIFICATION, all_tasks, get_task
from viz_core.training import door
from viz_core.training.devices import Device
from viz_core.training.settings import TrainingSettings

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]


def set_memory(monkeypatch, memory: int) -> None:
    """A machine whose only device is a CPU with this much memory, in bytes."""
    monkeypatch.setattr(door, "devices", lambda: (Device("cpu", memory, memory),))


def test_without_runs_the_page_says_how_to_start():
    app = open_training()
    assert says(app.info[0].value, "pages.training_none") and not app.button(key="start").disabled
    assert says(page_text(app), "pages.training_estimate")


@pytest.mark.parametrize("task", few(all_tasks(CLASSIFICATION)))
def test_every_preset_fills_the_form_with_valid_settings(task):
    app = open_training(task=task)
    for preset in get_task(task).presets:
        app.selectbox(key=f"train_preset_{task}").set_value(preset).run()
        assert not app.exception and not app.error and not app.button(key="start").disabled


def test_a_baseline_has_the_fields_of_its_kind():
    app = open_training()
    app.selectbox(key="train_preset_imdb").set_value("bilstm-attention").run()
    assert app.selectbox(key="train_reading").value == "attention" and app.selectbox(key="train_bidirectional").value
    assert app.button(key="depths").disabled, "it has no layers to vary"
    app.selectbox(key="train_bidirectional").set_value(False).run()
    assert says(page_text(app), "pages.training_False")
    app.button(key="start").click().run()
    (run,) = jobs.list_runs()
    model = TrainingSettings.from_request(run.request).training().config
    assert (model.bidirectional, model.reading, model.width) == (False, "attention", 64)
    app.selectbox(key="train_preset_imdb").set_value("tfidf").run()
    keys = {widget.key for kind in (app.selectbox, app.number_input) for widget in kind}
    assert "train_bigrams" in keys and not keys & {"train_width", "train_dropout", "train_pretrain_epochs"}


def test_start_submits_the_settings_of_the_form():
    app = open_training()
    app.text_input(key="train_name").set_value("mine").run()
    app.number_input(key="train_epochs").set_value(3).run()
    app.number_input(key="train_share").set_value(50).run()
    app.button(key="start").click().run()
    (run,) = jobs.list_runs()
    assert not app.exception and (run.name, run.status.state, run.request.kind) == ("mine", "queued", "train")
    settings = TrainingSettings.from_request(run.request)
    assert (settings.task, settings.data, len(settings.pinned)) == ("imdb", "sample", 2)
    assert (settings.training().recipe.epochs, settings.training().recipe.share) == (3, 0.5)
    (progress,) = app.get("progress")
    assert link_parameters(app)["runs"] == run.id and says(progress.proto.text, "pages.training_waiting", position=1)


def test_the_depth_experiment_queues_four_runs_although_three_is_the_limit():
    app = open_training()
    app.button(key="depths").click().run()
    listed = jobs.list_runs()
    assert [run.request.settings["encoder"]["layers"] for run in reversed(listed)] == [1, 2, 4, 6]
    assert len({run.request.experiment for run in listed}) == 1 and not app.exception
    assert len(app.session_state[runs.SELECTED]) == 4


def test_a_visitor_with_too_many_queued_runs_gets_a_sentence():
    app = open_training()
    for _ in range(4):
        app.button(key="start").click().run()
    assert len(jobs.list_runs()) == 3 and says(page_text(app), "jobs.too_many", count=3) and not app.exception
    assert says(page_text(app.run()), "jobs.too_many", count=3)  # it stays when the page reruns


def test_the_heads_offered_divide_the_width():
    app = open_training()
    app.selectbox(key="train_heads").set_value(32).run()
    app.selectbox(key="train_width").set_value(48).run()
    assert app.selectbox(key="train_heads").value == 24  # the nearest
    assert all(48 % int(option) == 0 for option in app.selectbox(key="train_heads").options)
    assert not app.error and not app.button(key="start").disabled


def test_a_model_larger_than_the_memory_is_refused_with_its_numbers(monkeypatch):
    set_memory(monkeypatch, 10**6)
    app = open_training()
    assert says(page_text(app), "training.too_large") and app.button(key="start").disabled


def test_a_batch_larger_than_the_sample_is_estimated_like_the_whole_sample(monkeypatch):
    """The sample has 384 training rows: a batch of 1,024 takes as much memory as they do."""
    recipe = {**get_task("imdb").presets["small"].on_sample, "batch": 384}
    settings = door.TrainingSettings("imdb", data="sample", recipe=recipe)
    memory = door.requirements(settings, "cpu").memory_bytes
    app = open_training()
    set_memory(monkeypatch, memory)
    app.number_input(key="train_batch").set_value(1024).run()
    assert not app.error and not app.button(key="start").disabled
    set_memory(monkeypatch, memory - 1)
    assert says(page_text(app.run()), "training.too_large") and app.button(key="start").disabled


def test_without_the_corpus_the_sample_is_offered():
    app = open_training()
    app.segmented_control(key="train_data_imdb").set_value("full").run()
    assert says(page_text(app), "pages.training_no_data") and app.button(key="start").disabled
    app.button(key="use_sample").click().run()
    assert not app.button(key="start").disabled and not app.warning


@pytest.mark.parametrize(
    ("task", "text"), [("imdb", "?!"), ("afqmc", "花呗怎么还款"), ("afqmc", "花呗 | ? "), ("imdb", "a\n" * 5)]
)
def test_invalid_pinned_inputs_are_named(task, text):
    app = open_training(task=task)
    app.text_area(key=f"train_pinned_{task}").set_value(text).run()
    assert app.error and not app.exception and app.button(key="start").disabled


def test_a_full_disk_is_a_sentence(monkeypatch):
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "10000000000")
    app = open_training()
    app.button(key="start").click().run()
    assert says(page_text(app), "jobs.no_room") and not jobs.list_runs() and not app.exception


@pytest.mark.parametrize("task", [name for name in all_tasks(CLASSIFICATION) if "course" in get_task(name).presets])
def test_only_the_small_preset_is_adapted_to_the_sample(task):
    app = open_training(task=task)
    app.button(key="start").click().run()
    app.selectbox(key=f"train_preset_{task}").set_value("course").run()
    app.button(key="start").click().run()
    course, small = (TrainingSettings.from_request(run.request).training().recipe for run in jobs.list_runs())
    assert get_task(task).presets["small"].on_sample.items() <= vars(small).items()
    assert course == replace(get_task(task).presets["course"].recipe, share=1.0)


def test_changes_are_remembered_per_preset_and_can_be_reset():
    app = open_training()
    default = app.number_input(key="train_epochs").value
    app.number_input(key="train_epochs").set_value(3).run()
    changed = {"name": english("pages.training_epochs"), "value": "3", "usual": str(default)}
    assert says(page_text(app), "pages.training_changed_one", **changed)
    app.selectbox(key="train_preset_imdb").set_value("course").run()
    assert not says(page_text(app), "pages.training_changed")
    app.number_input(key="train_epochs").set_value(7).run()
    app.segmented_control(key="task").set_value("afqmc").run()
    app.number_input(key="train_epochs").set_value(2).run()
    app.segmented_control(key="task").set_value("imdb").run()
    assert app.number_input(key="train_epochs").value == 7
    app.selectbox(key="train_preset_imdb").set_value("small").run()
    assert app.number_input(key="train_epochs").value == 3
    app.button(key="train_reset").click().run()
    assert app.number_input(key="train_epochs").value == default and not says(page_text(app), "pages.training_changed")


@pytest.mark.parametrize("task", few(all_tasks(CLASSIFICATION)))
def test_an_unchanged_preset_lists_no_changes(task):
    app = open_training(task=task)
    for preset in get_task(task).presets:
        app.selectbox(key=f"train_preset_{task}").set_value(preset).run()
        assert not says(page_text(app), "pages.training_changed")


class LastingRuntime(type):
    """Streamlit's simulated page sets the runtime before each run and takes it away afterwards: here not while another
    page still runs."""

    def __setattr__(cls, name, value):
        if value is not None:
            setattr(Runtime, name, value)


@pytest.fixture
def two_pages_at_once(monkeypatch):
    monkeypatch.setattr(Runtime, "_instance", None)
    monkeypatch.setattr(app_test, "Runtime", LastingRuntime("Runtime", (Runtime,), {}))


@pytest.mark.usefixtures("two_pages_at_once")
def test_two_tabs_that_start_at_once_get_a_run_each():
    tabs = [open_training(), open_training()]
    with ThreadPoolExecutor(2) as executor:
        list(executor.map(lambda tab: tab.button(key="start").click().run(), tabs))
    listed = jobs.list_runs()
    assert sorted(run.position for run in listed) == [1, 2] and not any(tab.exception or tab.error for tab in tabs)
    assert {tuple(tab.session_state[runs.SELECTED]) for tab in tabs} == {(run.id,) for run in listed}


def test_a_page_that_began_to_read_before_a_run_was_started_does_not_hide_it(monkeypatch):
    readings = []

    def read_while_another_visitor_starts_a_run():
        readings.append(None)
        if len(readings) == 1:
            runs.clear_cache()
        return []

    monkeypatch.setattr(jobs, "list_runs", read_while_another_visitor_starts_a_run)
    for _ in range(2):
        runs.trainings()
    assert len(readings) == 2


def test_there_is_at_least_one_epoch():
    app = open_training()
    assert app.number_input(key="train_epochs").min == 1
