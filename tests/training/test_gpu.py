"""The GPU against the CPU: the same numbers, no waits, no cuDNN attention. `make check-gpu`, where there is a GPU."""

import copy
import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from tests.tiny import config
from viz_core.models.encoder import Encoder
from viz_core.recipes import Recipe
from viz_core.records import Examples
from viz_core.training.batches import DeviceExamples, epoch_rows
from viz_core.training.building import optimiser_for, parameter_groups
from viz_core.training.devices import inspect_devices, start_fabric
from viz_core.training.gradients import GraphedGradients, build_gradients
from viz_core.training.objectives import MaskedTokens, classification

pytestmark = pytest.mark.gpu

SIZES = config(vocabulary=500, max_tokens=192, layers=2, heads=4, width=64, feedforward=128)
RECIPE = Recipe(batch=8)
OBJECTIVES = {
    "labels": (SIZES, RECIPE),
    "dropout": (replace(SIZES, dropout=0.1, attention_dropout=0.1), replace(RECIPE, word_dropout=0.1)),
    "stem, overlap, mean": (replace(SIZES, stem="convolution", overlap=True, pooling="mean"), RECIPE),
    "class weights": (SIZES, replace(RECIPE, class_weights=True, label_smoothing=0.1)),
    "R-Drop": (replace(SIZES, dropout=0.1), replace(RECIPE, r_drop=1.0)),
    "post-norm, sinusoidal": (replace(SIZES, norm="post", positions="sinusoidal"), RECIPE),
}


def examples(lengths: list[int], targets: bool = False) -> Examples:
    random = np.random.default_rng(0)
    probabilities = random.random((len(lengths), 1), np.float32)
    return Examples(
        [random.integers(4, 500, length).astype(np.int32) for length in lengths],
        [(np.arange(length) >= length // 2).astype(np.int8) for length in lengths],
        random.integers(0, 2, len(lengths)),
        np.hstack([probabilities, 1 - probabilities]) if targets else None,
    )


def build(name: str, device: str, seed: int = 0):
    """Fabric, objective and optimiser, the same on every device."""
    sizes, recipe = OBJECTIVES[name]
    torch.manual_seed(seed)
    model = Encoder(sizes)
    fabric = start_fabric(device, recipe.precision)
    objective = classification(fabric.to_device(model), recipe, np.array([0, 0, 1]))
    objective = fabric.to_device(objective).train()
    return fabric, *fabric.setup(objective, optimiser_for(parameter_groups(model, recipe), recipe))


def batches(rows: Examples, fabric, count: int = 1, **options) -> list:
    device = DeviceExamples(rows, fabric.device, SIZES.max_tokens)
    return list(device.batches([np.arange(len(rows))] * count, 0, 1, **options))


@pytest.mark.parametrize("name", [name for name, (sizes, _) in OBJECTIVES.items() if not sizes.dropout])
@pytest.mark.parametrize("longest", [64, 65, 192])
@pytest.mark.parametrize("targets", [False, True])
def test_losses_and_gradients_are_those_of_the_cpu(monkeypatch, name, longest, targets):
    monkeypatch.setitem(OBJECTIVES, name, (OBJECTIVES[name][0], replace(OBJECTIVES[name][1], precision="32")))
    rows, results = examples([longest, 17, 40, longest - 1], targets), {}
    for device in ("cpu", "cuda"):
        fabric, module, optimiser = build(name, device)
        (batch,) = batches(rows, fabric)
        assert device == "cpu" or batch.ids.shape[1] % 16 == 0
        totals, norm = build_gradients(fabric, module, optimiser, 0.0).compute(batch)
        results[device] = totals.cpu(), [parameter.grad.cpu() for parameter in module.parameters()]
    torch.testing.assert_close(results["cuda"][0], results["cpu"][0], rtol=1e-4, atol=1e-5)
    for computed, expected in zip(results["cuda"][1], results["cpu"][1], strict=True):
        torch.testing.assert_close(computed, expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", list(OBJECTIVES))
def test_graphs_compute_what_single_kernels_compute(name):
    """Six steps, dropout and all, from the same weights and random numbers; the first is never a graph."""
    rows, losses = examples([64, 17, 40, 63], targets=name != "class weights"), {}
    for graphed in (False, True):
        fabric, module, optimiser = build(name, "cuda")
        gradients = build_gradients(fabric, module, optimiser, 1.0)
        assert isinstance(gradients, GraphedGradients)
        if not graphed:
            gradients = super(GraphedGradients, gradients)
        torch.manual_seed(1)
        losses[graphed] = []
        for batch in batches(rows, fabric, 6):
            totals, norm = gradients.compute(batch)
            optimiser.step()
            losses[graphed].append([*totals.tolist(), norm.item()])
    np.testing.assert_allclose(losses[True], losses[False], rtol=2e-2, atol=1e-3)
    assert losses[True][0] != losses[True][1], "weights change"


@pytest.mark.parametrize("name", list(OBJECTIVES))
def test_a_step_waits_for_nothing(name):
    """Neither the first steps nor graphs, once there are any; recording a graph may."""
    fabric, module, optimiser = build(name, "cuda")
    gradients = build_gradients(fabric, module, optimiser, 1.0)
    prepared = batches(examples([64, 17, 40, 63]), fabric, 8)
    for batch in prepared[:2]:
        gradients.compute(batch)
        optimiser.step()
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        for batch in prepared[2:]:
            gradients.compute(batch)
            optimiser.step()
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_gathering_a_batch_waits_for_nothing():
    device = DeviceExamples(examples([64, 17, 40, 63] * 4), torch.device("cuda"), SIZES.max_tokens)
    rows = [np.arange(8), np.arange(8, 16)]
    list(device.batches(rows, 0, 1, candidates=True))
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        assert len(list(device.batches(rows, 0, 1, candidates=True))) == 2
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_masked_tokens_wait_once_in_a_step():
    fabric = start_fabric("cuda")
    objective = fabric.to_device(MaskedTokens(fabric.to_device(Encoder(SIZES))))
    module, optimiser = fabric.setup(objective, torch.optim.AdamW(objective.parameters(), fused=True))
    gradients = build_gradients(fabric, module, optimiser, 1.0)
    prepared = batches(examples([64, 17, 40, 63]), fabric, 3, candidates=True)
    gradients.compute(prepared[0])
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("warn")
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            gradients.compute(prepared[1])
            optimiser.step()
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert len([warning for warning in caught if "synchronizing" in str(warning.message)]) == 1


def test_random_numbers_and_gradients_survive_the_recording_of_a_graph():
    fabric, module, optimiser = build("dropout", "cuda")
    gradients = build_gradients(fabric, module, optimiser, 1.0)
    first, second = batches(examples([64, 17]), fabric, 2)
    gradients.compute(first)
    before = copy.deepcopy(module.state_dict())
    state = torch.cuda.get_rng_state()
    gradients.compute(second)
    assert not torch.equal(torch.cuda.get_rng_state(), state), "the replay has drawn its numbers"
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())


def test_attention_is_not_cudnns():
    fabric, module, optimiser = build("labels", "cuda")
    (batch,) = batches(examples([64, 17, 40, 63]), fabric)
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        build_gradients(fabric, module, optimiser, 1.0).compute(batch)
        torch.cuda.synchronize()
    kernels = [event.key for event in profiler.key_averages()]
    assert any("fmha" in kernel or "flash" in kernel for kernel in kernels)
    assert not [kernel for kernel in kernels if "cudnn" in kernel.lower() and "sdpa" in kernel.lower()]


def test_an_epoch_learns_with_graphs_of_several_shapes():
    """Rows whose first token says their class: learned within a few epochs, last batches included."""
    random = np.random.default_rng(1)
    labels = random.integers(0, 2, 61)
    rows = Examples(
        [np.array([2, 10 + label, *random.integers(20, 500, random.integers(3, 60))], np.int32) for label in labels],
        [],
        labels,
    )
    rows = replace(rows, segments=[np.zeros(len(row), np.int8) for row in rows.ids])
    fabric, module, optimiser = build("labels", "cuda")
    gradients = build_gradients(fabric, module, optimiser, 1.0)
    device, accuracy = DeviceExamples(rows, fabric.device, SIZES.max_tokens), []
    for epoch in range(12):
        sums = torch.zeros(4, device="cuda")
        for batch in device.batches(epoch_rows(rows, 8, 0, epoch), 0, 1):
            totals, _ = gradients.compute(batch)
            optimiser.step()
            sums += totals
        accuracy.append((sums[2] / sums[3]).item())
    assert accuracy[-1] > 0.95 > accuracy[0]


def test_the_gpu_is_found_and_computes():
    gpu = inspect_devices()[0]
    assert gpu.name == "cuda:0" and not gpu.problem
    assert 0 < gpu.memory_free <= gpu.memory_total and gpu.startup > 0
