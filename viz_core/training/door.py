"""The single entry to training for pages and command line: devices, estimates, runs, saved models."""

import functools
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from viz_core.folders import CODE
from viz_core.jobs import runs
from viz_core.jobs.executors import chosen_executor
from viz_core.jobs.limits import Limits
from viz_core.jobs.processes import machine_memory
from viz_core.jobs.runs import Run
from viz_core.records import Failure, Message
from viz_core.tasks import get_task
from viz_core.training import devices as hardware
from viz_core.training import estimate as estimates
from viz_core.training.devices import Device
from viz_core.training.estimate import Estimate
from viz_core.training.importing import MOST_MEGABYTES, import_model
from viz_core.training.own_tasks import delete_task, runs_of, tidy_own_tasks
from viz_core.training.own_verdict import Verdict, verdict
from viz_core.training.saved_models import (
    SavedModel,
    delete_model,
    free_name,
    model_folder,
    restore_models,
    save_model,
    saved_models,
)
from viz_core.training.settings import MAX_PINNED, MAX_PINNED_CHARACTERS, TrainingSettings
from viz_core.training.snapshots import read_snapshot, snapshot_evaluations
from viz_core.training.starting import typical_start

_INSPECT = ("-m", "viz_core.training.devices")
# Bytes of a training process besides its model: measured 0.6 GB on a CPU; with CUDA's libraries on the host, a guess.
_LIBRARIES, _LIBRARIES_CUDA = 700_000_000, 4_000_000_000
_INSPECT_TIMEOUT = 120  # seconds to wait for the inspection: a GPU whose driver hangs never answers


def submit(settings: TrainingSettings, device: str | None, owner: str, limits: Limits | None = None) -> Run:
    """Queue a training for a device, by default the best one.

    Args:
        settings: What to train.
        device: Name of the device.
        owner: The `owner_hash` of the visitor.
        limits: By default those of the environment.

    Raises:
        Failure: If the device cannot be used, the corpus is not available or a limit is reached.
    """
    return submit_together([settings], device, owner, limits)[0]


def submit_together(
    trainings: Sequence[TrainingSettings],
    device: str | None,
    owner: str,
    limits: Limits | None = None,
    experiment: str | None = None,
) -> list[Run]:
    """Queue several trainings on the same corpus, or none of them; they count as one.

    Args:
        trainings: What to train.
        device: As for `submit`.
        owner: As for `submit`.
        limits: As for `submit`.
        experiment: A name that they share.

    Raises:
        Failure: As for `submit`.
    """
    device = device or best_device()
    _find_device(device)
    for settings in trainings:
        settings.training()  # raises a Failure if they do not fit what they start from
    task = get_task(trainings[0].task)
    if trainings[0].data == "full" and not task.find_corpus():
        task.read("train")  # raises a Failure that says what to do
    requests = [
        runs.Request(
            "train",
            settings.name or settings.preset,
            device=device,
            owner=owner,
            settings=settings.to_request(),
            experiment=experiment,
            memory=_expected_memory(settings, device),
        )
        for settings in trainings
    ]
    return runs.submit_together(requests, limits)


def _expected_memory(settings: TrainingSettings, device: str) -> int | None:
    """Bytes that the process of a training takes, for an executor that shares computers between runs.

    None if nobody asks, or nothing is known of the corpus. On a GPU, what is beside its own memory
    does not depend on the model.
    """
    if not chosen_executor().has_queue:
        return None
    if device.startswith("cuda"):
        return _LIBRARIES_CUDA
    training = settings.training()
    with suppress(Failure):
        size = estimates.expected_corpus_size(training)
        return _LIBRARIES + estimates.requirements(training, size, device, sys.maxsize).memory_bytes
    return None


def requirements(settings: TrainingSettings, device: str | None = None) -> Estimate:
    """Estimate parameters and memory, without measuring anything.

    Raises:
        Failure: If the device is too small or unusable, or nothing is known of the corpus.
    """
    training, found = settings.training(), _find_device(device or best_device())
    available = found.memory_total or sys.maxsize
    return estimates.requirements(training, estimates.expected_corpus_size(training), found.name, available)


def estimate(settings: TrainingSettings, device: str | None = None) -> Estimate:
    """Estimate parameters, memory and time, by timing a few steps.

    It opens the device: a server runs it in a process of its own.

    Raises:
        Failure: As for `requirements`, and if other processes leave too little memory.
    """
    return estimates.estimate(replace(settings, device=device).training())


@functools.cache
def devices() -> tuple[Device, ...]:
    """The devices of this machine, the fastest first.

    Another process inspects the GPUs, so that this one opens none.
    """
    names = hardware.available_devices()
    if names == ("cpu",):
        return tuple(hardware.inspect_devices())
    try:
        process = subprocess.run(
            [sys.executable, *_INSPECT], cwd=CODE, capture_output=True, text=True, check=True, timeout=_INSPECT_TIMEOUT
        )
        return tuple(Device(**values) for values in json.loads(process.stdout))
    except (OSError, ValueError, TypeError, subprocess.SubprocessError) as error:
        gpus = (Device(name, problem=_reason(error)) for name in names[:-1])
        return (*gpus, Device("cpu", machine_memory(), machine_memory()))


def _reason(error: Exception) -> str:
    """Why no device could be inspected, without the command that should have done it."""
    if isinstance(error, subprocess.TimeoutExpired):
        return f"no response within {_INSPECT_TIMEOUT} seconds"
    if isinstance(error, subprocess.CalledProcessError):
        lines = (error.stderr or "").strip().splitlines()
        return lines[-1].rstrip(".") if lines else f"exit code {error.returncode}"
    return str(error)


def inspect_devices_again() -> None:
    """Forget what `devices` knows: a GPU without free memory may have some now."""
    devices.cache_clear()


def best_device() -> str:
    """The first GPU that computes, else the CPU."""
    return next(device.name for device in devices() if not device.problem and device.name != "mps")


def skipped_devices(used: str) -> list[Message]:
    """Say of each device that cannot be used why, and which one is used instead."""
    return [
        Message("training.device_skipped", {"device": device.name, "reason": device.problem, "used": used})
        for device in devices()
        if device.problem
    ]


def _find_device(name: str) -> Device:
    """The device of this name.

    Raises:
        Failure: If there is none, or it cannot compute.
    """
    full_name = "cuda:0" if name == "cuda" else name
    device = next((device for device in devices() if device.name == full_name), None)
    if device is None and full_name.startswith("cuda:") and chosen_executor().has_queue:
        return Device(full_name)  # of a cluster, where nobody can look from here
    if device is None:
        known = ", ".join(device.name for device in devices())
        raise Failure("training.no_device", device=name, known=known)
    if device.problem:
        raise Failure("training.bad_device", device=name, reason=device.problem)
    return device


def machine_is_busy() -> bool:
    """Whether other programs keep every core busy, so that a training would get about half the time.

    That is, whether the load of the last minute is at least the number of cores. False where the
    system does not report the load (Windows).
    """
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):
        return False
    return load >= (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
