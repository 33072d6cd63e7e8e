"""Where a training runs: device, precision and processes, by Lightning Fabric."""

from __future__ import annotations

import atexit
import gc
import logging
import os
from typing import TYPE_CHECKING

import torch

from viz_core.jobs.processes import machine_memory, resident
from viz_core.recipes import Precision
from viz_core.records import Failure

if TYPE_CHECKING:
    from lightning_fabric import Fabric

logging.getLogger("lightning_fabric").setLevel(logging.WARNING)  # else it announces its choices among our own lines


def start_fabric(device: str | None = None, wanted: Precision = "auto") -> Fabric:
    """Fabric on one device (`cpu`, `cuda`, `cuda:1`, `mps`; the best there is unless named), or, where `torchrun` or
    `fabric run` has started several processes, on one device per process. wanted: precision of the products. Raises Failure
    where the device cannot be used.
    """
    from lightning_fabric import Fabric  # brings torch's compiler along: a second that only a training should wait

    chosen = usable_device(device or best_device())
    processes = int(os.environ.get("LOCAL_WORLD_SIZE", 1))  # torchrun's words: on this machine, and in all
    in_all = int(os.environ.get("WORLD_SIZE", 1))
    one = [chosen.index] if chosen.index is not None and chosen.type == "cuda" else 1
    fabric = Fabric(
        accelerator=chosen.type,
        devices=processes if in_all > 1 else one,
        num_nodes=in_all // processes,
        strategy="ddp" if in_all > 1 else "auto",
        precision=precision(chosen.type, wanted),
    )
    fabric.launch()
    if in_all > 1:
        atexit.register(_leave_group)
    return fabric


def _leave_group() -> None:
    """Waits for the threads that exchange tensors. One that gives back a tensor of Python's while the interpreter is being
    taken down aborts the process; Fabric sees to that for NCCL alone (https://github.com/pytorch/pytorch/pull/179291)."""
    if torch.distributed.is_initialized():
        gc.collect()  # a model that only a cycle keeps would keep the group, and its threads
        torch.distributed.destroy_process_group()


def available_devices() -> tuple[str, ...]:
    """The devices of this machine, the fastest first."""
    gpus = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    return (*gpus, *(["mps"] if torch.backends.mps.is_available() else []), "cpu")


def best_device() -> str:
    """CUDA where there is one, then Apple's MPS, then the CPU."""
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def precision(device: str, wanted: Precision = "auto") -> str:
    """What was wanted, in Fabric's words; of itself bf16 where a GPU multiplies it, else 32 bits. Weights, optimiser and
    sums stay in 32 bits either way.

    Not of itself on CPUs, where a result should not depend on who made the processor: a step in bf16 took 1.08 (IMDB's
    preset) and 0.94 times (AFQMC's) that in 32 bits with AVX512-BF16 (AMD EPYC 9004), 0.94 and 0.75 times with AMX (Intel
    Xeon), 0.58 at width 256. Not on MPS: nobody has measured it.
    """
    if wanted != "auto":
        return {"32": "32-true", "bf16": "bf16-mixed"}[wanted]
    native = device == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    return "bf16-mixed" if native else "32-true"


def device_name(fabric: Fabric) -> str:
    """What the training runs on, for the card: `cuda (NVIDIA H200), 2 processes`."""
    kind = fabric.device.type
    name = {"cpu": f"cpu, {torch.get_num_threads()} threads"}.get(kind, kind)
    if kind == "cuda":
        name = f"cuda ({torch.cuda.get_device_name(fabric.device)})"
    return name if fabric.world_size == 1 else f"{name}, {fabric.world_size} processes"


def memory_used(device: torch.device) -> int:
    """Bytes: the most that was allocated on a GPU, what the process takes elsewhere."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    return torch.mps.driver_allocated_memory() if device.type == "mps" else resident()


def memory_of(device: torch.device) -> int:
    """Bytes of memory that a device has in all."""
    return torch.cuda.mem_get_info(device)[1] if device.type == "cuda" else machine_memory()


def usable_device(device: str) -> torch.device:
    """Raises Failure where it cannot be used."""
    try:
        chosen = torch.device(device)
        torch.empty(1, device=chosen)
    except (RuntimeError, AssertionError) as error:  # AssertionError: torch was built without CUDA
        raise Failure("training.bad_device", device=device, reason=str(error).splitlines()[0].rstrip(".")) from error
    return chosen
