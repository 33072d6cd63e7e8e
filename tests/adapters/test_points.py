"""The hook points of models from elsewhere are the numbers of the library, and what replaces them is used."""

from typing import get_args

import pytest
import torch
from torch import nn

from tests.adapters.test_causal import network as causal_network
from tests.adapters.test_language_model import network as language_model
from tests.adapters.test_model import run
from tests.adapters.tiny_networks import inputs, network
from tests.steps import rotate
from viz_core.adapters.model import AdaptedModel
from viz_core.adapters.network import prepare
from viz_core.models.protocol import AttentionKind, Hook, HookPoint, LayerName, OutsideName
from viz_core.models.recording import record, replacing

POST_NORM = ("bert", "distilbert", "electra", "roberta", "xlm-roberta", "camembert", "albert", "mpnet")
ROTARY = {"llama": ("Llama", {}), "mistral": ("Mistral", dict(sliding_window=None))}
ROTARY |= {"qwen2": ("Qwen2", {}), "qwen3": ("Qwen3", dict(head_dim=12))}
CAUSAL = ("gpt2", *ROTARY)
FAMILIES = (*POST_NORM, *CAUSAL)
POINTS = {*get_args(OutsideName), *get_args(LayerName)}
NOT_HERE = {"overlap", "convolved"}


def adapt(family: str) -> AdaptedModel:
    if family in ROTARY:
        name, sizes = ROTARY[family]
        net = language_model(name, **sizes)
    else:
        net = causal_network() if family == "gpt2" else network(family)
    return AdaptedModel(prepare(net, "tiny"), 32, second_segment=1)


def tensors():
    return tuple(tensor[:1] for tensor in inputs())


def kind_of(family: str) -> AttentionKind:
    return "causal" if family in CAUSAL else "self"


def turn(x: torch.Tensor) -> torch.Tensor:
    """The vectors `(1, H, T, d)` of a text, each turned by its position."""
    positions = torch.arange(x.shape[2]).numpy()
    return torch.stack([torch.from_numpy(rotate(head.detach().numpy(), positions)).float() for head in x[0]])[None]


def assert_close(ours, expected):
    torch.testing.assert_close(ours, expected, atol=1e-5 * max(1.0, float(expected.abs().max())), rtol=0)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_point_is_recorded_and_follows_from_the_others(family):
    model, kind = adapt(family), kind_of(family)
    seen = record(model, tensors(), POINTS)
    anatomy = model.anatomy
    stack, pre = anatomy.stack(kind), anatomy.norm == "pre"
    missing = NOT_HERE | ({"attention_sum", "feedforward_sum"} if pre else set())
    missing |= set() if stack.mapping else {"stem"}
    missing |= {"position", "segment"} - set(stack.embeddings)
    missing |= set() if family in ROTARY else {"rotation", "unrotated_queries", "unrotated_keys", "feedforward_gate"}
    missing |= set() if family == "qwen3" else {"unnormed_queries", "unnormed_keys"}
    missing |= set() if family == "mpnet" else {"bias"}
    missing |= set() if anatomy.classifier_hidden else {"classifier_hidden", "classifier_activated"}
    assert POINTS - {point.name for point in seen} == missing
    assert {point.kind for point in seen} == {kind}

    def at(name, layer=-1):
        return seen[name, layer, kind]

    parts = sum(at(name) for name in ("token", "position", "segment") if (name, -1, kind) in seen)
    assert_close(at("embedding_sum"), parts)
    assert_close(at("embedding"), stack.embedding_norm(parts) if stack.embedding_norm else parts)
    start = stack.mapping(at("embedding")) if stack.mapping else at("embedding")
    assert_close(at("residual_before", 0), start)
    ids, segments, _ = tensors()
    assert torch.equal(at("token"), stack.embeddings["token"][ids])
    if "position" in stack.embeddings:
        assert torch.equal(at("position")[0], stack.embeddings["position"][: ids.shape[1]])
    if "segment" in stack.embeddings:
        assert torch.equal(
            at("segment"), stack.embeddings["segment"][segments.clamp(max=len(stack.embeddings["segment"]) - 1)]
        )
    for number, layer in enumerate(stack.layers):
        attention, feedforward = layer.attentions[kind], layer.feedforward
        x = at("residual_before", number)
        read = attention.norm(x) if pre else x
        assert_close(at("attention_input", number), read)
        maps = {"queries": (attention.query, attention.query_norm), "keys": (attention.key, attention.key_norm)}
        for name, (linear, norm) in (maps | {"values": (attention.value, None)}).items():
            expected = linear(read).unflatten(-1, (-1, anatomy.width)).transpose(1, 2)
            if norm:
                assert_close(at(f"unnormed_{name}", number), expected)
                expected = norm(expected)
            if family in ROTARY and name != "values":
                assert_close(at(f"unrotated_{name}", number), expected)
                expected = turn(expected)
            assert_close(at(name, number), expected.repeat_interleave(4 // expected.shape[1], 1))
        scores = at("queries", number) @ at("keys", number).mT / anatomy.width**0.5
        assert_close(at("scores", number), scores + (at("bias", number) if family == "mpnet" else 0))
        assert_close(at("context", number), at("weights", number) @ at("values", number))
        biases = 0 if attention.output.bias is None else attention.output.bias
        assert_close(at("head_outputs", number).sum(1) + biases, at("attention_output", number))
        total = x + at("attention_output", number)
        assert_close(at("residual_middle", number), total if pre else attention.norm(total))
        middle = at("residual_middle", number)
        read = feedforward.norm(middle) if pre else middle
        assert_close(at("feedforward_input", number), read)
        assert_close(at("feedforward_hidden", number), feedforward.hidden(read))
        if feedforward.gate:
            assert_close(at("feedforward_gate", number), feedforward.gate(read))
            gate = nn.functional.silu(at("feedforward_gate", number))
            assert_close(at("feedforward_activated", number), gate * at("feedforward_hidden", number))
        assert_close(at("feedforward_output", number), feedforward.output(at("feedforward_activated", number)))
        total = middle + at("feedforward_output", number)
        assert_close(at("residual_after", number), total if pre else feedforward.norm(total))
        after = at("residual_before", number + 1) if number < 2 else at("residual_after", number)
        assert_close(at("residual_after", number), after)
    last = at("residual_after", 2)
    assert_close(at("final"), stack.final_norm(last) if pre else last)
    assert_close(at("pooled"), at("final")[:, -1 if pre else 0])
    x = at("pooled")
    if anatomy.classifier_hidden:
        assert_close(at("classifier_hidden"), anatomy.classifier_hidden(x))
        x = at("classifier_activated")
        activate = {"tanh": torch.tanh, "relu": torch.relu, "gelu": nn.functional.gelu}[anatomy.classifier_activation]
        assert_close(x, activate(at("classifier_hidden")))
    assert_close(at("logits"), anatomy.classifier(x))
    assert_close(at("logits"), run(model, *tensors()).logits)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_replaces_a_tensor_is_used(family):
    """With a tensor of another text all that follows is of that text."""
    model, kind = adapt(family), kind_of(family)
    ids, segments, mask = tensors()
    other = ids.flip(1), segments, mask
    seen, expected = record(model, other, POINTS), run(model, *other).logits
    assert not torch.allclose(run(model, ids, segments, mask).logits, expected, atol=1e-2)
    outside = [HookPoint(name, -1, kind) for name in ("embedding_sum", "embedding", "final", "pooled", "logits")]
    inside = [HookPoint(name, 1, kind) for name in ("residual_before", "residual_middle", "residual_after")]
    for point in outside + inside:
        assert_close(run(model, ids, segments, mask, hook=replacing({point: seen[point]})).logits, expected)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_sub_layer_reads_and_adds_can_be_replaced(family):
    model, kind = adapt(family), kind_of(family)
    seen, logits = record(model, tensors(), POINTS), run(model, *tensors()).logits
    for name in (name for name in get_args(LayerName) if (name, 1, kind) in seen):
        zeros = replacing({HookPoint(name, 1, kind): torch.zeros_like(seen[name, 1, kind])})
        assert not torch.allclose(run(model, *tensors(), hook=zeros).logits, logits, atol=1e-4), name
    added = ("attention_output", "feedforward_output")
    nothing = replacing({HookPoint(name, 1, kind): torch.zeros_like(seen[name, 1, kind]) for name in added})
    changed = record(model, tensors(), {"residual_before", "residual_after"}, hook=nothing)
    if family in CAUSAL:  # post-norm layers still normalise
        assert_close(changed["residual_after", 1, kind], changed["residual_before", 1, kind])


def test_a_hook_that_changes_nothing_leaves_the_pass_as_it_is():
    model, same = adapt("gpt2"), Hook(lambda point, tensor: tensor, POINTS)
    unchanged = run(model, *tensors(), need_attention=True).logits
    assert torch.equal(run(model, *tensors(), hook=same, need_attention=True).logits, unchanged)


def test_a_pass_from_embeddings_begins_after_them():
    model = adapt("electra")
    embedded = run(model.embed, *tensors())
    assert embedded.shape == (1, 7, 16)
    seen = []
    hook = Hook(lambda point, tensor: seen.append(point.name) or tensor, POINTS)
    run(model.from_embeddings, embedded, tensors()[2], hook=hook)
    assert seen[:2] == ["stem", "residual_before"]
