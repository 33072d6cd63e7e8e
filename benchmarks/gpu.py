"""An epoch of IMDB on a GPU, if there is one: seconds, and the fraction of the GPU's peak throughput."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
import torch

from benchmarks.recipes import engine
from viz_core.models.config import EncoderConfig
from viz_core.recipes import Recipe
from viz_core.records import Examples
from viz_core.training.batches import epoch_rows
from viz_core.training.devices import precision, start_fabric

REVIEWS, SECONDS = 25_000, 5.0  # target: an epoch of 25,000 reviews in 5 seconds
BATCHES = (32, 256)  # the courses' batch size, and a larger one, to which the target applies
# TFLOP/s in bf16 for dense matrices, from NVIDIA's data sheets (which print twice as much for sparse ones). The first
# entry applies whose words are all in the GPU's name.
PEAKS = {"H200": 989, "H100 PCIe": 756, "H100 NVL": 835, "H100": 989, "A100": 312, "L40S": 362, "L4": 121, "A10": 125}


@dataclass(frozen=True)
class Epoch:
    """peak: fraction of the GPU's peak throughput; None in 32 bits or if the peak is unknown."""

    gpu: str
    precision: str
    batch: int
    seconds: float
    tokens: int
    peak: float | None


def epochs(config: EncoderConfig, recipe: Recipe, examples: Examples) -> list[Epoch]:
    """Measures an epoch per batch size; none without a GPU. The first epoch warms up, the second counts."""
    if not torch.cuda.is_available():
        return []
    rows = np.resize(np.arange(len(examples)), REVIEWS)  # without validation there are fewer than 25,000: some repeat
    reviews = examples.at(rows)
    return [_epoch(config, replace(recipe, batch=batch), reviews) for batch in BATCHES]


def operations(config: EncoderConfig, lengths: np.ndarray) -> float:
    """Operations of a training step on rows of these lengths, padding excluded: six per weight and token, plus the
    products of attention (Kaplan et al. 2020, section 2.1; Chowdhery et al. 2022, appendix B)."""
    D, F, lengths = config.width, config.feedforward, lengths.astype(float)
    return config.layers * (6 * (4 * D * D + 2 * D * F) * lengths.sum() + 12 * D * (lengths**2).sum())


def peak(name: str) -> float | None:
    """Operations per second in bf16 of a GPU by its name; None if unknown."""
    words = set(re.split(r"[\s-]+", name))
    return next((value * 1e12 for gpu, value in PEAKS.items() if words.issuperset(gpu.split())), None)


def _epoch(config: EncoderConfig, recipe: Recipe, reviews: Examples) -> Epoch:
    fabric = start_fabric("cuda")
    run = engine(fabric, config, recipe, reviews)
    name, precision_name = torch.cuda.get_device_name(fabric.device), precision("cuda")
    for number in range(2):
        start = perf_counter()
        run(epoch_rows(reviews, recipe.batch, recipe.seed, number))
        torch.cuda.synchronize()
        seconds = perf_counter() - start
    gpu_peak = peak(name) if precision_name == "bf16-mixed" else None
    share = gpu_peak and operations(config, reviews.lengths) / seconds / gpu_peak
    return Epoch(name, precision_name, recipe.batch, seconds, int(reviews.lengths.sum()), share)
