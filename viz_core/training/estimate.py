"""What a training will take, before it starts: parameters, memory, time.

A training that does not fit the device is refused.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.models.decoder_config import DecoderConfig
from viz_core.models.kinds import KINDS
from viz_core.models.protocol import TrainableConfig
from viz_core.recipes import Recipe, Units
from viz_core.records import Examples, Failure
from viz_core.tasks import get_task
from viz_core.training.batches import DeviceExamples, steps
from viz_core.training.building import optimiser_for, parameter_groups
from viz_core.training.chunked_loss import ROWS
from viz_core.training.devices import best_device, check_device, free_memory, start_fabric, total_memory
from viz_core.training.kinds import training_kind
from viz_core.training.objectives import MASKED
from viz_core.training.prepare import Prepared, prepare, prepare_for, subset
from viz_core.training.settings import Training
from viz_core.training.teacher import train_set_rows

if TYPE_CHECKING:
    from lightning_fabric import Fabric

_TRIAL_OPERATIONS = {"cpu": 1e10, "mps": 1e11, "cuda": 1e12}  # of a timed step: some tenths of a second
_FORWARD = 1 / 3  # time of an evaluation, relative to training steps with as many tokens
# Seconds, measured on two cores: before the first step (loading the libraries), and around each evaluation (copying
# the model, writing the checkpoint, the pinned inputs). A small training consists mainly of these.
START, _AROUND_EVALUATION = 3.3, 0.15
_TRIAL_PARAMETERS = 30_000_000  # a larger encoder is timed with fewer layers; training takes 16 bytes per parameter
_GIGABYTE = 1e9


@dataclass(frozen=True)
class Estimate:
    """What a training needs.

    Attributes:
        parameters: Number of parameters of the model.
        memory_bytes: At the peak of a step, without the libraries.
        memory_available: Bytes of the device.
        seconds: Duration of the whole training, from a few timed steps on the device; None if not
            timed.
    """

    parameters: int
    memory_bytes: int
    memory_available: int
    seconds: float | None


@dataclass(frozen=True)
class CorpusSize:
    """The size of a corpus as a training reads it.

    Attributes:
        vocabulary: Number of tokens in the vocabulary.
        rows: Number of rows in an epoch.
        longest: Tokens of the longest text.
    """

    vocabulary: int
    rows: int
    longest: int


class StepTime(NamedTuple):
    """The measured time of a training step.

    Attributes:
        seconds: Duration of the step.
        tokens: Tokens in the step.
        warmup: Additional seconds of the first step.
    """

    seconds: float
    tokens: float
    warmup: float


def estimate(training: Training) -> Estimate:
    """Estimate what a training needs, including its time.

    Takes about a second once the corpus is tokenised; to be run in a process of its own.

    Raises:
        Failure: If the device has too little free memory or the data is not available.
    """
    recipe = training.recipe
    start = time.perf_counter()
    device = check_device(training.device or best_device())
    startup = time.perf_counter() - start if device.type != "cpu" else 0.0
    fabric = start_fabric(str(device), recipe.precision)
    prepared = subset(prepare_for(training), recipe)
    needed = check_free_memory(training, corpus_size(prepared, recipe), fabric.device)
    seconds = _seconds(training.with_vocabulary(prepared.text.vocabulary), prepared, fabric)
    return replace(needed, seconds=startup + seconds)


def requirements(training: Training, size: CorpusSize, device: str, available: int) -> Estimate:
    """Estimate what a training needs, except its time; touches no device.

    Args:
        training: The training.
        size: Size of its corpus.
        device: Name of the device.
        available: Bytes of memory of the device.

    Raises:
        Failure: If that is too little, with the numbers.
    """
    kind, recipe = device.partition(":")[0], training.recipe
    config = training.with_vocabulary(size.vocabulary).config
    bytes_needed = memory(config, recipe, min(recipe.batch, size.rows), size.longest, kind)
    needed = Estimate(config.parameters(), bytes_needed, available, None)
    if needed.memory_bytes > available:
        raise Failure("training.too_large", device=kind, **_gigabytes(needed))
    return needed


def check_free_memory(training: Training, size: CorpusSize, device: torch.device) -> Estimate:
    """Check that a training fits the device; for the process that trains or times.

    Raises:
        Failure: If the device, or what other processes leave of it, is too small.
    """
    needed = requirements(training, size, str(device), total_memory(device))
    needed = replace(needed, memory_available=free_memory(device))
    if needed.memory_bytes > needed.memory_available:
        total = total_memory(device) / _GIGABYTE
        raise Failure("training.device_in_use", device=str(device), total=total, **_gigabytes(needed))
    return needed


def _gigabytes(needed: Estimate) -> dict[str, float]:
    return {
        "parameters": needed.parameters,
        "needed": needed.memory_bytes / _GIGABYTE,
        "available": needed.memory_available / _GIGABYTE,
    }


def corpus_size(prepared: Prepared, recipe: Recipe) -> CorpusSize:
    """The size of a prepared corpus, of which only the rows that the recipe uses are left (`subset`)."""
    rows = train_set_rows(recipe, len(prepared.train), len(prepared.unlabelled))
    return CorpusSize(prepared.text.vocabulary, rows, int(prepared.train.lengths.max()))


def expected_corpus_size(training: Training) -> CorpusSize:
    """The size of a corpus before it is tokenised.

    A full corpus takes a while to read. Its vocabulary is taken from a model trained on it, if
    there is one, and its rows from the publisher's counts, which include validation. Of a packed task
    these are the texts, not the windows: either are many batches.
    """
    task, recipe = training.task, training.recipe
    if training.data == "sample":
        tokens = (recipe.uses_unlabelled, recipe.units, recipe.encoder, training.config.max_tokens)
        return corpus_size(subset(_sample(task.name, *tokens), recipe), recipe)
    vocabulary, longest = _tokens_of_corpus(training)
    published = task.require_corpus().published
    unlabelled = recipe.count_unlabelled_rows(published.get("unlabelled", 0)) if recipe.uses_unlabelled else 0
    rows = train_set_rows(recipe, recipe.count_training_rows(published["train"]), unlabelled)
    return CorpusSize(vocabulary, rows, longest)


def _tokens_of_corpus(training: Training) -> tuple[int, int]:
    """Vocabulary size and tokens of the longest text of a full corpus."""
    task, recipe, model = training.task, training.recipe, training.config
    if recipe.encoder:
        return model.vocabulary, model.max_tokens
    trained = [info for info in checkpoints.task_checkpoints(task.name) if _same_tokens(info, recipe)]
    if trained:
        return trained[0].settings.config.vocabulary, model.max_tokens
    return _text_sizes(task.name, recipe.units, model.max_tokens)


def _same_tokens(info: CheckpointInfo, recipe: Recipe) -> bool:
    """Whether a model was trained on the full corpus in the units of a recipe."""
    return info.metrics.entries.get("data") == "full" and info.units == recipe.units and not info.origin


@lru_cache(maxsize=8)
def _sample(task: str, *tokens) -> Prepared:
    return prepare(get_task(task), "sample", *tokens)


@lru_cache(maxsize=8)
def _text_sizes(task: str, units: Units, max_tokens: int) -> tuple[int, int]:
    prepared = prepare(get_task(task), "full", units=units, max_tokens=max_tokens)
    return prepared.text.vocabulary, int(prepared.train.lengths.max())


def memory(config: TrainableConfig, recipe: Recipe, rows: int, tokens: int, device: str = "cpu") -> int:
    """Bytes at the peak of a training step in 32 bits with `rows` rows of `tokens` tokens each.

    Counts 16 bytes per parameter (weight, gradient, two moments) and 4 per number saved for the
    backward pass, of which R-Drop needs twice as many. Pre-training adds 4 for every masked token
    and each of its candidates; the loss of a language model keeps no more than one part of its logits.
    Half as much again for temporary tensors. Relative to the resident memory of real steps of five
    encoders on a CPU: 0.9 to 1.1; of four language models: 0.7 to 1.1.
    """
    rows = rows * (2 if recipe.r_drop else 1)
    numbers = rows * config.activations(tokens, fused=device == "cuda")
    if isinstance(config, DecoderConfig):
        numbers += 2 * min(rows * tokens, ROWS) * config.vocabulary
    if recipe.pretrain_epochs:
        numbers += 4 * round(MASKED * rows * tokens) * min(config.vocabulary, rows * tokens)
    return 16 * config.parameters() + 6 * numbers


def _seconds(training: Training, prepared: Prepared, fabric: Fabric) -> float:
    """Seconds of all steps and evaluations."""
    recipe = training.recipe
    step = _time_step(training, prepared.train, fabric)
    rows = train_set_rows(recipe, len(prepared.train), len(prepared.unlabelled))
    pretrain_rows = len(prepared.train) + len(prepared.unlabelled)
    count = recipe.epochs * steps(rows, recipe.batch) + recipe.pretrain_epochs * steps(pretrain_rows, recipe.batch)
    evaluations = recipe.epochs * recipe.evaluations
    tokens = evaluations * prepared.validation.lengths.sum()
    around = START + step.warmup + (evaluations + recipe.pretrain_epochs) * _AROUND_EVALUATION
    around += evaluations * _decoding_seconds(training, prepared.validation, fabric)
    return float(count * step.seconds + tokens * _FORWARD * step.seconds / step.tokens + around)


def _decoding_seconds(training: Training, validation: Examples, fabric: Fabric) -> float:
    """Seconds of what a model writes at an evaluation; 0 if it writes nothing."""
    measure = training_kind(training.task.kind).decoding_seconds
    if measure is None:
        return 0.0
    trial = training.config.shrink(_TRIAL_PARAMETERS)
    tokens = float(validation.lengths.mean())
    with torch.random.fork_rng(devices=[fabric.device] if fabric.device.type == "cuda" else []):
        model = fabric.to_device(KINDS[training.kind].build(trial)).eval()
        return measure(model, validation) * training.config.operations(tokens) / trial.operations(tokens)


def _time_step(training: Training, examples: Examples, fabric: Fabric) -> StepTime:
    """Time a step of `recipe.batch` rows, extrapolated from as many as can be timed in a moment."""
    recipe, config = training.recipe, training.config
    order = np.argsort(examples.lengths, kind="stable")
    tokens = float(examples.lengths.mean())
    trial = config.shrink(_TRIAL_PARAMETERS)
    batch_rows = min(recipe.batch, len(examples))
    rows = int(min(batch_rows, max(1, _TRIAL_OPERATIONS[fabric.device.type] // trial.operations(tokens))))
    start = (len(order) - rows) // 2  # texts of median length
    scale = config.operations(tokens) / trial.operations(tokens)
    on_device = DeviceExamples(examples.at(order[start : start + rows]), fabric.device, config.max_tokens)
    (batch,) = on_device.batches([np.arange(rows)], 0, 1)
    with torch.random.fork_rng(devices=[fabric.device] if fabric.device.type == "cuda" else []):
        model = fabric.to_device(KINDS[training.kind].build(trial)).train()
        objective = fabric.to_device(training_kind(training.task.kind).objective(model, recipe, examples.labels))
        optimiser = optimiser_for(parameter_groups(model, recipe), recipe)

        def time_once() -> float:
            start = time.perf_counter()
            with fabric.autocast():
                sums = objective(batch)
            (sums.loss / sums.weight).backward()
            optimiser.step()
            optimiser.zero_grad()
            sums.loss.item()  # waits for the device
            return time.perf_counter() - start

        # The first step loads kernels. The median of the others is robust against other processes.
        first, *others = (time_once() for _ in range(4))
        typical = median(others)
        warmup = max(first - typical, 0.0) if fabric.device.type == "cuda" else 0.0
        return StepTime(typical * batch_rows / rows * scale, tokens * batch_rows, warmup)
