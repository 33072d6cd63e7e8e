"""The command `figure` with value-weighted attention and with views of the inside of attention."""

import pytest

from tests.tiny import REVIEWS
from tests.tiny_translation import SOURCE, save_translation

REVIEW = ("--task", "imdb", "--text", REVIEWS[0])
TRANSLATION = ("--task", "tatoeba", "--text", SOURCE)

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


@pytest.mark.parametrize("view", ["heatmap", "cls", "explorer"])
def test_norms_in_place_of_weights(json_output, tmp_path, view):
    def draw(measure: str) -> str:
        out = tmp_path / f"{measure}.html"
        json_output(
            "figure", *REVIEW, "--view", view, "--measure", measure, "--layer", "1", "--head", "1", "--out", out
        )
        return out.read_text(encoding="utf-8")

    weights, norms = draw("weights"), draw("norms")
    assert weights != norms
    if view != "explorer":
        assert "Value-weighted" in norms and "Value-weighted" not in weights


def test_norms_of_a_translation(json_output, checkpoints_dir, tmp_path):
    save_translation(checkpoints_dir, end=3.0)
    out = tmp_path / "x.html"
    json_output("figure", *TRANSLATION, "--view", "heatmap", "--measure", "norms", "--out", out)
    assert "Value-weighted" in out.read_text(encoding="utf-8")


def test_the_plane_is_that_of_the_head_and_of_the_first_by_default(json_output, tmp_path):
    def points(*arguments: str) -> str:
        json_output("figure", *REVIEW, "--view", "plane", *arguments, "--out", tmp_path / "x.html")
        return (tmp_path / "x.html").read_text(encoding="utf-8")

    assert "layer 1, head 1" in points()
    assert "layer 2, head 1" in points("--layer", "2")


def test_what_random_orders_do_to_prediction_and_attention(json_output, tmp_path):
    texts = {}
    for view in ("order", "order_attention"):
        json_output("figure", *REVIEW, "--view", view, "--out", tmp_path / "x.html")
        texts[view] = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "Probability of" in texts["order"] and "shuffled words" in texts["order"]
    assert "How much of the attention moves to other tokens" in texts["order_attention"]
