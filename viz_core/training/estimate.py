"""What a training will take, said before it starts: parameters, memory, time; what the machine cannot hold is refused."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import torch

from viz_core import checkpoints
from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Encoder
from viz_core.recipes import Recipe
from viz_core.records import Examples, Failure
from viz_core.tasks import TASKS
from viz_core.training.batches import parts, steps
from viz_core.training.building import classification, optimiser_for, parameter_groups
from viz_core.training.devices import memory_of, start_fabric
from viz_core.training.learned import learned_rows
from viz_core.training.objectives import MASKED
from viz_core.training.prepare import Prepared, prepare, subset
from viz_core.training.settings import Training

if TYPE_CHECKING:
    from lightning_fabric import Fabric

_TRIAL_OPERATIONS = {"cpu": 1e10, "mps": 1e11, "cuda": 1e12}  # about a tenth of a second's work, or a few
_FORWARD = 1 / 3  # share of a training step that an evaluation of as many tokens takes
# Seconds, measured on two cores: what a run needs before its first step (the libraries), and around each evaluation (the
# copy that is measured, the checkpoint, the inputs that are followed). A small training is mostly that.
START, _AROUND_EVALUATION = 3.3, 0.15
_TRIAL_PARAMETERS = 30_000_000  # an encoder with more is timed with fewer layers: with its moments it takes 16 bytes each
_GIGABYTE = 1e9


@dataclass(frozen=True)
class Estimate:
    """memory_bytes: at the peak of a step, on top of what the libraries take. seconds: of the whole training, its start
    included, read from a few steps on this device; None where nobody timed it. memory_available: of the device."""

    parameters: int
    memory_bytes: int
    memory_available: int
    seconds: float | None


@dataclass(frozen=True)
class Extent:
    """Of what is learned from: size of the vocabulary, rows of an epoch, tokens of the longest text."""

    vocabulary: int
    rows: int
    longest: int


def estimate(training: Training) -> Estimate:
    """Takes about a second once the corpus has been tokenised. Raises Failure where the memory of the device is too small
    or the data is not at hand."""
    recipe = training.recipe
    fabric = start_fabric(training.device, recipe.precision)
    prepared = subset(prepare(training.task, training.data, recipe.unlabelled), recipe)
    needed = requirements(training, extent(prepared, recipe), fabric.device)
    config = replace(training.encoder, vocabulary=prepared.text.vocabulary)
    return replace(needed, seconds=_seconds(config, recipe, prepared, fabric))


def requirements(training: Training, extent: Extent, device: torch.device | str) -> Estimate:
    """The estimate without its time, which costs nothing. Raises Failure, with the numbers, where the memory is too small."""
    device, recipe = torch.device(device), training.recipe
    config = replace(training.encoder, vocabulary=extent.vocabulary)
    needed = Estimate(parameters(config), memory(config, recipe, min(recipe.batch, extent.rows), extent.longest),
                      memory_of(device), None)
    if needed.memory_bytes > needed.memory_available:
        raise Failure("training.too_large", parameters=needed.parameters, needed=needed.memory_bytes / _GIGABYTE,
                      available=needed.memory_available / _GIGABYTE, device=device.type)
    return needed


def extent(prepared: Prepared, recipe: Recipe) -> Extent:
    """prepared: what the recipe has drawn of a corpus."""
    rows = learned_rows(recipe, len(prepared.train), len(prepared.unlabelled))
    return Extent(prepared.text.vocabulary, rows, int(prepared.train.lengths.max()))


def expected_extent(training: Training) -> Extent:
    """The same before anything is tokenised. Of a whole corpus, which takes a while to read, it is known from a model
    that was trained on it, where there is one, and from its publisher's counts (validation among them)."""
    task, recipe = training.task, training.recipe
    if training.data == "sample":
        return extent(subset(_sample(task.name, recipe.unlabelled), recipe), recipe)
    trained = [listing for listing in checkpoints.usable(task.name) if listing.metrics.entries.get("data") == "full"]
    vocabulary, longest = ((trained[0].settings.model.vocabulary, task.max_tokens) if trained
                           else _text_sizes(task.name))
    published = task.corpus.published
    unlabelled = round(recipe.share * published.get("unlabelled", 0)) if recipe.unlabelled else 0
    return Extent(vocabulary, learned_rows(recipe, recipe.drawn_rows(published["train"]), unlabelled), longest)


@lru_cache(maxsize=8)
def _sample(task: str, unlabelled: bool) -> Prepared:
    return prepare(TASKS[task], "sample", unlabelled)


@lru_cache(maxsize=8)
def _text_sizes(task: str) -> tuple[int, int]:
    """Size of the vocabulary and tokens of the longest text of a whole corpus."""
    prepared = prepare(TASKS[task], "full")
    return prepared.text.vocabulary, int(prepared.train.lengths.max())


def parameters(config: EncoderConfig) -> int:
    """How many numbers the encoder learns, worked out without building it."""
    D, F = config.width, config.feedforward
    pre = config.norm == "pre"
    embedding = (config.vocabulary + config.segments + 2 * config.overlap) * D + 2 * D * pre
    positions = config.max_tokens * D if config.positions == "learned" else 0
    stem = (3 * D * D + 3 * D) * (config.stem == "convolution")
    attention = 4 * (D * D + D)
    feedforward = D * F + F + F * D + D
    layer = attention + feedforward + 2 * 2 * D
    return embedding + positions + stem + config.layers * layer + 2 * D * pre + D * config.classes + config.classes


def memory(config: EncoderConfig, recipe: Recipe, rows: int, tokens: int) -> int:
    """Bytes at the peak of a training step in 32 bits with B = rows of T = tokens each:

    16 a parameter (weight, gradient, two moments), and what the backward pass needs of the forward pass, 4 bytes each:
    B·T·(L·(10·D + 3·F + T) + 3·D); with dropout on attention, which the fused kernel does not do on a CPU, 3·B·H·T² more a
    layer; twice all that for two passes; with pre-training 4 for every masked token and every candidate for it. Half as much again for what comes and goes.
    Against the resident memory of real steps of five encoders on a CPU: 0.9 to 1.1 times.
    """
    B, T, L, D, F = rows * (2 if recipe.r_drop else 1), tokens, config.layers, config.width, config.feedforward
    kept = B * T * (L * (10 * D + 3 * F + T) + 3 * D)
    if config.attention_dropout:
        kept += L * 3 * B * config.heads * T * T
    if recipe.pretrain_epochs:
        kept += 4 * round(MASKED * B * T) * min(config.vocabulary, B * T)
    return 16 * parameters(config) + 6 * kept


def _seconds(config: EncoderConfig, recipe: Recipe, prepared: Prepared, fabric: Fabric) -> float:
    """The seconds of a step, times the steps, and the evaluations after them."""
    step, tokens = _time_step(config, recipe, prepared.train, fabric)
    learned = learned_rows(recipe, len(prepared.train), len(prepared.unlabelled))
    read = len(prepared.train) + len(prepared.unlabelled)
    total = recipe.epochs * steps(learned, recipe.batch) + recipe.pretrain_epochs * steps(read, recipe.batch)
    evaluations = recipe.epochs * recipe.evaluations
    evaluated = evaluations * prepared.validation.lengths.sum()
    around = START + (evaluations + recipe.pretrain_epochs) * _AROUND_EVALUATION
    return float(total * step + evaluated * _FORWARD * step / tokens + around)


def _time_step(config: EncoderConfig, recipe: Recipe, examples: Examples, fabric: Fabric) -> tuple[float, float]:
    """Seconds and tokens of a step of `recipe.batch` rows, worked out from as many of them as can be timed in a moment."""
    order = np.argsort(examples.lengths, kind="stable")
    tokens = float(examples.lengths.mean())
    trial = _fewer_layers(config)
    whole = min(recipe.batch, len(examples))
    rows = int(min(whole, max(1, _TRIAL_OPERATIONS[fabric.device.type] // _operations(trial, tokens))))
    at = (len(order) - rows) // 2  # texts of middling length
    batch, = parts(examples, [order[at:at + rows]], fabric.device, 0, 1)
    with torch.random.fork_rng(devices=[fabric.device] if fabric.device.type == "cuda" else []):
        encoder = fabric.to_device(Encoder(trial)).train()
        objective = fabric.to_device(classification(encoder, recipe, examples.labels))
        optimiser = optimiser_for(parameter_groups(encoder, recipe), recipe)

        def timed() -> float:
            started = time.perf_counter()
            with fabric.autocast():
                sums = objective(batch)
            (sums.loss / sums.weight).backward()
            optimiser.step()
            optimiser.zero_grad()
            sums.loss.item()  # waits for the device
            return time.perf_counter() - started

        # The fastest counts: the first one is always slow, and others use the machine, too.
        return min(timed() for _ in range(3)) * whole / rows * config.layers / trial.layers, tokens * whole


def _fewer_layers(config: EncoderConfig) -> EncoderConfig:
    """The encoder with as many of its layers as can be timed without taking memory from everybody else."""
    one, two = (parameters(replace(config, layers=layers)) for layers in (1, 2))
    return replace(config, layers=min(config.layers, 1 + max(0, _TRIAL_PARAMETERS - one) // (two - one)))


def _operations(config: EncoderConfig, tokens: float) -> float:
    """Of a step with one row: six a weight and token, and attention's products of all pairs (Kaplan et al. 2020, 2.1)."""
    D, F = config.width, config.feedforward
    return 6 * tokens * config.layers * (4 * D * D + 2 * D * F) + 12 * config.layers * tokens * tokens * D
