"""How long patching between two texts takes: the estimate of every part, and the exact maps.

`python -m benchmarks --only patching` prints the section of the report. SmolLM2-135M is measured where its package is
installed (tests/smollm2.txt).
"""

import os
from collections.abc import Sequence
from functools import partial
from statistics import median
from tempfile import TemporaryDirectory

import torch

from benchmarks import machine
from benchmarks.evidence import timed
from benchmarks.tables import milliseconds, row
from tests.adapters.smollm2 import is_installed, read_smollm2
from viz_core import checkpoints
from viz_core.adapters.opening import open_model
from viz_core.analysis.explain import encode, explain
from viz_core.analysis.patching.estimate import estimate
from viz_core.analysis.patching.next_word import contrast_of
from viz_core.analysis.patching.patch import patch_all
from viz_core.checkpoints import Checkpoint
from viz_core.records import SITES, Contrast

REVIEWS = (
    "The film was really good, and the story made sense to me, although the actors did what they could with a script "
    "that nobody else had read before the start",
    "The film was never good, and the story made sense to me, although the actors did what they could with a script "
    "that nobody else had read before the start",
)  # 32 tokens of `imdb/small`
PROMPTS = (
    "When Mary and John went to the old shop on the corner to buy some fresh milk, John gave a big bottle to",
    "When Mary and John went to the old shop on the corner to buy some fresh milk, Mary gave a big bottle to",
)  # 24 tokens of SmolLM2
PASSES, MAP, ALL = 3, 300, 90_000  # forward passes of the estimate; milliseconds of a map, and of all maps of SmolLM2
ROUNDS, CORES = 15, os.cpu_count() or 1


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown."""
    torch.set_num_threads(1)  # with two, a small model waits a hundred times as long beside other work
    rounds, load = 2 if quick else ROUNDS, machine.load()
    checkpoint = checkpoints.load("imdb", "small")
    rows = _rows("`imdb/small`", checkpoint, _contrast(checkpoint, REVIEWS), rounds, MAP)
    if is_installed() and not quick:
        rows += _smollm2()
    body = "\n".join(rows)
    return f"""## Patching

| two texts that differ in a word | target | reached | largest | relative to a forward pass |
|---|---|---|---|---|
{body}

*Estimate*: attribution patching, of every layer, token and head at once; its target is {PASSES} forward passes with all
attention. A *map* is exact, a run for each cell. Medians of {rounds} rounds, of SmolLM2's maps a single one, with a
thread for each core.
{machine.conditions(load, 1)}"""


def _contrast(checkpoint: Checkpoint, texts: Sequence[str]) -> Contrast:
    return contrast_of(checkpoint, *(encode(checkpoint, text) for text in texts))[1]


def _rows(name: str, checkpoint: Checkpoint, contrast: Contrast, rounds: int, target: float | None) -> list[str]:
    """A row for the estimate and one for each exact map."""
    forward = median(timed(lambda: explain(checkpoint, *contrast.target.texts), rounds))
    name = f"{name}, {len(contrast.target.ids)} tokens"
    estimated = timed(lambda: estimate(checkpoint, contrast), rounds)
    rows = [row(f"{name}: estimate", [estimated], PASSES * forward, milliseconds, _times(estimated, forward))]
    for site in SITES:
        exact = timed(partial(patch_all, checkpoint, contrast, [site]), rounds)
        rows.append(row(f"{name}: map of `{site}`", [exact], target, milliseconds, _times(exact, forward)))
    return rows


def _smollm2() -> list[str]:
    with TemporaryDirectory() as folder:
        network, tokenizer = read_smollm2()
        network.to(torch.bfloat16).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        checkpoint = open_model(f"path:{folder}")
        contrast = _contrast(checkpoint, PROMPTS)
        forward = median(timed(lambda: explain(checkpoint, *contrast.target.texts), 5))
        name = f"SmolLM2-135M, {len(contrast.target.ids)} tokens"
        estimated = timed(lambda: estimate(checkpoint, contrast), 5)
        torch.set_num_threads(CORES)
        exact = timed(lambda: patch_all(checkpoint, contrast), 1, warm_up=0)
    return [
        row(f"{name}: estimate", [estimated], PASSES * forward, milliseconds, _times(estimated, forward)),
        row(f"{name}: all exact maps", [exact], ALL, milliseconds, _times(exact, forward)),
    ]


def _times(values: Sequence[float], forward: float) -> str:
    return f"{median(values) / forward:.1f} ×"
