"""The recorded run: what is in its folder, and when the page shows it."""

import pytest

from pages.training.recording import FOLDER
from tests.pages.app import page_text
from tests.pages.fake_runs import make_run, open_training
from tests.words import english, says
from viz_core.jobs.run_folder import read_metrics, read_run
from viz_core.training.door import read_snapshot, snapshot_evaluations

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]
SLIDER, BUTTON = "replay_at_recorded", "replay_button_recorded"


def test_it_is_a_finished_run_that_names_no_machine_and_has_attention_from_the_random_start_on():
    run = read_run(FOLDER)
    assert run.status.state == "finished" and run.status.handle is None
    assert not run.request.environment and not run.request.working_folder
    numbers = range(3 * 8 + 1)  # at the random start nothing is measured
    assert [row["evaluation"] for row in read_metrics(run)[0] if row.get("evaluation")] == [*numbers[1:]]
    for text, pinned in enumerate(run.request.settings["pinned"]):
        assert snapshot_evaluations(FOLDER, text) == [*numbers]
        assert [*read_snapshot(FOLDER, 24, text).encoding.texts] == pinned


def test_in_it_a_head_begins_uniform_and_ends_at_not():
    """Head 2.2: at the random start [CLS] gives each of seven tokens about a seventh; in the end most to “not”."""
    start, end = (read_snapshot(FOLDER, number, 0) for number in (0, 24))
    assert start.attention[1, 1, 0] == pytest.approx(1 / 7, abs=0.02)
    assert end.encoding.tokens[end.attention[1, 1, 0].argmax()] == "not" and end.attention[1, 1, 0].max() > 0.5


def test_before_the_first_run_it_can_be_played_and_afterwards_it_is_gone():
    app = open_training()
    assert says(page_text(app), "pages.training_recorded_note", rows=6000) and not app.exception
    assert app.button(key=BUTTON).label == english("pages.training_play")
    make_run()
    app.run()
    assert not says(page_text(app), "pages.training_recorded_note")


def test_while_a_run_waits_it_plays_once():
    make_run("queued")
    app = open_training()
    assert app.select_slider(key=SLIDER).value == 0 and not app.exception
    assert app.button(key=BUTTON).label == english("pages.training_pause")
    app.button(key=BUTTON).click().run()
    app.run()
    assert app.button(key=BUTTON).label == english("pages.training_play"), "it does not begin again by itself"
