"""What a page begins with on a task of one's own: behavioural tests, rows for the owner, else empty boxes."""

import pytest

from pages.shared import own_tasks
from tests.pages.app import explorer, open_page, page_text, type_texts
from tests.pages.fake_runs import OWNER
from tests.pages.own_data.tables import make_model, make_task
from tests.tasks.own import add_task
from tests.words import says
from viz_core.tasks import get_task

pytestmark = pytest.mark.usefixtures("runs_dir")


def test_examples_are_the_tests_then_the_rows_and_of_others_the_tests_alone(runs_dir, monkeypatch):
    task = add_task(owner=OWNER, tests=(("two figs", "sweet"), ("a lime", "sour"))).name
    row = get_task(task).read("validation", "sample")["text"][0]
    assert own_tasks.first_examples(task, 3) == [("two figs",), ("a lime",), (row,)]
    assert own_tasks.first_examples(task, 1) == [("two figs",)]
    monkeypatch.setattr("pages.shared.ownership.visitor", lambda: "another visitor")
    assert own_tasks.first_examples(task, 3) == [("two figs",), ("a lime",)]


def test_without_examples_the_boxes_are_empty_and_every_page_says_what_to_do(checkpoints_dir, monkeypatch):
    task = make_task(tests=(), shared=True)
    make_model(task, checkpoints_dir / task / "small")
    monkeypatch.setattr("pages.shared.ownership.visitor", lambda: "another visitor")
    opening = open_page(task, task=task)
    instrument = explorer(opening)["instrument"]
    assert (instrument["texts"], instrument["examples"]) == ([""], []) and says(instrument["refusal"], "text.blank")
    assert explorer(type_texts(opening, "nothing but dust"))["instrument"]["texts"] == ["nothing but dust"]
    for page, link in (("inside", {}), ("inside", {"inside": "lens"}), ("evaluation", {"part": "compare"})):
        app = open_page(page, task=task, **link)
        assert not app.exception and says(page_text(app), "text.blank"), (page, link)
