"""The section about positions: its views, its link, other texts, and models without position embeddings."""

import pytest

from tests.pages.app import link_parameters, open_page, page_text
from tests.words import says
from viz_core.evidence import word_order
from viz_core.evidence.job import compute_evidence

VIEWS = ["positions_learned", "positions_sinusoidal", "wavelengths", "position_similarity", "rotation"]


def charts(app) -> list[str]:
    """The names of the figures, in order."""
    ids = [element.proto.id for element in app.get("plotly_chart")]
    return [identifier.rpartition("chart_")[2] for identifier in ids]


@pytest.mark.parametrize("task", ["imdb", "afqmc"])
def test_the_vectors_and_the_experiment_are_drawn(checkpoints_dir, task):
    app = open_page("inside", inside="positions", task=task)
    assert charts(app) == [*VIEWS, "order_probabilities", "order_attention"]
    assert says(page_text(app), "word_order.missing")
    assert link_parameters(app).keys() <= {"inside", "task"}


def test_what_is_selected_is_in_the_link(checkpoints_dir):
    app = open_page("inside", inside="positions", similarity="dot", pair="2", shift="5")
    assert [number.value for number in app.number_input] == [2, 5]
    assert link_parameters(app) == {"inside": "positions", "similarity": "dot", "pair": "2", "shift": "5"}
    app = open_page("inside", inside="positions", similarity="sine", pair="99999", shift="0")
    assert link_parameters(app) == {"inside": "positions"} and len(charts(app)) == 7


def test_an_empty_text_is_explained_and_the_rest_stays(checkpoints_dir):
    app = open_page("inside", inside="positions", text=" ")
    assert charts(app) == VIEWS and says(page_text(app), "text.blank")


def test_saved_evidence_is_shown(sample_models):
    compute_evidence(word_order.NAME, "imdb", "tiny", lambda *step: None)
    assert charts(open_page("inside", inside="positions"))[-1] == "order_accuracy"


def test_a_model_without_position_embeddings_is_explained(checkpoints_dir, monkeypatch):
    monkeypatch.setattr("pages.inside.positions.model_positions", lambda checkpoint: None)
    app = open_page("inside", inside="positions")
    assert charts(app) == [] and says(app.info[0].value, "positions.no_positions")
