"""What each part adds directly to the difference of two logits: by hand, and against the library."""

import numpy as np
import pytest
import torch
from torch import nn

from tests.adapters.test_language_model import CORE, FAMILIES, network
from tests.adapters.tiny_networks import byte_pairs
from tests.analysis.test_value_norms import checkpoint
from tests.tiny import save_bag
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.direct_contributions import direct_contributions
from viz_core.analysis.explain import explain
from viz_core.analysis.read_out import logit_factor
from viz_core.checkpoints import load_folder
from viz_core.models.anatomy import Linear, ReadOut
from viz_core.records import DirectContributions, Failure

TEXT = "cat sat cat é"
NORMED = {"Gemma2", "Gemma3", "Olmo2", "Granite"}  # what their layers write is normalised or scaled
NAMES = [name if name in CORE else pytest.param(name, marks=pytest.mark.slow) for name in FAMILIES]
PRE_NORM = {"cls": {}, "mean": {"pooling": "mean"}, "three layers": {"layers": 3}}


@torch.no_grad()
def test_the_direction_of_an_rms_norm_by_hand():
    """The root of the mean square of (3, 4) is √12.5; what it adds to the logit is (1·3·1 + 2·4·5) / √12.5."""
    norm = nn.RMSNorm(2, eps=1e-12)
    norm.weight.data = torch.tensor([1.0, 2.0])
    x, row = torch.tensor([[3.0, 4.0]]), torch.tensor([1.0, 5.0])
    directions = ReadOut(norm, Linear(row[None])).directions(x, row)
    torch.testing.assert_close(directions, torch.tensor([[1.0, 10.0]]) / 12.5**0.5)
    assert float((x * directions).sum()) == pytest.approx(43 / 12.5**0.5, rel=1e-5)


@torch.no_grad()
def test_the_direction_of_a_layer_norm_by_hand():
    """(1, 5) is (−2, 2) off its mean, with a standard deviation of 2: (w·row) = (1, 10) less their mean, over 2."""
    norm = nn.LayerNorm(2, eps=1e-12)
    norm.weight.data, norm.bias.data = torch.tensor([1.0, 2.0]), torch.tensor([7.0, 7.0])
    x, row = torch.tensor([[1.0, 5.0]]), torch.tensor([1.0, 5.0])
    directions = ReadOut(norm, Linear(row[None])).directions(x, row)
    torch.testing.assert_close(directions, torch.tensor([[1 - 5.5, 10 - 5.5]]) / 2)


@pytest.mark.parametrize("name", NAMES)
def test_the_parts_of_a_language_model_add_up_to_the_difference_of_its_logits(name):
    model = adapt(network(name), byte_pairs(max_tokens=40), name)
    explanation = explain(model, TEXT)
    if name in NORMED:
        with pytest.raises(Failure) as failure:
            direct_contributions(model, explanation, 0, 2)
        assert failure.value.message.key == "direct.no_sum"
        return
    result = direct_contributions(model, explanation, 0, 2)
    with torch.no_grad():
        logits = network(name)(input_ids=torch.from_numpy(explanation.encoding.ids.copy())[None]).logits[0, -1]
    first, _, third, *_ = explanation.label_ids
    assert result.difference == pytest.approx(float(logits[first] - logits[third]), abs=1e-4)
    parts = result.heads.sum() + result.feedforward.sum() + result.embedding + result.biases
    assert parts == pytest.approx(result.difference, abs=1e-4) and result.heads.shape == (3, 4)
    assert (result.chosen, result.against) == (explanation.labels[0], explanation.labels[2])


def test_a_head_of_llama_adds_what_the_library_says():
    """Its columns of the output projection, over the root mean square at the end, times the weight of the norm."""
    model, net = adapt(network("Llama"), byte_pairs(max_tokens=40), "Llama"), network("Llama")
    explanation = explain(model, TEXT)
    seen = {}
    net.model.layers[1].self_attn.o_proj.register_forward_hook(lambda _, inputs, __: seen.update(context=inputs[0]))
    net.model.norm.register_forward_hook(lambda _, inputs, __: seen.update(end=inputs[0]))
    with torch.no_grad():
        net(input_ids=torch.from_numpy(explanation.encoding.ids.copy())[None])
        context, end = seen["context"][0, -1].unflatten(-1, (4, -1)), seen["end"][0, -1]
        written = net.model.layers[1].self_attn.o_proj.weight.unflatten(1, (4, -1))[:, 2] @ context[2]
        rows = net.lm_head.weight[[*explanation.label_ids[:2]]]
        scale = net.model.norm.weight / (end.square().mean() + net.model.norm.variance_epsilon).sqrt()
        expected = float((written * scale) @ (rows[0] - rows[1]))
    assert direct_contributions(model, explanation, 0, 1).heads[1, 2] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("form", PRE_NORM.values(), ids=list(PRE_NORM))
def test_the_parts_of_a_classifier_add_up(form):
    model = checkpoint("imdb", **form)
    explanation = explain(model, "not a good film with a bad story")
    result = direct_contributions(model, explanation, 1, 0)
    logits = np.log(explanation.probabilities) * model.settings.temperature
    assert result.difference == pytest.approx(logits[1] - logits[0], abs=1e-4)
    parts = result.heads.sum() + result.feedforward.sum() + result.embedding + result.biases
    assert parts == pytest.approx(result.difference, abs=1e-4)
    opposite = direct_contributions(model, explanation, 0, 1)
    np.testing.assert_allclose(opposite.heads, -result.heads, atol=1e-6)


def test_the_largest_parts_are_heads_or_feedforward_layers():
    parts = DirectContributions("a", "b", np.array([[1.0, -3.0], [0.5, 0.0]]), np.array([0.1, 2.0]), 0.0, 0.0, 0.6)
    assert parts.largest(3) == [(0, 1, -3.0), (1, None, 2.0), (0, 0, 1.0)]


def test_what_does_not_add_up_is_said(tmp_path):
    text, bag = "a good film", load_folder(save_bag(tmp_path, "bag", 1.0), "imdb")
    for model, key in ((checkpoint("imdb", norm="post"), "direct.no_sum"), (bag, "checkpoints.no_attention")):
        with pytest.raises(Failure) as failure:
            direct_contributions(model, explain(model, text), 1, 0)
        assert failure.value.message.key == key


def test_logits_may_be_scaled_but_not_bounded():
    model, read = checkpoint("imdb"), torch.tensor([1.0, -2.0, 3.0])
    assert logit_factor(model, read, 0.25 * read) == pytest.approx(0.25)
    with pytest.raises(Failure) as failure:
        logit_factor(model, read, read.tanh())
    assert failure.value.message.key == "direct.changed_logits"
