"""How fast an encoder learns: our engine against the courses' recipe, and what each difference between the two brings.

`python -m benchmarks --only training` prints the section of the report.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter
from typing import NamedTuple

import numpy as np
import torch

from benchmarks import gpu
from benchmarks.corpora import Corpus, corpus
from benchmarks.recipes import Run, course, course_encoder, engine, with_torch_dropout
from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Encoder
from viz_core.recipes import Recipe
from viz_core.records import Examples
from viz_core.tasks import TASKS
from viz_core.training.batches import epoch_rows
from viz_core.training.devices import start_fabric
from viz_core.training.settings import model_config

TARGETS = {"imdb": 6.0, "afqmc": 2.5}  # times the courses' tokens a second, at least
NAMES = {"imdb": "IMDB", "afqmc": "AFQMC"}
COURSE, OURS, OURS_BF16 = "the courses' recipe", "our engine", "our engine in bf16 (autocast)"


class Effort(NamedTuple):
    """batches: of like length in each round (of the mixed ones one is enough, they all take as long). rows: of a batch,
    0 for as many as the recipe says."""

    rounds: int
    batches: int
    rows: int = 0


FULL, QUICK = Effort(3, 4), Effort(1, 2, 8)


class Way(NamedTuple):
    """mixed: its batches are of texts of any length, as they come; otherwise of texts of like length."""

    run: Run
    mixed: bool = False


@dataclass(frozen=True)
class Measured:
    """rates: tokens of real text a second of each way, in each round."""

    task: str
    config: EncoderConfig
    recipe: Recipe
    corpus: Corpus
    rates: dict[str, list[float]]

    def rate(self, way: str) -> float:
        return median(self.rates[way])

    def times(self, way: str, other: str) -> list[float]:
        """How many times as fast as the other, in each round."""
        return [one / two for one, two in zip(self.rates[way], self.rates[other], strict=True)]


def measure(task: str, effort: Effort) -> Measured:
    """The ways take turns, with other texts in every round."""
    torch.set_num_threads(os.cpu_count() or 1)
    preset, found = TASKS[task].presets["course"], corpus(TASKS[task])
    config = model_config(TASKS[task], "encoder", preset.model, found.vocabulary)
    recipe = replace(preset.recipe, batch=effort.rows or preset.recipe.batch)
    ways = _ways(config, recipe, found.examples)
    longest = np.argsort(found.examples.lengths)[-4:]
    for way in ways.values():
        way.run([longest])  # warms up
    rounds = []
    for number in range(effort.rounds):
        print(f"training, {NAMES[task]}: round {number + 1} of {effort.rounds}", flush=True)
        rounds.append(_round(ways, found.examples, recipe.batch, effort.batches, number))
    return Measured(task, config, recipe, found, {way: [one[way] for one in rounds] for way in ways})


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown."""
    measured = [measure(task, QUICK if quick else FULL) for task in TARGETS]
    reviews = measured[0]
    epochs = gpu.epochs(_fusible(reviews.config), reviews.recipe, reviews.corpus.examples)
    speeds = [_speed(one, way) for one in measured for way in (OURS, OURS_BF16)]
    heads = " | ".join(f"{NAMES[one.task]} | times the line above" for one in measured)
    return "\n".join(
        [
            "## Training",
            "",
            "Tokens of real text learned from in a second.",
            "",
            "| task | encoder | our precision | courses' recipe, 32 bits | ours | target | times as fast | least |",
            "|---|---|---|---|---|---|---|---|",
            *speeds,
            "",
            f"| what each difference brings | {heads} |",
            "|---|" + "---|---|" * len(measured),
            *_ladder(measured),
            "",
            *_epochs(epochs),
            "",
            f"On {torch.get_num_threads()} threads. The ways took turns in {len(reviews.rates[OURS])} rounds, of which the "
            "median counts, of tokens and of ratios each for itself.",
            *map(_learned, measured),
        ]
    )


def _ways(config: EncoderConfig, recipe: Recipe, examples: Examples) -> dict[str, Way]:
    """From the courses' recipe to ours, one difference at a time."""
    from lightning_fabric import Fabric  # slow to import

    fusible = _fusible(config)
    bf16 = Fabric(accelerator="cpu", devices=1, precision="bf16-mixed")
    return {
        COURSE: Way(course(course_encoder(config), recipe, examples, config.max_tokens), mixed=True),
        "padded to the longest text of the batch": Way(course(course_encoder(config), recipe, examples), mixed=True),
        "texts of like length in a batch": Way(course(course_encoder(config), recipe, examples)),
        "fused attention: no weights, no dropout on them": Way(
            course(with_torch_dropout(Encoder(fusible)), recipe, examples)
        ),
        "fused optimiser": Way(course(with_torch_dropout(Encoder(fusible)), recipe, examples, fused=True)),
        "dropout with four decisions in a random number": Way(course(Encoder(fusible), recipe, examples, fused=True)),
        OURS: Way(engine(start_fabric("cpu"), fusible, recipe, examples)),
        OURS_BF16: Way(engine(bf16, fusible, recipe, examples)),
    }


def _fusible(config: EncoderConfig) -> EncoderConfig:
    return replace(config, attention_dropout=0.0)


def _round(ways: dict[str, Way], examples: Examples, batch: int, batches: int, number: int) -> dict[str, float]:
    """Tokens a second of each way.

    The batches of like length stand at equal distances in an epoch of the whole corpus, from short to long. How long a
    mixed batch takes hardly depends on the texts in it: it counts as texts of mean length.
    """
    lengths = examples.lengths
    order = sorted(epoch_rows(examples, batch, number, 0), key=lambda rows: lengths[rows].mean())
    alike = [order[(2 * place + 1) * len(order) // (2 * batches)] for place in range(batches)]
    mixed = [np.random.default_rng(number).permutation(len(examples))[:batch]]
    tokens = {True: batch * lengths.mean(), False: lengths[np.concatenate(alike)].sum()}
    return {name: tokens[way.mixed] / _seconds(way.run, mixed if way.mixed else alike) for name, way in ways.items()}


def _seconds(run: Run, batches: list[np.ndarray]) -> float:
    start = perf_counter()
    run(batches)
    return perf_counter() - start


def _speed(one: Measured, way: str) -> str:
    """A line of the first table; the target is that of the precision that the engine chooses on a CPU."""
    config, target = one.config, TARGETS[one.task]
    times = one.times(way, COURSE)
    reached = f"{median(times):.1f} ×"
    if way == OURS and median(times) < target:
        reached = f"**{reached}, missed**"
    encoder = f"{config.layers} × {config.heads} heads, {config.width} wide, {one.recipe.batch} a batch"
    precision, promised = ("32 bits", f"≥ {target:g} ×") if way == OURS else ("bf16", "")
    rates = f"{one.rate(COURSE):,.0f} | {one.rate(way):,.0f}"
    return f"| {NAMES[one.task]} | {encoder} | {precision} | {rates} | {promised} | {reached} | {min(times):.1f} × |"


def _ladder(measured: list[Measured]) -> list[str]:
    """Each way beside the one before it; bf16, which the engine does not choose on a CPU, is in the other table."""
    ways = [way for way in measured[0].rates if way != OURS_BF16]
    lines = [f"| {COURSE} | " + " | ".join(f"{one.rate(COURSE):,.0f} | " for one in measured) + " |"]
    for before, way in zip(ways, ways[1:], strict=False):
        lines.append(
            f"| + {way} | "
            + " | ".join(f"{one.rate(way):,.0f} | {median(one.times(way, before)):.2f} ×" for one in measured)
            + " |"
        )
    return lines


def _epochs(epochs: list[gpu.Epoch]) -> list[str]:
    if not epochs:
        return ["An epoch on a GPU: not measured, this machine has none."]
    lines = [
        f"| an epoch of {gpu.REVIEWS:,} reviews: {epochs[0].gpu}, {epochs[0].precision} | target | reached "
        "| tokens a second | share of the bf16 peak |",
        "|---|---|---|---|---|",
    ]
    for one in epochs:
        held = one is epochs[-1]
        reached = f"**{one.seconds:.1f} s, missed**" if held and one.seconds > gpu.SECONDS else f"{one.seconds:.1f} s"
        lines.append(
            f"| {one.batch} a batch | {f'≤ {gpu.SECONDS:g} s' if held else ''} | {reached} "
            f"| {one.tokens / one.seconds:,.0f} | {'not known' if one.peak is None else f'{one.peak:.1%}'} |"
        )
    return lines


def _learned(one: Measured) -> str:
    lengths = one.corpus.examples.lengths
    texts = "texts" if one.corpus.real else "made-up texts, as long as those of the corpus,"
    return (
        f"{NAMES[one.task]}: {len(lengths):,} {texts} of {lengths.mean():.0f} tokens on average, cut at "
        f"{one.config.max_tokens}."
    )


if __name__ == "__main__":
    print(report())
