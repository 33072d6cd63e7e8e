"""Trainings of translations belong to the command line; the training page, which classifies, does not show them."""

from __future__ import annotations

import pytest

from pages.training import runs
from tests.pages.app import page_text
from tests.pages.fake_runs import make_run, open_training

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]


def test_a_training_of_a_translation_is_not_on_the_page():
    hidden, shown = make_run(name="translator", task="tatoeba"), make_run(name="classifier")
    app = open_training()
    assert [run.id for run in runs.trainings()] == [shown.id] and hidden.id != shown.id
    assert "classifier" in page_text(app) and "translator" not in page_text(app)
