"""The comparison of all models of a task on the page of the models."""

import pytest
from plotly.io import from_json

from tests.pages.app import open_page, page_text
from tests.words import says
from viz_core import checkpoints
from viz_core.evidence.learning_curves import NAME
from viz_core.evidence.results import six_digits, write_result
from viz_core.records.comparison import LearningCurves, LearningPoint

CURVES = LearningCurves("imdb-text/small", (LearningPoint(100, (0.7, 0.8), (0.5,)),))


@pytest.fixture
def folder(checkpoints_dir):
    """Of a model that was measured on the test."""
    folder = checkpoints_dir / "imdb/tiny"
    checkpoints.save_metrics(folder, {"n": 100, "accuracy": 0.8, "f1": [0.7, 0.9], "split": "test"})
    return folder


def figures(app):
    return [from_json(chart.proto.spec) for chart in app.get("plotly_chart")]


def test_accuracy_by_number_of_labels_is_drawn_and_said(folder):
    write_result(folder, NAME, six_digits(CURVES))
    app = open_page("models", task="imdb", model="tiny")
    (figure,) = [figure for figure in figures(app) if says(figure.layout.title.text, "comparison.curves")]
    assert [list(line.y) for line in figure.data] == [[0.75], [0.5]]
    assert says(page_text(app), "comparison.curves_verdict", labels=100, model="tiny", started=0.75, scratch=0.5)


def test_a_model_without_such_trainings_has_none(folder):
    app = open_page("models", task="imdb", model="tiny")
    assert not app.exception and not any(says(f.layout.title.text, "comparison.curves") for f in figures(app))
