"""Which device, which precision."""

from __future__ import annotations

import pytest
import torch

from tests.training.tiny import RecordingCallback, train_tiny
from viz_core.records import Failure
from viz_core.training.devices import best_device, memory_of, memory_used, precision, start_fabric


@pytest.mark.parametrize("cuda, mps, best", [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")])
def test_cuda_comes_before_mps_and_mps_before_the_cpu(monkeypatch, cuda, mps, best):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert best_device() == best


@pytest.mark.parametrize(
    "device, native, chosen",
    [("cuda", True, "bf16-mixed"), ("cuda", False, "32-true"), ("cpu", True, "32-true"), ("mps", True, "32-true")],
)
def test_bf16_only_where_the_hardware_has_it_and_gains(monkeypatch, device, native, chosen):
    asked = []
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **how: asked.append(how) or native)
    assert precision(device) == chosen
    assert asked in ([], [{"including_emulation": False}])


@pytest.mark.parametrize("device", ["cuda", "cpu", "mps"])
@pytest.mark.parametrize("wanted, chosen", [("32", "32-true"), ("bf16", "bf16-mixed")])
def test_a_precision_that_is_asked_for_is_taken(device, wanted, chosen):
    assert precision(device, wanted) == chosen


def test_a_training_in_bf16_comes_close_to_one_in_32_bits(tmp_path):
    """Other products, the same settings; weights and figures still in 32 bits."""
    curves = {}
    for chosen in ("32", "bf16"):
        callback = RecordingCallback()
        trainer, _ = train_tiny(tmp_path / chosen, callback, "afqmc", pretrain_epochs=1, epochs=1, precision=chosen)
        curves[chosen] = [figures["loss"] for figures in callback.figures]
        assert all(weight.dtype == torch.float32 for weight in trainer.setup.model.parameters())
    assert curves["bf16"] == pytest.approx(curves["32"], rel=0.01) and curves["bf16"] != curves["32"]


def test_fabric_stands_on_the_device_that_was_named():
    fabric = start_fabric("cpu")
    assert (fabric.device, fabric.world_size) == (torch.device("cpu"), 1)
    assert memory_used(fabric.device) > 0 and memory_of(fabric.device) > memory_used(fabric.device)


@pytest.mark.parametrize("device", ["abacus", "cuda:99", "cpu:x"])
def test_a_device_that_cannot_be_used_is_named(device):
    with pytest.raises(Failure) as failure:
        start_fabric(device)
    assert (failure.value.message.key, failure.value.message.values["device"]) == ("training.bad_device", device)
