"""What a page begins with on a task of one's own: behavioural tests, rows for the owner, else empty boxes."""

import pytest

from pages.shared import own_tasks
from tests.pages.app import explorer, open_page, page_text, type_texts
from tests.pages.fake_runs import OWNER
from tests.tasks.own import ROWS, add_task
from tests.words import says
from viz_core import checkpoints
from viz_core.checkpoints import Settings
from viz_core.models.encoder import Encoder
from viz_core.tasks import get_task
from viz_core.training.settings import model_config

pytestmark = pytest.mark.usefixtures("runs_dir")


def make_model(task: str, folder) -> None:
    """An untrained encoder of the task."""
    record = get_task(task)
    text = record.text_encoder(record.build_tokenizer([text for text, _ in ROWS], record.max_tokens))
    sizes = dict(layers=2, heads=2, width=8, feedforward=16, dropout=0.0)
    config = model_config(record, "encoder", sizes, text.vocabulary)
    checkpoints.save(folder, Settings(task, config), Encoder(config).eval(), text, {"task": task})


def test_examples_are_the_tests_then_the_rows_and_of_others_the_tests_alone(runs_dir, monkeypatch):
    task = add_task(owner=OWNER, tests=(("two figs", "sweet"), ("a lime", "sour"))).name
    row = get_task(task).read("validation", "sample")["text"][0]
    assert own_tasks.first_examples(task, 3) == [("two figs",), ("a lime",), (row,)]
    assert own_tasks.first_examples(task, 1) == [("two figs",)]
    monkeypatch.setattr("pages.shared.ownership.visitor", lambda: "another visitor")
    assert own_tasks.first_examples(task, 3) == [("two figs",), ("a lime",)]


def test_without_examples_the_boxes_are_empty_and_every_page_says_what_to_do(checkpoints_dir, monkeypatch):
    task = add_task(owner=OWNER).name
    make_model(task, checkpoints_dir / task / "small")
    monkeypatch.setattr("pages.shared.ownership.visitor", lambda: "another visitor")
    opening = open_page(task, task=task)
    instrument = explorer(opening)["instrument"]
    assert (instrument["texts"], instrument["examples"]) == ([""], []) and says(instrument["refusal"], "text.blank")
    assert explorer(type_texts(opening, "two figs"))["instrument"]["texts"] == ["two figs"]
    for page, link in (("inside", {}), ("inside", {"inside": "lens"}), ("evaluation", {"part": "compare"})):
        app = open_page(page, task=task, **link)
        assert not app.exception and says(page_text(app), "text.blank"), (page, link)
