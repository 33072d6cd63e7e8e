"""Every family computes what the library computes, and its attention goes through our hook."""

import pytest
import torch

from tests.adapters.rotary import ROTARY
from tests.adapters.tiny_networks import CORE, CORE_FIRST, FAMILIES, inputs, network
from tests.adapters.tiny_translators import FAMILIES as ENCODER_DECODERS
from viz_core.adapters.families import FAMILIES as RECORDS
from viz_core.adapters.model import AdaptedModel
from viz_core.adapters.network import prepare
from viz_core.models.protocol import Model, on_weights
from viz_core.models.recording import record

THROUGH_HOOK = [name for name in FAMILIES if not name.startswith("deberta")]  # all three tensors


def library_output(net, ids, segments, mask):
    """What the library returns with its own attention, padding as its tokenizers write it."""
    if net.config.model_type not in ("mpnet", "deberta", "deberta-v2"):  # have no other
        net.set_attn_implementation("eager")
    types = {"token_type_ids": segments} if getattr(net.config, "type_vocab_size", 0) == 2 else {}
    with torch.no_grad():
        return net(
            input_ids=ids.masked_fill(~mask, net.config.pad_token_id),
            attention_mask=mask.long(),
            output_attentions=True,
            **types,
        )


def adapt_network(net) -> AdaptedModel:
    return AdaptedModel(prepare(net), 32, second_segment=1)


def run(model, *tensors, **options):
    with torch.no_grad():
        return model(*tensors, **options)


def test_every_family_is_tested():
    assert set(RECORDS) <= {*FAMILIES, *ENCODER_DECODERS, "gpt2", *ROTARY}


@pytest.mark.parametrize("family", FAMILIES)
def test_attention_and_logits_are_those_of_the_library(family):
    net, tensors = network(family), inputs()
    expected, model = library_output(net, *tensors), adapt_network(net)
    output, without = run(model, *tensors, need_attention=True), run(model, *tensors)
    weights = torch.stack(expected.attentions)
    assert output.own.shape == weights.shape == (3, 2, 4, 7, 7)
    assert weights[0, 0].std() > 0.05  # not uniform, where every implementation is alike
    for row, length in enumerate((7, 5)):
        close = output.own[:, row, :, :length, :length], weights[:, row, :, :length, :length]
        torch.testing.assert_close(*close, atol=1e-5, rtol=0)
    for logits in (output.logits, without.logits):
        torch.testing.assert_close(logits, expected.logits, atol=1e-5, rtol=1e-5)
    assert without.attention == {}


@pytest.mark.parametrize("family", CORE_FIRST)
def test_a_base_model_has_the_same_attention_and_no_logits(family):
    net, tensors = network(family, "Model"), inputs()
    expected = library_output(net, *tensors)
    model = AdaptedModel(prepare(net), 32, second_segment=1)
    output = run(model, *tensors, need_attention=True)
    assert output.logits.shape == (2, 0) and model.config.pooling == ""
    torch.testing.assert_close(output.own[:, 0], torch.stack(expected.attentions)[:, 0], atol=1e-5, rtol=0)
    with torch.no_grad():
        encoded = model.encode(*tensors)
    torch.testing.assert_close(encoded[0], expected.last_hidden_state[0], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("family", CORE_FIRST)
def test_a_forward_pass_can_start_from_the_embeddings(family):
    model, tensors = adapt_network(network(family)), inputs()
    with torch.no_grad():
        x = model.embed(*tensors)
        logits = model.from_embeddings(x, tensors[2]).logits
        other = model.from_embeddings(torch.zeros_like(x), tensors[2]).logits
    torch.testing.assert_close(logits, run(model, *tensors).logits, atol=1e-5, rtol=1e-5)
    assert not torch.allclose(logits, other, atol=1e-3)


def test_gradients_reach_the_embeddings():
    model, tensors = adapt_network(network("bert")), inputs()
    x = model.embed(*tensors).detach().requires_grad_()
    model.from_embeddings(x, tensors[2]).logits[0].sum().backward()
    assert x.grad[0].abs().sum() > 0 and x.grad[1].abs().sum() == 0


@pytest.mark.parametrize("family", THROUGH_HOOK)
def test_the_hook_sees_scores_values_and_weights_of_every_layer(family):
    model, (ids, segments, mask) = adapt_network(network(family)), inputs()
    recorded = record(model, (ids, segments, mask), {"scores", "values", "weights"}, need_attention=True)
    for layer in range(3):
        scores = recorded["scores", layer].masked_fill(~mask[:, None, None], -torch.inf)
        torch.testing.assert_close(scores.softmax(-1), recorded["weights", layer], atol=1e-5, rtol=0)
        torch.testing.assert_close(recorded["weights", layer], recorded.output.own[layer], atol=0, rtol=0)
        assert recorded["values", layer].shape == (2, 4, 7, 8)


@pytest.mark.parametrize("family", CORE_FIRST)
def test_weights_that_a_hook_changes_are_used(family):
    model, tensors = adapt_network(network(family)), inputs()
    unchanged = run(model, *tensors).logits
    output = run(model, *tensors, need_attention=True, hook=on_weights(lambda layer, weights: weights * 0))
    assert output.own.abs().max() == 0
    # Without any attention a token knows nothing of the others: the logits are those of the first token alone.
    alone = [tensor[:, :1] for tensor in tensors]
    expected = run(model, *alone, hook=on_weights(lambda layer, weights: weights * 0)).logits
    torch.testing.assert_close(output.logits, expected, atol=1e-5, rtol=1e-5)
    assert not torch.allclose(output.logits, unchanged, atol=1e-3)


@pytest.mark.parametrize("family", CORE)
def test_values_times_projections_are_what_the_heads_write(family):
    """The norms of transformed vectors need the matrix of each head: those of layer 1 rebuild what it writes."""
    net, tensors = network(family), inputs()
    model, written = adapt_network(net), []
    linear = model.prepared.outputs["self"][0]
    handle = linear.register_forward_hook(lambda module, args, output: written.append(output))
    recorded = record(model, tensors, {"values", "weights"})
    handle.remove()
    context = (recorded["weights", 0] @ recorded["values", 0]).transpose(1, 2).flatten(2)
    matrix = model.output_projections["self"][0]
    torch.testing.assert_close(context @ matrix.T + linear.bias, written[0], atol=1e-4, rtol=1e-4)


def test_deberta_shows_no_values_and_says_so():
    model = adapt_network(network("deberta-v2"))
    assert model.output_projections == {}
    assert RECORDS["deberta-v2"].lacks == ("adapters.lacks_values",)


def test_the_network_itself_stays_as_it_was():
    net = network("mpnet").train()
    attention, implementation = net.base_model.encoder.layer[0].attention.attn, net.config._attn_implementation
    model = adapt_network(net)
    assert net.training and net.base_model.encoder.layer[0].attention.attn is attention
    assert net.config._attn_implementation == implementation and not net.base_model.encoder.layer[0]._forward_pre_hooks
    assert [p.data_ptr() for p in model.parameters()] == [p.data_ptr() for p in net.parameters()]
    assert not model.network.training


@pytest.mark.parametrize("family", ["bert", "roberta", "mpnet"])
def test_a_masked_token_does_not_move_the_others(family):
    """As removed tokens are in what-if: equal to a text in which the token is another, because nobody sees it."""
    model, (ids, segments, mask) = adapt_network(network(family)), inputs()
    mask[0, 2] = False
    logits = []
    for replacement in (model.network.config.pad_token_id, 7):
        ids[0, 2] = replacement
        logits.append(run(model, ids, segments, mask).logits[0])
    torch.testing.assert_close(*logits, atol=1e-5, rtol=1e-5)


def test_it_implements_the_contract():
    assert isinstance(adapt_network(network("bert")), Model)


def test_passes_of_two_threads_do_not_mix():
    """Each thread has its own hook: the weights of one are not recorded in the other."""
    from concurrent.futures import ThreadPoolExecutor

    model, tensors = adapt_network(network("bert")), inputs()
    plain = run(model, *tensors, need_attention=True)
    zero = on_weights(lambda layer, weights: weights * 0)

    def compute(number):
        return run(model, *tensors, need_attention=True, hook=zero if number % 2 else None)

    with ThreadPoolExecutor(4) as pool:
        for number, output in enumerate(pool.map(compute, range(24))):
            expected = torch.zeros(()) if number % 2 else plain.own
            torch.testing.assert_close(output.own, expected.expand_as(output.own), atol=1e-6, rtol=0)
