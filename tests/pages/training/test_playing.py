"""The play button of the slider over evaluations."""

import json
from types import SimpleNamespace

import pytest

from pages.training import playing
from pages.training.playing import NEWEST
from tests.pages.app import page_text
from tests.pages.fake_runs import make_run, metrics_row, open_training
from tests.words import english, says
from viz_core.training.snapshots import read_snapshot, write_snapshot

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]


@pytest.fixture
def clock(monkeypatch) -> SimpleNamespace:
    """`now` in seconds, for the page."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(playing, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_while_a_run_goes_on_the_newest_evaluation_is_shown_until_the_slider_is_moved():
    run = make_run("running")
    app, slider = open_training(), f"replay_at_{run.id}"
    shown = [page_text(app)]
    for evaluation in (3, 4):
        with (run.path / "metrics.jsonl").open("a") as file:
            file.write(json.dumps(metrics_row(evaluation)) + "\n")
        write_snapshot(run.path, evaluation, 0, read_snapshot(run.path, 2, 0))
        app.run()
        shown.append(page_text(app))
        if evaluation == 3:
            app.select_slider(key=slider).set_value(1).run()
    named = [
        [number for number in range(1, 5) if says(text, "pages.training_epoch_train", epoch=number)] for text in shown
    ]
    assert named == [[2], [3], [1]] and not app.exception


def test_playing_begins_at_the_start_goes_on_step_by_step_and_stops_at_the_end(clock):
    run = make_run()
    app, slider, button = open_training(), f"replay_at_{run.id}", f"replay_button_{run.id}"
    assert app.select_slider(key=slider).value == NEWEST, "nothing moves unless play is pressed"
    app.button(key=button).click().run()
    seen = [app.select_slider(key=slider).value]
    for _ in range(3):
        app.run()
        assert app.select_slider(key=slider).value == seen[-1], "not shown long enough"
        clock.now += playing.STEP_SECONDS
        app.run()
        seen.append(app.select_slider(key=slider).value)
    assert (
        seen == [0, 1, NEWEST, NEWEST]
        and app.button(key=button).label == english("pages.training_play")
        and not app.exception
    )


def test_playing_is_paused_and_resumed_where_it_was(clock):
    run = make_run()
    app, slider, button = open_training(), f"replay_at_{run.id}", f"replay_button_{run.id}"
    app.select_slider(key=slider).set_value(0).run()
    app.button(key=button).click().run()
    clock.now += playing.STEP_SECONDS
    app.run()
    assert app.button(key=button).label == english("pages.training_pause")
    app.button(key=button).click().run()
    clock.now += 10 * playing.STEP_SECONDS
    app.run()
    assert app.select_slider(key=slider).value == 1 and app.button(key=button).label == english("pages.training_play")
    app.button(key=button).click().run()
    clock.now += playing.STEP_SECONDS
    app.run()
    assert app.select_slider(key=slider).value == NEWEST and not app.exception
