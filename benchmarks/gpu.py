"""An epoch on a GPU, if there is one: seconds, and the fraction of the GPU's peak throughput."""

import gc
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter

import numpy as np
import torch

from benchmarks.recipes import NoCallback
from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Encoder
from viz_core.recipes import Recipe
from viz_core.records import Examples
from viz_core.training.batches import Batch, DeviceExamples, epoch_rows, steps
from viz_core.training.building import optimiser_for, parameter_groups
from viz_core.training.devices import precision, start_fabric
from viz_core.training.loop import LoopState, Plan, fit
from viz_core.training.objectives import classification

# Rows of an epoch (without validation IMDB has fewer than 25,000: some repeat), and its target in seconds.
ROWS = {"imdb": 25_000, "afqmc": 30_885}
SECONDS = {"imdb": 3.0, "afqmc": 1.0}
BATCHES = (32, 256)  # the courses' batch size, and a larger one, to which the targets apply
_EPOCHS = 4
# TFLOP/s in bf16 for dense matrices, from NVIDIA's data sheets (which print twice as much for sparse ones). The first
# entry applies whose words are all in the GPU's name.
PEAKS = {"H200": 989, "H100 PCIe": 756, "H100 NVL": 835, "H100": 989, "A100": 312, "L40S": 362, "L4": 121, "A10": 125}


@dataclass(frozen=True)
class Epoch:
    """first: seconds of the first epoch, in which kernels are loaded and graphs recorded. seconds: median of the
    others. memory: bytes reserved at most. peak: fraction of the GPU's peak throughput; None in 32 bits or if it is
    unknown."""

    task: str
    gpu: str
    precision: str
    batch: int
    first: float
    seconds: float
    tokens: int
    memory: int
    peak: float | None


def epochs(task: str, config: EncoderConfig, recipe: Recipe, examples: Examples) -> list[Epoch]:
    """Measures an epoch per batch size; none without a GPU."""
    if not torch.cuda.is_available():
        return []
    rows = examples.at(np.resize(np.arange(len(examples)), ROWS[task]))
    return [_epoch(task, config, replace(recipe, batch=batch), rows) for batch in BATCHES]


def operations(config: EncoderConfig, lengths: np.ndarray) -> float:
    """Operations of a training step on rows of these lengths, padding excluded: six per weight and token, plus the
    products of attention (Kaplan et al. 2020, section 2.1; Chowdhery et al. 2022, appendix B)."""
    D, F, lengths = config.width, config.feedforward, lengths.astype(float)
    return config.layers * (6 * (4 * D * D + 2 * D * F) * lengths.sum() + 12 * D * (lengths**2).sum())


def peak(name: str) -> float | None:
    """Operations per second in bf16 of a GPU by its name; None if unknown."""
    words = set(re.split(r"[\s-]+", name))
    return next((value * 1e12 for gpu, value in PEAKS.items() if words.issuperset(gpu.split())), None)


class _Clock(NoCallback):
    """A LoopCallback that notes the time after every epoch."""

    def __init__(self) -> None:
        self.times = [perf_counter()]

    def evaluate(self, state: LoopState, lr_factor: float) -> bool:
        self.times.append(perf_counter())  # the sums of the epoch have been read: the GPU has finished
        return False


def _epoch(task: str, config: EncoderConfig, recipe: Recipe, examples: Examples) -> Epoch:
    fabric = start_fabric("cuda")
    gc.collect()  # graphs of the measurement before
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    encoder = fabric.to_device(Encoder(config))
    objective = fabric.to_device(classification(encoder, recipe, examples.labels))
    optimiser = optimiser_for(parameter_groups(encoder, recipe), recipe)
    on_device = DeviceExamples(examples, fabric.device, config.max_tokens)
    plan = Plan(_EPOCHS, steps(len(examples), recipe.batch), recipe.warmup, recipe.schedule, recipe.clip)

    def batches(epoch: int, start: int) -> Iterable[Batch]:
        return on_device.batches(epoch_rows(examples, recipe.batch, recipe.seed, epoch)[start:], 0, 1)

    torch.cuda.synchronize()
    clock = _Clock()
    fit(fabric, objective, optimiser, plan, batches, LoopState(), clock)
    first, *others = np.diff(clock.times)
    seconds = float(median(others))
    name, precision_name = torch.cuda.get_device_name(fabric.device), precision("cuda")
    gpu_peak = peak(name) if precision_name == "bf16-mixed" else None
    share = gpu_peak and operations(config, examples.lengths) / seconds / gpu_peak
    memory = torch.cuda.max_memory_reserved()
    tokens = int(examples.lengths.sum())
    return Epoch(task, name, precision_name, recipe.batch, float(first), seconds, tokens, memory, share)
