"""Activation patching: what follows from its definition, on tiny random models, and a model worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.adapters.test_language_model import network
from tests.adapters.tiny_networks import byte_pairs
from tests.tiny import encoder, save_checkpoint, text_encoder
from viz_core import checkpoints
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.explain import explain_batch, input_tensors
from viz_core.analysis.patching.contrast import contrast
from viz_core.analysis.patching.estimate import agreement, estimate
from viz_core.analysis.patching.patch import Cell, cell_at, cells_of, explain_patched, patch, patch_all
from viz_core.analysis.patching.paths import trace_paths
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.models.protocol import HookPoint
from viz_core.models.recording import record, replacing
from viz_core.records import SITES, Failure, Metrics, Patching
from viz_core.tasks import get_task


def checkpoint(**values) -> Checkpoint:
    text = text_encoder("imdb")
    model = encoder(1, vocabulary=text.vocabulary, max_tokens=16, **values)
    with torch.no_grad():
        model.classifier.weight.mul_(20)  # logits that differ clearly
    return Checkpoint("tiny", get_task("imdb"), Settings("imdb", model.config), model, text, Metrics({}))


MODELS = {
    "pre-norm": checkpoint(),
    "post-norm, mean": checkpoint(norm="post", pooling="mean"),
    "causal": adapt(network("Llama"), byte_pairs()),
}
EVERY = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def pair(model: Checkpoint, source: str = "a good film", target: str = "a fine film"):
    return contrast(model, model.text_encoder.encode(source), model.text_encoder.encode(target))


@EVERY
def test_the_residual_stream_of_all_tokens_is_the_other_text(model):
    """Texts of one length: whatever the layer, everything after it is that of the source."""
    found = pair(model)
    effects = patch(model, found, [Cell("residual", layer) for layer in range(model.model.config.layers)])
    np.testing.assert_allclose(effects, 1, atol=1e-4)


@EVERY
def test_before_the_first_layer_only_changed_tokens_matter(model):
    found = pair(model)
    residual = patch_all(model, found, ["residual"]).effects["residual"]
    changed = found.source.ids[found.pairs[:, 0]] != found.target.ids[found.pairs[:, 1]]
    np.testing.assert_allclose(residual[0, ~changed], 0, atol=1e-4)
    assert np.abs(residual[0, changed]).max() > 0.1


def test_after_the_last_attention_only_the_token_that_is_read_matters():
    model = MODELS["pre-norm"]
    feedforward = patch_all(model, pair(model), ["feedforward"]).effects["feedforward"]
    np.testing.assert_allclose(feedforward[-1, 1:], 0, atol=1e-4)
    assert abs(feedforward[-1, 0]) > 1e-3


@EVERY
def test_a_cell_is_what_a_hook_by_hand_gives(model):
    found = pair(model)
    kind = model.model.attention_kinds[0]
    point = HookPoint("context", 1, kind)
    inputs = [input_tensors(encoding) for encoding in (found.source, found.target)]
    source, own = (record(model.model, tensors, {point})[point] for tensors in inputs)
    mixed = own.clone()
    for old, new in found.pairs.tolist():
        mixed[0, 1, new] = source[0, 1, old]
    with torch.no_grad():
        logits = model.model(*inputs[1], hook=replacing({point: mixed})).logits[0].double()
    first, second = found.logits
    expected = found.effects(np.array(float(logits[first] - logits[second])))
    assert patch(model, found, [Cell("heads", 1, 1)])[0] == pytest.approx(float(expected), abs=1e-5)


@EVERY
def test_many_cells_at_once_are_each_alone(model, monkeypatch):
    found = pair(model)
    cells = [cell for site in SITES for cell in cells_of(model, found, site)]
    at_once = patch(model, found, cells)
    monkeypatch.setattr("viz_core.analysis.patching.patch.CELLS", 1)
    passes = []
    alone = patch(model, found, cells, passes.append)
    np.testing.assert_allclose(at_once, alone, atol=1e-4)
    assert passes == [number / len(cells) for number in range(len(cells))]


@EVERY
def test_shapes_and_that_a_text_put_into_itself_changes_nothing(model):
    found = pair(model, "a good film", "a film")
    exact, estimated = patch_all(model, found), estimate(model, found)
    K, config = len(found.pairs), model.model.config
    for patching in (exact, estimated):
        L, shapes = config.layers, [patching.effects[site].shape for site in SITES]
        assert shapes == [(L, K), (L, K), (L, K), (L, config.heads)]
    assert exact.is_exact and not estimated.is_exact
    same = replace(found, source=found.target, pairs=np.repeat(found.pairs[:, 1:], 2, axis=1))
    for effects in patch_all(model, same).effects.values():
        np.testing.assert_allclose(effects, 0, atol=1e-4)


@pytest.mark.parametrize("choices", [{}, {"norm": "post", "pooling": "mean"}], ids=["pre-norm", "post-norm"])
def test_the_estimate_of_a_small_change_is_its_effect(choices):
    """A source whose changed word is close to that of the target: only the gradient matters."""
    model = checkpoint(**choices)
    model.model.double()
    found = pair(model)
    old, new = (int(encoding.ids[2]) for encoding in (found.source, found.target))
    with torch.no_grad():
        weight = model.model.token_embedding.weight
        weight[old] = weight[new] + 1e-5 * (weight[old] - weight[new])
    found = replace(found, **_differences(model, found))
    exact, estimated = patch_all(model, found), estimate(model, found)
    for site in SITES:
        np.testing.assert_allclose(estimated.effects[site], exact.effects[site], atol=1e-3)
        assert agreement(exact.effects[site], estimated.effects[site]) > 0.9999


def _differences(model: Checkpoint, found) -> dict[str, float]:
    with torch.no_grad():
        logits = [model.model(*input_tensors(text)).logits[0].double() for text in (found.source, found.target)]
    values = [float(row[found.logits[0]] - row[found.logits[1]]) for row in logits]
    return dict(zip(("source_difference", "target_difference"), values, strict=True))


def test_a_word_put_in_has_no_partner_and_the_others_keep_theirs():
    found = pair(MODELS["pre-norm"], "a good film", "not a good film")
    assert found.pairs.tolist() == [[0, 0], [1, 2], [2, 3], [3, 4], [4, 5]]


def test_the_labels_are_those_that_are_predicted():
    found = pair(MODELS["pre-norm"])
    assert set(found.labels) == {"negative", "positive"} and set(found.logits) == {0, 1}


def test_the_control_takes_the_numbers_of_another_text():
    model = MODELS["pre-norm"]
    found, other = pair(model), model.text_encoder.encode("not a story")
    cell = [Cell("residual", 0)]  # all tokens of a text of the same length: its prediction
    with torch.no_grad():
        logits = model.model(*input_tensors(other)).logits[0].double()
    expected = found.effects(np.array(float(logits[found.logits[0]] - logits[found.logits[1]])))
    assert patch(model, found, cell, source=other)[0] == pytest.approx(float(expected), abs=1e-4)


@EVERY
def test_the_prediction_with_all_tokens_of_the_other_text_is_its_own(model):
    found = pair(model)
    patched = explain_patched(model, found, Cell("residual", 1))
    own = explain_batch(model, [found.source])[0]
    assert patched.labels == own.labels and patched.encoding is found.target
    np.testing.assert_allclose(patched.probabilities, own.probabilities, atol=1e-5)


def test_the_strongest_cell_is_the_largest_of_either_sign():
    found = pair(MODELS["pre-norm"])
    effects = {"heads": np.array([[0.1, 0.2], [-0.9, 0.3]]), "residual": np.array([[0.0, 0.5, 0.1]])}
    patching = Patching(found, effects, is_exact=True)
    assert cell_at("heads", *patching.strongest("heads")) == Cell("heads", 1, head=0)
    assert cell_at("residual", *patching.strongest("residual")) == Cell("residual", 0, pair=1)


def test_agreement():
    assert agreement(np.array([0.0, 1, 2]), np.array([1.0, 3, 5])) == pytest.approx(1)
    assert agreement(np.array([0.0, 1]), np.array([3.0, 3])) is None


def test_what_cannot_be_compared_is_said():
    model = MODELS["pre-norm"]
    for source, target, key in (
        ("a good film", "A good film", "patching.same_texts"),
        ("a good", "story bad film", "patching.nothing_aligned"),
    ):
        with pytest.raises(Failure) as failure:
            pair(model, source, target)
        assert failure.value.message.key == key
    still = checkpoint()
    with torch.no_grad():
        still.model.classifier.weight.zero_()
    with pytest.raises(Failure) as failure:
        pair(still)
    assert failure.value.message.key == "patching.no_difference"


@EVERY
def test_in_passes_of_two_rows_it_is_the_same(model, monkeypatch):
    """Layers before the first patched one are computed for one row."""
    found, config = pair(model), model.model.config
    expected = patch_all(model, found).effects
    row = max(config.heads * len(found.target.ids) ** 2, config.classes)
    monkeypatch.setattr("viz_core.analysis.patching.patch.CELLS", 2 * row)
    for site, effects in patch_all(model, found).effects.items():
        np.testing.assert_allclose(effects, expected[site], atol=1e-5)


def test_the_command(tmp_path, monkeypatch, capsys):
    import json
    import sys

    from viz_core import __main__

    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path))
    save_checkpoint(tmp_path, "imdb")
    words = ["patch", "--task", "imdb", "--model", "tiny", "--text", "not a good film", "--source", "a good film"]
    monkeypatch.setattr(sys, "argv", ["viz_core", *words, "--sender", "1.2", "--json", "--top", "2"])
    assert __main__.main() == 0, capsys.readouterr().err
    result = json.loads(capsys.readouterr().out)
    assert [len(cells) for cells in result["strongest"].values()] == [2] * len(SITES)
    assert result["target"][1] == "not" and set(result["difference"]) == {"source", "target"}
    model = checkpoints.load("imdb", "tiny")
    heads = patch_all(model, pair(model, "a good film", "not a good film"), ["heads"]).effects["heads"]
    layer, head = np.unravel_index(np.abs(heads).argmax(), heads.shape)
    assert result["strongest"]["heads"][0] == {
        "head": f"{layer + 1}.{head + 1}",
        "effect": pytest.approx(heads[layer, head]),
    }
    paths = trace_paths(model, pair(model, "a good film", "not a good film"), (0, 1)).effects
    assert len(result["paths"]) == 2
    assert abs(result["paths"][0]["effect"]) == pytest.approx(np.nanmax(np.abs(paths)))
