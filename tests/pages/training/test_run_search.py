"""Many runs: found by words and state, listed up to a limit, deleted together."""

import json

import pytest

from pages.training import run_search, runs
from tests.pages.app import page_text
from tests.pages.fake_runs import make_run, open_training
from tests.words import says
from viz_core.jobs import runs as jobs
from viz_core.jobs.request import owner_hash

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]
OTHER = owner_hash("f" * 32)


@pytest.fixture(autouse=True)
def many(monkeypatch):
    monkeypatch.setattr(run_search, "MANY", 2)
    monkeypatch.setenv("VIZ_RUNS_PER_VISITOR", "100")


def make_runs(*names: str, state: str = "stopped", **settings) -> list[jobs.Run]:
    return [make_run(state, 0, name, **settings) for name in names]


def listed(app) -> list[str]:
    """The names in the table."""
    (table,) = app.dataframe
    return [] if table.value.empty else list(table.value.iloc[:, 0])


@pytest.mark.parametrize(
    ("words", "names"),
    [("", ["b", "deep small", "wide"]), ("SMALL", ["deep small"]), ("deep sentiment", ["deep small"]), ("nobody", [])],
)
def test_runs_are_found_by_all_words(words, names):
    make_runs("wide", "deep small")
    make_run("failed", 0, "b")
    app = open_training()
    app.text_input(key="runs_words").set_value(words).run()
    assert listed(app) == names and not app.exception


def test_runs_are_found_by_state_and_date():
    (old,) = make_runs("old")
    make_run("failed", 0, "new")
    request = json.loads((old.path / "request.json").read_text()) | {"submitted": 1.5e9}
    (old.path / "request.json").write_text(json.dumps(request))
    app = open_training()
    app.text_input(key="runs_words").set_value("2017-07").run()
    assert listed(app) == ["old"]
    app.text_input(key="runs_words").set_value("").run()
    app.selectbox(key="runs_state").set_value("failed").run()
    assert listed(app) == ["new"]


def test_what_was_found_and_is_over_and_one_s_own_is_deleted_together():
    mine = make_runs("try-1", "try-2")
    kept = [*make_runs("good"), *make_runs("try-3", state="running"), *make_runs("try-4", owner=OTHER)]
    app = open_training()
    assert "delete_found_now" not in [button.key for button in app.button], "nothing was searched for"
    app.text_input(key="runs_words").set_value("try").run()
    assert says(page_text(app), "pages.training_delete_found_sure", count=len(mine))
    app.button(key="delete_found_now").click().run()
    assert {run.id for run in jobs.list_runs()} == {run.id for run in kept} and not app.exception


def test_the_newest_are_listed_and_one_that_is_older_stays_selected(monkeypatch):
    monkeypatch.setattr(run_search, "SHOWN", 2)
    old, *_ = make_runs("a", "b", "c")
    app = open_training(runs=old.id)
    assert listed(app) == ["c", "b"] and says(page_text(app), "pages.training_found", shown=2, count=3)
    assert app.session_state[runs.SELECTED] == [old.id] and not app.exception
