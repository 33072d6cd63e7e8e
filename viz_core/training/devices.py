"""Device, precision and processes of a training, through Lightning Fabric.

`python -m viz_core.training.devices` prints the devices of this machine as JSON. A page runs it as
a process of its own: examining a GPU opens a context on it, which takes half a gigabyte there until
the process ends.
"""

from __future__ import annotations

import atexit
import gc
import json
import logging
import os
import time
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

import torch

from viz_core.jobs.processes import machine_memory, resident_memory
from viz_core.recipes import Precision
from viz_core.records import Failure

if TYPE_CHECKING:
    from lightning_fabric import Fabric

# The other processes wait for the first one to evaluate. By default NCCL calls ten minutes of waiting a hang.
_LONGEST_WAIT = timedelta(days=1)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Device:
    """A device as it was when inspected.

    Attributes:
        memory_total: Bytes.
        memory_free: Bytes.
        startup: Seconds until its first result.
        problem: Why it cannot compute; empty if it can.
    """

    name: str
    memory_total: int = 0
    memory_free: int = 0
    startup: float = 0.0
    problem: str = ""


def start_fabric(device: str | None = None, requested: Precision = "auto") -> Fabric:
    """Start Fabric on a single device, or on a device per process.

    There are several processes if `torchrun` or `fabric run` has started them.

    Args:
        device: `cpu`, `cuda`, `cuda:1` or `mps`; by default the best one.
        requested: Precision of the matrix products.

    Raises:
        Failure: If the device cannot be used, or if SLURM has started several tasks without
            `torchrun`.
    """
    from lightning_fabric import Fabric  # a second for torch's compiler: only a training should wait
    from lightning_fabric.strategies import DDPStrategy

    logging.getLogger("lightning_fabric").setLevel(logging.WARNING)  # it would log its choices among our own lines
    world, local_world = (int(os.environ.get(name, 1)) for name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"))  # torchrun's
    tasks = int(os.environ.get("SLURM_NTASKS", 1))
    if world == 1 and tasks > 1:
        raise Failure("training.slurm", tasks=tasks)
    name = device or ("cuda" if world > 1 and torch.cuda.device_count() else best_device())
    if name == "cuda" or (world > 1 and name.startswith("cuda:")):  # each process its own: no context on another's GPU
        name = f"cuda:{os.environ.get('LOCAL_RANK', 0)}"
    checked = check_device(name)
    if checked.type == "cuda":
        torch.cuda.set_device(checked)
        # cuDNN's attention builds a plan for every new shape, and its gradients may be NaN with a mask
        # (https://github.com/pytorch/pytorch/issues/196678).
        torch.backends.cuda.enable_cudnn_sdp(False)
    fabric = Fabric(
        accelerator=checked.type,
        devices=local_world if world > 1 else [checked.index] if checked.type == "cuda" else 1,
        num_nodes=world // local_world,
        strategy=DDPStrategy(timeout=_LONGEST_WAIT) if world > 1 else "auto",
        precision=precision(checked.type, requested),
    )
    fabric.launch()
    if world > 1:
        atexit.register(_leave_group)
    return fabric


def _leave_group() -> None:
    """Wait for the threads that exchange tensors.

    A thread that frees a Python tensor during the interpreter's shutdown aborts the process. Fabric
    waits for NCCL only (https://github.com/pytorch/pytorch/pull/179291).
    """
    if torch.distributed.is_initialized():
        gc.collect()  # a model in a reference cycle would keep the group and its threads alive
        torch.distributed.destroy_process_group()


def available_devices() -> tuple[str, ...]:
    """The names of this machine's devices, usable or not, the fastest first. Opens no GPU."""
    gpus = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    return (*gpus, *(["mps"] if torch.backends.mps.is_available() else []), "cpu")


def best_device() -> str:
    """The first GPU that computes, else the CPU. Never Apple's MPS, on which no tests have been run."""
    for name in available_devices():
        if name.startswith("cuda"):
            try:
                check_device(name)
                return name
            except Failure as failure:
                _log.warning("%s cannot be used: %s. Taking the next device.", name, failure.message.values["reason"])
    return "cpu"


def check_device(name: str) -> torch.device:
    """Check that a device computes.

    Allocating is not enough: it also succeeds on a device that this build of torch has no kernels
    for.

    Raises:
        Failure: If the device cannot be used.
    """
    try:
        device = torch.device(name)
        (torch.ones(2, 2, device=device) @ torch.ones(2, 2, device=device)).sum().item()
    except (RuntimeError, AssertionError) as error:  # AssertionError: torch was built without CUDA
        raise Failure("training.bad_device", device=name, reason=str(error).splitlines()[0].rstrip(".")) from error
    return device


def inspect_devices() -> list[Device]:
    """All devices of this machine. Opens a context on each GPU."""
    return [_inspect(name) for name in available_devices()]


def _inspect(name: str) -> Device:
    start = time.perf_counter()
    try:
        device = check_device(name)
        startup = time.perf_counter() - start
        return Device(name, total_memory(device), free_memory(device), startup)
    except Failure as failure:
        return Device(name, problem=str(failure.message.values["reason"]))


def precision(device: str, requested: Precision = "auto") -> Literal["32-true", "bf16-mixed"]:
    """The requested precision in Fabric's words; by default bf16 on GPUs with bf16 units, else 32 bits.

    Weights, optimiser and sums stay in 32 bits either way.

    CPUs default to 32 bits, because a result should not depend on the processor. Relative to 32
    bits, a step in bf16 took 1.08 (IMDB's preset) and 0.94 (AFQMC's) times as long with AVX512-BF16
    (AMD EPYC 9004). With AMX (Intel Xeon) it took 0.94 and 0.75 times as long, 0.58 at width 256.
    MPS defaults to 32 bits because nobody has measured it.
    """
    native = device == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    return "bf16-mixed" if requested == "bf16" or (requested == "auto" and native) else "32-true"


def device_name(fabric: Fabric) -> str:
    """The device of a training, for the model card: `cuda (NVIDIA H200), 2 processes`."""
    kind = fabric.device.type
    name = {"cpu": f"cpu, {torch.get_num_threads()} threads"}.get(kind, kind)
    if kind == "cuda":
        name = f"cuda ({torch.cuda.get_device_name(fabric.device)})"
    return name if fabric.world_size == 1 else f"{name}, {fabric.world_size} processes"


def memory_used(device: torch.device) -> int:
    """Bytes in use: the peak allocation on a GPU, elsewhere the memory of the process."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    return torch.mps.driver_allocated_memory() if device.type == "mps" else resident_memory()


def total_memory(device: torch.device) -> int:
    """Total bytes of the device.

    Raises:
        Failure: If the GPU does not answer.
    """
    return _gpu_memory(device)[1] if device.type == "cuda" else machine_memory()


def free_memory(device: torch.device) -> int:
    """Bytes that a training may take.

    On a GPU that is what other processes leave, elsewhere all of the machine's memory.

    Raises:
        Failure: If the GPU does not answer.
    """
    if device.type != "cuda":
        return machine_memory()
    reserved = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return _gpu_memory(device)[0] + reserved


def _gpu_memory(device: torch.device) -> tuple[int, int]:
    """Free and total bytes."""
    try:
        return torch.cuda.mem_get_info(device)
    except RuntimeError as error:
        raise Failure("training.bad_device", device=str(device), reason=str(error).splitlines()[0]) from error


if __name__ == "__main__":
    print(json.dumps([asdict(device) for device in inspect_devices()]))
