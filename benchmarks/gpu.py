"""An epoch of IMDB on a GPU, where there is one: its seconds, and the share of the GPU's peak that it reaches."""

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

REVIEWS, SECONDS = 25_000, 5.0  # an epoch of so many takes at most so long
BATCHES = (32, 256)  # the courses', and one that gives a GPU more to do; the target is the last one's
# TFLOP/s in bf16, of dense matrices, from NVIDIA's data sheets (which print twice as much for sparse ones). The first
# entry counts all of whose words stand in the GPU's name.
PEAKS = {"H200": 989, "H100 PCIe": 756, "H100 NVL": 835, "H100": 989, "A100": 312, "L40S": 362, "L4": 121, "A10": 125}


@dataclass(frozen=True)
class Epoch:
    """peak: share of the GPU's peak, None where it computes in 32 bits or its peak is not known."""

    gpu: str
    precision: str
    batch: int
    seconds: float
    tokens: int
    peak: float | None


def epochs(config: EncoderConfig, recipe: Recipe, examples: Examples) -> list[Epoch]:
    """One for each size of batch; none where there is no GPU. The second epoch counts, the first warms up."""
    if not torch.cuda.is_available():
        return []
    rows = np.resize(np.arange(len(examples)), REVIEWS)  # validation is carved from the 25,000: some come twice
    reviews = examples.at(rows)
    return [_epoch(config, replace(recipe, batch=batch), reviews) for batch in BATCHES]


def operations(config: EncoderConfig, lengths: np.ndarray) -> float:
    """Of learning from one row of each length: six a weight of the layers and real token, and attention's products of
    all pairs (Kaplan et al. 2020, section 2.1; Chowdhery et al. 2022, appendix B). Padding counts nothing."""
    D, F, lengths = config.width, config.feedforward, lengths.astype(float)
    return config.layers * (6 * (4 * D * D + 2 * D * F) * lengths.sum() + 12 * D * (lengths**2).sum())


def peak(name: str) -> float | None:
    """Operations a second in bf16."""
    words = set(re.split(r"[\s-]+", name))
    return next((value * 1e12 for known, value in PEAKS.items() if words.issuperset(known.split())), None)


def _epoch(config: EncoderConfig, recipe: Recipe, reviews: Examples) -> Epoch:
    fabric = start_fabric("cuda")
    run = engine(fabric, config, recipe, reviews)
    name, chosen = torch.cuda.get_device_name(fabric.device), precision("cuda")
    for number in range(2):
        start = perf_counter()
        run(epoch_rows(reviews, recipe.batch, recipe.seed, number))
        torch.cuda.synchronize()
        seconds = perf_counter() - start
    most = peak(name) if chosen == "bf16-mixed" else None
    share = most and operations(config, reviews.lengths) / seconds / most
    return Epoch(name, chosen, recipe.batch, seconds, int(reviews.lengths.sum()), share)
