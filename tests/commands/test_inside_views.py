"""The command `figure` with value-weighted attention and with views of the inside of attention."""

import pytest

from tests.commands.command_line import drawn
from tests.tiny import REVIEWS
from tests.tiny_translation import SOURCE, save_translation
from tests.words import says

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
        return drawn(out)

    weights, norms = draw("weights"), draw("norms")
    assert weights != norms
    if view != "explorer":
        for key in ("analysis.title_value_weighted", "explorer.measure_norms"):  # the title, the caption
            assert says(norms, key) and not says(weights, key)


def test_norms_of_a_translation(json_output, checkpoints_dir, tmp_path):
    save_translation(checkpoints_dir, end=3.0)
    out = tmp_path / "x.html"
    json_output("figure", *TRANSLATION, "--view", "heatmap", "--measure", "norms", "--out", out)
    assert says(drawn(out), "analysis.title_value_weighted") and says(drawn(out), "explorer.measure_norms")


def test_the_plane_is_that_of_the_head_and_of_the_first_by_default(json_output, tmp_path):
    def points(*arguments: str) -> str:
        json_output("figure", *REVIEW, "--view", "plane", *arguments, "--out", tmp_path / "x.html")
        return drawn(tmp_path / "x.html")

    assert says(points(), "plane.title", layer=1, head=1)
    assert says(points("--layer", "2"), "plane.title", layer=2, head=1)


def test_what_random_orders_do_to_prediction_and_attention(json_output, tmp_path):
    texts = {}
    for view in ("order", "order_attention"):
        json_output("figure", *REVIEW, "--view", view, "--out", tmp_path / "x.html")
        texts[view] = drawn(tmp_path / "x.html")
    assert all(says(texts["order"], f"positions.{key}") for key in ("probabilities", "order_shuffled"))
    assert says(texts["order_attention"], "positions.attention")
