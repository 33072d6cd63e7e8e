"""Training throughput: our engine against the courses' recipe, and the effect of each difference between them.

`python -m benchmarks --only training` prints the section of the report.
"""

import os
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter
from typing import NamedTuple

import numpy as np
import torch

from benchmarks import gpu, machine
from benchmarks.corpora import Corpus, corpus
from benchmarks.recipes import Run, course, course_encoder, engine, use_torch_dropout
from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Encoder
from viz_core.recipes import Recipe
from viz_core.records import Examples
from viz_core.tasks import get_task
from viz_core.training.batches import epoch_rows
from viz_core.training.devices import start_fabric
from viz_core.training.settings import model_config

TARGETS = {"imdb": 6.0, "afqmc": 2.5}  # at least this many times the tokens per second of the courses' recipe
NAMES = {"imdb": "IMDB", "afqmc": "AFQMC"}
COURSE, OURS, OURS_BF16 = "the courses' recipe", "our engine", "our engine in bf16 (autocast)"


class Effort(NamedTuple):
    """batches: of texts of similar length in each round; a single mixed batch suffices, as all take equally long.
    rows: per batch; 0 for the recipe's."""

    rounds: int
    batches: int
    rows: int = 0


FULL, QUICK = Effort(3, 4), Effort(1, 2, 8)


class Variant(NamedTuple):
    """mixed: whether batches mix texts of any length, instead of similar lengths."""

    run: Run
    mixed: bool = False


@dataclass(frozen=True)
class Measurement:
    """rates: tokens per second, padding excluded, of each variant in each round."""

    task: str
    config: EncoderConfig
    recipe: Recipe
    corpus: Corpus
    rates: dict[str, list[float]]

    def rate(self, variant: str) -> float:
        """Median tokens per second."""
        return median(self.rates[variant])

    def speedups(self, variant: str, baseline: str) -> list[float]:
        """The ratio of the rates in each round."""
        return [fast / slow for fast, slow in zip(self.rates[variant], self.rates[baseline], strict=True)]


def measure(task: str, effort: Effort) -> Measurement:
    """Measures the variants in turn, with other texts in every round."""
    torch.set_num_threads(os.cpu_count() or 1)
    preset, data = get_task(task).presets["course"], corpus(get_task(task))
    config = model_config(get_task(task), "encoder", preset.config, data.vocabulary)
    recipe = replace(preset.recipe, batch=effort.rows or preset.recipe.batch)
    variants = _variants(config, recipe, data.examples)
    longest = np.argsort(data.examples.lengths)[-4:]
    for variant in variants.values():
        variant.run([longest])  # warms up
    rounds = []
    for number in range(effort.rounds):
        print(f"training, {NAMES[task]}: round {number + 1} of {effort.rounds}", flush=True)
        rounds.append(_round(variants, data.examples, recipe.batch, effort.batches, number))
    return Measurement(task, config, recipe, data, {name: [rates[name] for rates in rounds] for name in variants})


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown."""
    load = machine.load()
    measurements = [measure(task, QUICK if quick else FULL) for task in TARGETS]
    reviews = measurements[0]
    epochs = [
        epoch
        for measurement in measurements
        for epoch in gpu.epochs(
            measurement.task, _fusible(measurement.config), measurement.recipe, measurement.corpus.examples
        )
    ]
    speeds = [_speed_row(measurement, name) for measurement in measurements for name in (OURS, OURS_BF16)]
    heads = " | ".join(f"{NAMES[measurement.task]} | times the line above" for measurement in measurements)
    return "\n".join(
        [
            "## Training",
            "",
            "Tokens of real text per second.",
            "",
            "| task | encoder | our precision | courses' recipe, 32 bits | ours | target | speedup | lowest |",
            "|---|---|---|---|---|---|---|---|",
            *speeds,
            "",
            f"| what each difference gains | {heads} |",
            "|---|" + "---|---|" * len(measurements),
            *_ladder(measurements),
            "",
            *_epochs(epochs),
            "",
            f"The variants took turns in {len(reviews.rates[OURS])} rounds; rates and ratios are medians.",
            *map(_describe_corpus, measurements),
            machine.conditions(load, torch.get_num_threads()),
        ]
    )


def _variants(config: EncoderConfig, recipe: Recipe, examples: Examples) -> dict[str, Variant]:
    """From the courses' recipe to ours, a difference at a time."""
    from lightning_fabric import Fabric  # slow to import

    fusible = _fusible(config)
    bf16 = Fabric(accelerator="cpu", devices=1, precision="bf16-mixed")
    return {
        COURSE: Variant(course(course_encoder(config), recipe, examples, config.max_tokens), mixed=True),
        "padded to the longest text of the batch": Variant(
            course(course_encoder(config), recipe, examples), mixed=True
        ),
        "texts of similar length in a batch": Variant(course(course_encoder(config), recipe, examples)),
        "fused attention: no weights, no dropout on them": Variant(
            course(use_torch_dropout(Encoder(fusible)), recipe, examples)
        ),
        "fused optimiser": Variant(course(use_torch_dropout(Encoder(fusible)), recipe, examples, fused=True)),
        "dropout with four decisions in a random number": Variant(
            course(Encoder(fusible), recipe, examples, fused=True)
        ),
        OURS: Variant(engine(start_fabric("cpu"), fusible, recipe, examples)),
        OURS_BF16: Variant(engine(bf16, fusible, recipe, examples)),
    }


def _fusible(config: EncoderConfig) -> EncoderConfig:
    return replace(config, attention_dropout=0.0)


def _round(variants: dict[str, Variant], examples: Examples, batch: int, batches: int, number: int) -> dict[str, float]:
    """Tokens per second of each variant.

    The batches of similar length are spaced evenly, from short to long, over an epoch of the whole corpus. The time of
    a mixed batch hardly depends on its texts, so they count as texts of mean length.
    """
    lengths = examples.lengths
    order = sorted(epoch_rows(examples, batch, number, 0), key=lambda rows: lengths[rows].mean())
    similar = [order[(2 * index + 1) * len(order) // (2 * batches)] for index in range(batches)]
    mixed = [np.random.default_rng(number).permutation(len(examples))[:batch]]
    tokens = {True: batch * lengths.mean(), False: lengths[np.concatenate(similar)].sum()}
    return {
        name: tokens[variant.mixed] / _seconds(variant.run, mixed if variant.mixed else similar)
        for name, variant in variants.items()
    }


def _seconds(run: Run, batches: list[np.ndarray]) -> float:
    start = perf_counter()
    run(batches)
    return perf_counter() - start


def _speed_row(measurement: Measurement, variant: str) -> str:
    """A row of the first table; the target applies to the engine's default precision on a CPU."""
    config, target = measurement.config, TARGETS[measurement.task]
    speedups = measurement.speedups(variant, COURSE)
    reached = f"{median(speedups):.1f} ×"
    if variant == OURS and median(speedups) < target:
        reached = f"**{reached}, missed**"
    encoder = f"{config.layers} × {config.heads} heads, {config.width} wide, {measurement.recipe.batch} per batch"
    precision, target_text = ("32 bits", f"≥ {target:g} ×") if variant == OURS else ("bf16", "")
    rates = f"{measurement.rate(COURSE):,.0f} | {measurement.rate(variant):,.0f}"
    name, least = NAMES[measurement.task], f"{min(speedups):.1f} ×"
    return f"| {name} | {encoder} | {precision} | {rates} | {target_text} | {reached} | {least} |"


def _ladder(measurements: list[Measurement]) -> list[str]:
    """Each variant relative to the previous; bf16, not the engine's default on a CPU, is in the other table."""
    variants = [name for name in measurements[0].rates if name != OURS_BF16]
    lines = [
        f"| {COURSE} | " + " | ".join(f"{measurement.rate(COURSE):,.0f} | " for measurement in measurements) + " |"
    ]
    for previous, variant in zip(variants, variants[1:], strict=False):
        lines.append(
            f"| + {variant} | "
            + " | ".join(
                f"{measurement.rate(variant):,.0f} | {median(measurement.speedups(variant, previous)):.2f} ×"
                for measurement in measurements
            )
            + " |"
        )
    return lines


def _epochs(epochs: list[gpu.Epoch]) -> list[str]:
    if not epochs:
        return ["An epoch on a GPU: not measured, this machine has none (see below)."]
    lines = [
        f"| an epoch on {epochs[0].gpu}, {epochs[0].precision} | batch | target | reached | first epoch "
        "| tokens per second | GPU memory | share of the bf16 peak |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for epoch in epochs:
        limit = gpu.SECONDS[epoch.task] if epoch.batch == max(gpu.BATCHES) else None
        reached = f"{epoch.seconds:.2f} s"
        if limit and epoch.seconds > limit:
            reached = f"**{reached}, missed**"
        lines.append(
            f"| {NAMES[epoch.task]}, {gpu.ROWS[epoch.task]:,} rows | {epoch.batch} "
            f"| {f'≤ {limit:g} s' if limit else ''} "
            f"| {reached} | {epoch.first:.2f} s | {epoch.tokens / epoch.seconds:,.0f} | {epoch.memory / 1e9:.1f} GB "
            f"| {'not known' if epoch.peak is None else f'{epoch.peak:.1%}'} |"
        )
    return lines


def _describe_corpus(measurement: Measurement) -> str:
    lengths = measurement.corpus.examples.lengths
    texts = "texts" if measurement.corpus.real else "generated texts, as long as those of the corpus,"
    return (
        f"{NAMES[measurement.task]}: {len(lengths):,} {texts} of {lengths.mean():.0f} tokens on average, cut at "
        f"{measurement.config.max_tokens}."
    )


if __name__ == "__main__":
    print(report())
