"""Which device, which precision, and what happens if a device cannot be used."""

import pytest
import torch
from torch import nn

from tests.training.tiny import RecordingCallback, train_tiny
from viz_core.records import Failure
from viz_core.training import devices
from viz_core.training.batches import Batch
from viz_core.training.devices import (
    available_devices,
    best_device,
    check_device,
    free_memory,
    inspect_devices,
    memory_used,
    precision,
    start_fabric,
    total_memory,
)

GPUS = ("cuda:0", "cuda:1", "cpu")


class TensorWithoutKernels:
    """A tensor that could be allocated, on a device for which this build of torch has no kernels."""

    def __matmul__(self, other: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("CUDA error: no kernel image is available.\nCompile with `TORCH_USE_CUDA_DSA`.")


@pytest.fixture
def two_gpus(monkeypatch):
    """Two GPUs that can allocate; only the second one has kernels and 3 GB, 2 GB of them free."""
    ones = torch.ones

    def allocate(*shape: int, device: torch.device) -> object:
        return TensorWithoutKernels() if str(device) == "cuda:0" else ones(*shape)

    monkeypatch.setattr(devices, "available_devices", lambda: GPUS)
    monkeypatch.setattr(torch, "ones", allocate)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (2 * 10**9, 3 * 10**9))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: 500)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: 200)


@pytest.fixture
def check_calls(monkeypatch) -> list[str]:
    """The devices that `check_device` is called with; it refuses all of them."""
    names = []

    def refuse(name: str) -> torch.device:
        names.append(name)
        raise Failure("training.bad_device", device=name, reason="recorded only")

    monkeypatch.setattr(devices, "check_device", refuse)
    return names


@pytest.mark.parametrize(
    "gpus, mps, names", [(2, False, GPUS), (1, True, ("cuda:0", "mps", "cpu")), (0, False, ("cpu",))]
)
def test_gpus_come_before_mps_and_mps_before_the_cpu(monkeypatch, gpus, mps, names):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert available_devices() == names


def test_the_best_device_is_never_mps(monkeypatch, check_calls):
    monkeypatch.setattr(devices, "available_devices", lambda: ("mps", "cpu"))
    assert best_device() == "cpu" and not check_calls


def test_the_best_device_is_the_first_gpu_that_computes(two_gpus, caplog):
    assert best_device() == "cuda:1"
    assert caplog.messages == [
        "cuda:0 cannot be used: CUDA error: no kernel image is available. Taking the next device."
    ]


def test_a_gpu_that_allocates_but_does_not_compute_is_a_failure(two_gpus):
    assert check_device("cuda:1") == torch.device("cuda:1")
    with pytest.raises(Failure) as failure:
        check_device("cuda:0")
    message = failure.value.message
    assert (message.key, message.values["reason"]) == (
        "training.bad_device",
        "CUDA error: no kernel image is available",
    )


def test_inspection_tells_memory_or_the_problem_of_each_device(two_gpus):
    broken, working, cpu = inspect_devices()
    assert (broken.name, broken.problem) == ("cuda:0", "CUDA error: no kernel image is available")
    assert (working.problem, working.memory_total) == ("", 3 * 10**9)
    assert working.memory_free == 2 * 10**9 + 300, "what torch has reserved and does not use is free"
    assert cpu.memory_total == cpu.memory_free > 0 and not cpu.problem


@pytest.mark.parametrize("measure", [free_memory, total_memory])
def test_a_gpu_that_does_not_tell_its_memory_is_a_failure(two_gpus, monkeypatch, measure):
    def fail(device: torch.device) -> tuple[int, int]:
        raise RuntimeError("CUDA error: unspecified launch failure\nmore lines")

    monkeypatch.setattr(torch.cuda, "mem_get_info", fail)
    with pytest.raises(Failure) as failure:
        measure(torch.device("cuda:1"))
    assert failure.value.message.key == "training.bad_device"
    assert failure.value.message.values == {"device": "cuda:1", "reason": "CUDA error: unspecified launch failure"}


@pytest.mark.parametrize(
    "device, native, expected",
    [("cuda", True, "bf16-mixed"), ("cuda", False, "32-true"), ("cpu", True, "32-true"), ("mps", True, "32-true")],
)
def test_bf16_is_the_default_only_on_gpus_with_bf16_units(monkeypatch, device, native, expected):
    calls = []
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **options: calls.append(options) or native)
    assert precision(device) == expected
    assert calls in ([], [{"including_emulation": False}])


@pytest.mark.parametrize("device", ["cuda", "cpu", "mps"])
@pytest.mark.parametrize("requested, expected", [("32", "32-true"), ("bf16", "bf16-mixed")])
def test_a_requested_precision_is_used(device, requested, expected):
    assert precision(device, requested) == expected


def test_a_training_in_bf16_comes_close_to_one_in_32_bits(tmp_path):
    """Only the precision of the products differs: weights and figures are still in 32 bits."""
    curves = {}
    for bits in ("32", "bf16"):
        callback = RecordingCallback()
        trainer, _ = train_tiny(tmp_path / bits, callback, "afqmc", pretrain_epochs=1, epochs=1, precision=bits)
        curves[bits] = [figures["loss"] for figures in callback.figures]
        assert all(weight.dtype == torch.float32 for weight in trainer.setup.model.parameters())
    assert curves["bf16"] == pytest.approx(curves["32"], rel=0.01) and curves["bf16"] != curves["32"]


def test_in_mixed_precision_targets_and_counts_reach_the_objective_in_32_bits():
    """In bf16 0.9987 would be 1, and 257 would be 256."""
    weights, ids = nn.Linear(2, 2), torch.ones(1, 2, dtype=torch.int64)
    batch = Batch(ids, ids, ids > 0, ids[0, :1], torch.tensor([257.0]), torch.tensor([[0.9987, 0.0013]]))
    received = []

    class Objective(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weights = weights

        def forward(self, batch: Batch) -> torch.Tensor:
            received.append(batch)
            return self.weights(batch.targets)

    fabric = start_fabric("cpu", "bf16")
    module, _ = fabric.setup(Objective(), torch.optim.SGD(weights.parameters()))
    module(batch)
    assert torch.is_autocast_enabled("cpu") is False and fabric._precision.precision == "bf16-mixed"
    assert received[0].targets.dtype == received[0].counts.dtype == torch.float32
    assert received[0].targets.tolist() == batch.targets.tolist() and received[0].counts.item() == 257


def test_fabric_uses_the_named_device():
    fabric = start_fabric("cpu")
    assert (fabric.device, fabric.world_size) == (torch.device("cpu"), 1)
    assert total_memory(fabric.device) > memory_used(fabric.device) > 0


@pytest.mark.parametrize("device", ["abacus", "cuda:99", "cpu:x"])
def test_a_device_that_cannot_be_used_is_named(device):
    with pytest.raises(Failure) as failure:
        start_fabric(device)
    assert (failure.value.message.key, failure.value.message.values["device"]) == ("training.bad_device", device)


def test_slurm_tasks_without_torchrun_are_refused(monkeypatch):
    """Each would otherwise train the whole model by itself, in the same folder."""
    monkeypatch.setenv("SLURM_NTASKS", "4")
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with pytest.raises(Failure) as failure:
        start_fabric("cpu")
    assert (failure.value.message.key, failure.value.message.values) == ("training.slurm", {"tasks": 4})


@pytest.mark.parametrize("device", [None, "cuda", "cuda:0"])
def test_each_process_opens_only_its_own_gpu(monkeypatch, check_calls, device):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    for name, value in {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "LOCAL_RANK": "1"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(Failure):
        start_fabric(device)
    assert check_calls == ["cuda:1"]
