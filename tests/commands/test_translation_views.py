"""The commands `explain` and `figure` with a translation model."""

import numpy as np
import pytest

from tests.commands.command_line import drawn
from tests.tiny_translation import SOURCE, save_translation
from tests.words import english, says
from viz_core import checkpoints
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.translation.live import translate_live
from viz_core.commands.translation import VIEWS
from viz_core.records import Message

ARGUMENTS = ("--task", "tatoeba", "--text", SOURCE)


@pytest.fixture(autouse=True)
def translation(checkpoints_dir):
    """The greedy translation of a model that the commands find."""
    save_translation(checkpoints_dir, end=3.0)
    model = checkpoints.load("tatoeba", "tiny")
    *_, translation, _ = translate_live(model, model.text_encoder.encode(SOURCE), Decoding())
    return translation


def test_explain_writes_three_attentions(json_output, tmp_path, translation):
    out = tmp_path / "x.npz"
    output = json_output("explain", *ARGUMENTS, "--out", out)
    assert (output["model"], output["translation"], output["complete"]) == ("tiny", translation.text, True)
    with np.load(out) as file:
        for kind, weights in translation.attention.items():
            np.testing.assert_allclose(file[f"attention_{kind}"], weights, atol=1e-6)
            assert output["attention"][kind] == list(weights.shape)


@pytest.mark.parametrize("kind", ["self", "causal", "cross"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_of_every_kind(json_output, tmp_path, view, kind):
    out = tmp_path / "view.html"
    output = json_output("figure", *ARGUMENTS, "--view", view, "--kind", kind, "--layer", "2", "--out", out)
    assert (output["view"], output["kind"], output["out"]) == (view, kind, str(out))
    html = drawn(out)
    assert SOURCE in html
    if view not in ("explorer", "lens"):
        assert (english("rendering.unreachable") in html) == (kind == "causal")


def test_the_title_names_attention_layer_and_head(json_output, tmp_path):
    out = tmp_path / "view.html"
    json_output("figure", *ARGUMENTS, "--view", "heatmap", "--layer", "2", "--head", "1", "--out", out)
    shown = Message("analysis.of_head", {"layer": 2, "head": 1})
    assert says(drawn(out), "analysis.title_cross", where=shown)


def test_a_reference_is_read_in_place_of_the_translation(json_output, tmp_path):
    out = tmp_path / "x.npz"
    output = json_output("explain", *ARGUMENTS, "--text-b", "we go tomorrow.", "--out", out)
    assert output["translation"] == "we go tomorrow." and output["attention"]["cross"][2] == 5


def test_views_of_classifications_and_missing_layers_are_refused(error_sentences, tmp_path):
    out = ("--out", tmp_path / "view.html")
    sentence, _ = error_sentences("figure", *ARGUMENTS, "--view", "cls", *out)
    assert sentence == english("cli.no_such_view", view="cls", views="explorer, heatmap, heads, lens")
    sentence, _ = error_sentences("figure", *ARGUMENTS, "--view", "heatmap", "--layer", "3", *out)
    assert sentence == english("cli.no_such_layer", number=3, count=2)
