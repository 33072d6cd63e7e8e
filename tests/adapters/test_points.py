"""The hook points of models from elsewhere are the numbers of the library, and what replaces them is used."""

import math
from functools import partial
from typing import get_args

import numpy as np
import pytest
import torch
from torch import nn

from tests.adapters.rotary import ROTARY, rotary_network
from tests.adapters.test_causal import network as causal_network
from tests.adapters.test_model import run
from tests.adapters.tiny_networks import inputs, network
from tests.steps import rotate
from viz_core.adapters.model import AdaptedModel
from viz_core.adapters.network import prepare
from viz_core.models.anatomy import Anatomy, AttentionParts, FeedForwardParts, Norm
from viz_core.models.protocol import AttentionKind, Hook, HookPoint, LayerName, OutsideName
from viz_core.models.recording import record, replacing

POST_NORM = ("bert", "distilbert", "electra", "roberta", "xlm-roberta", "camembert", "albert", "mpnet")
CAUSAL = ("gpt2", *ROTARY)
FAMILIES = (*POST_NORM, *CAUSAL)
POINTS = {*get_args(OutsideName), *get_args(LayerName)}
NOT_HERE = {"overlap", "convolved"}


def adapt(family: str) -> AdaptedModel:
    create = rotary_network if family in ROTARY else {"gpt2": lambda _: causal_network()}.get(family, network)
    return AdaptedModel(prepare(create(family), "tiny"), 32, second_segment=1)


def tensors():
    return tuple(tensor[:1] for tensor in inputs())


def kind_of(family: str) -> AttentionKind:
    return "causal" if family in CAUSAL else "self"


def turn(model: AdaptedModel, layer: int, x: torch.Tensor) -> torch.Tensor:
    """The vectors `(1, H, T, d)` of a text, each turned by its position, where the config has it so."""
    config = model.network.config
    if getattr(config, "no_rope_layers", [1, 1, 1])[layer] == 0:
        return x
    rope = config.rope_parameters
    rope = rope[config.layer_types[layer]] if "rope_theta" not in rope else rope
    turned = int(x.shape[-1] * rope.get("partial_rotary_factor", 1))
    positions = torch.arange(x.shape[2]).numpy()
    heads = [rotate(head.detach().numpy(), positions, rope["rope_theta"], turned) for head in x[0]]
    return torch.from_numpy(np.stack(heads)[None]).float()


def normed(norm: Norm | None, x: torch.Tensor) -> torch.Tensor:
    return norm(x) if norm else x


def heads_of(x: torch.Tensor, width: int) -> torch.Tensor:
    """`(1, T, H d)` as `(1, H, T, d)`."""
    return x.unflatten(-1, (-1, width)).transpose(1, 2)


def assert_close(ours, expected):
    torch.testing.assert_close(ours, expected, atol=1e-5 * max(1.0, float(expected.abs().max())), rtol=0)


def points_without(anatomy: Anatomy, attention: AttentionParts, feedforward: FeedForwardParts) -> set[str]:
    """The points that a model lacks, by its parts."""
    pre, gated = anatomy.norm == "pre", feedforward.gate is not None
    stack = anatomy.encoder or anatomy.stack("causal")
    have = {
        "attention_sum": not pre,
        "feedforward_sum": not pre,
        "stem": stack.mapping is not None,
        "position": "position" in stack.embeddings,
        "segment": "segment" in stack.embeddings,
        "rotation": anatomy.positions == "rotary",
        "unrotated_queries": anatomy.positions == "rotary",
        "unrotated_keys": anatomy.positions == "rotary",
        "unnormed_queries": attention.query_norm is not None,
        "unnormed_keys": attention.query_norm is not None,
        "bias": attention.position_bias is not None,
        "attention_normed": attention.output_norm is not None,
        "residual_middle": not anatomy.parallel,
        "feedforward_gate": gated,
        "feedforward_normed": feedforward.output_norm is not None,
        "classifier_hidden": anatomy.classifier_hidden is not None,
        "classifier_activated": anatomy.classifier_hidden is not None,
        "uncapped": anatomy.logit_cap is not None,
    }
    return NOT_HERE | {name for name, is_there in have.items() if not is_there}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_point_is_recorded_and_follows_from_the_others(family):
    model, kind = adapt(family), kind_of(family)
    seen = record(model, tensors(), POINTS)
    anatomy = model.anatomy
    stack, pre = anatomy.stack(kind), anatomy.norm == "pre"
    first = stack.layers[0]
    assert POINTS - {point.name for point in seen} == points_without(anatomy, first.attentions[kind], first.feedforward)
    assert {point.kind for point in seen} == {kind}

    def at(name, layer=-1):
        return seen[name, layer, kind]

    parts = sum(at(name) for name in ("token", "position", "segment") if (name, -1, kind) in seen)
    assert_close(at("embedding_sum"), parts)
    assert_close(at("embedding"), normed(stack.embedding_norm, parts))
    start = stack.mapping(at("embedding")) if stack.mapping else at("embedding")
    assert_close(at("residual_before", 0), start)
    ids, segments, _ = tensors()
    assert_close(at("token"), stack.embeddings["token"][ids] * stack.embedding_scale)
    assert (stack.embedding_scale != 1) == family.startswith("gemma")
    if "position" in stack.embeddings:
        assert torch.equal(at("position")[0], stack.embeddings["position"][: ids.shape[1]])
    if "segment" in stack.embeddings:
        assert torch.equal(
            at("segment"), stack.embeddings["segment"][segments.clamp(max=len(stack.embeddings["segment"]) - 1)]
        )
    for number, layer in enumerate(stack.layers):
        attention, feedforward = layer.attentions[kind], layer.feedforward
        x = at("residual_before", number)
        read = normed(attention.norm, x) if pre else x
        assert_close(at("attention_input", number), read)
        maps = {"queries": (attention.query, attention.query_norm), "keys": (attention.key, attention.key_norm)}
        for name, (linear, norm) in (maps | {"values": (attention.value, None)}).items():
            expected = linear(read)
            if norm:
                assert_close(at(f"unnormed_{name}", number), heads_of(expected, anatomy.width))
                of_all = norm.weight.numel() > anatomy.width  # of all heads together
                expected = norm(expected if of_all else expected.unflatten(-1, (-1, anatomy.width))).flatten(2)
            expected = heads_of(expected, anatomy.width)
            if family in ROTARY and name != "values":
                assert (f"unrotated_{name}", number, kind) in seen or turn(model, number, expected) is expected
                if turn(model, number, expected) is not expected:
                    assert_close(at(f"unrotated_{name}", number), expected)
                expected = turn(model, number, expected)
            assert_close(at(name, number), expected.repeat_interleave(4 // expected.shape[1], 1))
        rule = attention.rule
        scores = at("queries", number) @ at("keys", number).mT / rule.divisor**0.5
        assert_close(at("scaled", number), scores)
        scores = rule.cap * torch.tanh(scores / rule.cap) if rule.cap else scores
        assert_close(at("scores", number), scores + (at("bias", number) if family == "mpnet" else 0))
        distances = torch.arange(ids.shape[1])[:, None] - torch.arange(ids.shape[1])
        hidden = (distances < 0) | (distances >= (rule.sliding_window or 99))
        scores = at("scores", number).masked_fill(hidden, -math.inf) if kind == "causal" else at("scores", number)
        assert_close(at("weights", number), scores.softmax(-1))
        assert_close(at("context", number), at("weights", number) @ at("values", number))
        biases = 0 if attention.output.bias is None else attention.output.bias
        assert_close(at("head_outputs", number).sum(1) + biases, at("attention_output", number))
        if attention.output_norm:
            assert_close(at("attention_normed", number), attention.output_norm(at("attention_output", number)))
        added = at("attention_normed" if attention.output_norm else "attention_output", number)
        if not anatomy.parallel:
            assert_close(at("residual_middle", number), x + added if pre else attention.norm(x + added))
        middle = x if anatomy.parallel else at("residual_middle", number)
        norm = feedforward.norm or (attention.norm if anatomy.parallel else None)  # Phi normalises once
        read = normed(norm, middle) if pre else middle
        assert_close(at("feedforward_input", number), read)
        assert_close(at("feedforward_hidden", number), feedforward.hidden(read))
        if feedforward.gate:
            assert_close(at("feedforward_gate", number), feedforward.gate(read))
            activate = {"silu": nn.functional.silu, "gelu_tanh": partial(nn.functional.gelu, approximate="tanh")}
            gate = activate[anatomy.activation](at("feedforward_gate", number))
            assert_close(at("feedforward_activated", number), gate * at("feedforward_hidden", number))
        assert_close(at("feedforward_output", number), feedforward.output(at("feedforward_activated", number)))
        if feedforward.output_norm:
            assert_close(at("feedforward_normed", number), feedforward.output_norm(at("feedforward_output", number)))
        total = middle + at("feedforward_normed" if feedforward.output_norm else "feedforward_output", number)
        total = total + added if anatomy.parallel else total
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
    logits = anatomy.classifier(x)
    if anatomy.logit_cap:
        assert_close(at("uncapped")[:, 0], logits)
        logits = anatomy.logit_cap * torch.tanh(logits / anatomy.logit_cap)
    assert_close(at("logits"), logits)
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
    for point in (point for point in outside + inside if point in seen):
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
