"""Path patching: what follows from its definition, and small models worked out step by step."""

import numpy as np
import pytest
import torch

from tests.analysis.test_patching import EVERY, MODELS, checkpoint, pair
from viz_core.analysis.explain import input_tensors
from viz_core.analysis.patching.paths import trace_paths
from viz_core.models.protocol import HookPoint
from viz_core.models.recording import record, replacing
from viz_core.records import HEAD_INPUTS, Failure


@pytest.mark.parametrize(
    "model", [*MODELS.values(), checkpoint(layers=3), checkpoint(layers=3, norm="post")], ids=lambda model: model.name
)
def test_a_path_is_what_hooks_by_hand_give(model):
    """From head 1.2 to the keys of a head of the last layer; attention between them is held."""
    found, kind, last = pair(model), model.model.attention_kinds[0], model.model.config.layers - 1
    source, target = (input_tensors(encoding) for encoding in (found.source, found.target))
    sent, read = HookPoint("context", 0, kind), HookPoint("keys", last, kind)
    between = [HookPoint("attention_output", layer, kind) for layer in range(1, last)]
    other, own = (record(model.model, tensors, {sent, read, *between}) for tensors in (source, target))
    context, keys = own[sent].clone(), own[read].clone()
    for old, new in found.positions:
        context[0, 1, new] = other[sent][0, 1, old]
    hook = replacing({sent: context} | {point: own[point] for point in between})
    keys[0, 0] = record(model.model, target, {read}, hook)[read][0, 0]
    with torch.no_grad():
        logits = model.model(*target, hook=replacing({read: keys})).logits[0].double()
    expected = found.effects(np.array(float(logits[found.logits[0]] - logits[found.logits[1]])))
    effect = trace_paths(model, found, (0, 1)).effects[HEAD_INPUTS.index("keys"), last, 0]
    assert effect == pytest.approx(float(expected), abs=1e-5)


@EVERY
def test_a_head_that_writes_nothing_feeds_nothing(model):
    width = model.model.config.width // model.model.config.heads
    weight = model.model.output_projections[model.model.attention_kinds[0]][0]
    kept = weight.detach().clone()
    with torch.no_grad():
        weight[:, width : 2 * width] = 0
    try:
        np.testing.assert_allclose(trace_paths(model, pair(model), (0, 1)).effects[:, 1:], 0, atol=1e-5)
    finally:
        with torch.no_grad():
            weight.copy_(kept)


def test_layers_up_to_the_sender_have_no_number_and_passes_are_counted():
    model, passes = MODELS["pre-norm"], []
    effects = trace_paths(model, pair(model), (0, 0), passes.append).effects
    config = model.model.config
    assert effects.shape == (3, config.layers, config.heads) and passes == [0]
    assert np.isnan(effects[:, 0]).all() and np.isfinite(effects[:, 1:]).all()


def test_a_head_of_the_last_layer_has_nobody_to_feed():
    model = MODELS["pre-norm"]
    with pytest.raises(Failure) as failure:
        trace_paths(model, pair(model), (model.model.config.layers - 1, 0))
    assert failure.value.message.key == "patching.no_later_layer"
