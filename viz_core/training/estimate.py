"""What a training will take, said before it starts: parameters, memory, time; what the machine cannot hold is refused."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import torch

from viz_core import checkpoints
from viz_core.models.kinds import KINDS
from viz_core.models.protocol import ModelConfig
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
_TRIAL_PARAMETERS = (
    30_000_000  # an encoder with more is timed with fewer layers: with its moments it takes 16 bytes each
)
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
    return replace(needed, seconds=_seconds(training.with_vocabulary(prepared.text.vocabulary), prepared, fabric))


def requirements(training: Training, extent: Extent, device: torch.device | str) -> Estimate:
    """The estimate without its time, which costs nothing. Raises Failure, with the numbers, where the memory is too small."""
    device, recipe = torch.device(device), training.recipe
    config = training.with_vocabulary(extent.vocabulary).model
    needed = Estimate(
        config.parameters(),
        memory(config, recipe, min(recipe.batch, extent.rows), extent.longest),
        memory_of(device),
        None,
    )
    if needed.memory_bytes > needed.memory_available:
        raise Failure(
            "training.too_large",
            parameters=needed.parameters,
            needed=needed.memory_bytes / _GIGABYTE,
            available=needed.memory_available / _GIGABYTE,
            device=device.type,
        )
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
    trained = [info for info in checkpoints.usable(task.name) if info.metrics.entries.get("data") == "full"]
    vocabulary, longest = (trained[0].settings.model.vocabulary, task.max_tokens) if trained else _text_sizes(task.name)
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


def memory(config: ModelConfig, recipe: Recipe, rows: int, tokens: int) -> int:
    """Bytes at the peak of a training step in 32 bits with so many rows of so many tokens each:

    16 a parameter (weight, gradient, two moments), and 4 for each number that the backward pass needs of the forward pass;
    twice all that for two passes; with pre-training 4 for every masked token and every candidate for it. Half as much again
    for what comes and goes. Against the resident memory of real steps of five encoders on a CPU: 0.9 to 1.1 times.
    """
    rows = rows * (2 if recipe.r_drop else 1)
    numbers = rows * config.activations(tokens)
    if recipe.pretrain_epochs:
        numbers += 4 * round(MASKED * rows * tokens) * min(config.vocabulary, rows * tokens)
    return 16 * config.parameters() + 6 * numbers


def _seconds(training: Training, prepared: Prepared, fabric: Fabric) -> float:
    """The seconds of a step, times the steps, and the evaluations after them."""
    recipe = training.recipe
    step, tokens = _time_step(training, prepared.train, fabric)
    learned = learned_rows(recipe, len(prepared.train), len(prepared.unlabelled))
    read = len(prepared.train) + len(prepared.unlabelled)
    total = recipe.epochs * steps(learned, recipe.batch) + recipe.pretrain_epochs * steps(read, recipe.batch)
    evaluations = recipe.epochs * recipe.evaluations
    evaluated = evaluations * prepared.validation.lengths.sum()
    around = START + (evaluations + recipe.pretrain_epochs) * _AROUND_EVALUATION
    return float(total * step + evaluated * _FORWARD * step / tokens + around)


def _time_step(training: Training, examples: Examples, fabric: Fabric) -> tuple[float, float]:
    """Seconds and tokens of a step of `recipe.batch` rows, worked out from as many of them as can be timed in a moment."""
    recipe, config = training.recipe, training.model
    order = np.argsort(examples.lengths, kind="stable")
    tokens = float(examples.lengths.mean())
    trial = config.trimmed(_TRIAL_PARAMETERS)
    whole = min(recipe.batch, len(examples))
    rows = int(min(whole, max(1, _TRIAL_OPERATIONS[fabric.device.type] // trial.operations(tokens))))
    at = (len(order) - rows) // 2  # texts of middling length
    scale = config.operations(tokens) / trial.operations(tokens)
    (batch,) = parts(examples, [order[at : at + rows]], fabric.device, 0, 1)
    with torch.random.fork_rng(devices=[fabric.device] if fabric.device.type == "cuda" else []):
        model = fabric.to_device(KINDS[training.kind].build(trial)).train()
        objective = fabric.to_device(classification(model, recipe, examples.labels))
        optimiser = optimiser_for(parameter_groups(model, recipe), recipe)

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
        return min(timed() for _ in range(3)) * whole / rows * scale, tokens * whole
