"""How long an answer takes with everything that is shown of it: every shipped encoder on an input as long as it reads.

`python -m benchmarks --only latency` prints the section of the report.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter

import torch

from benchmarks.evidence import PAIR, TOKENS
from benchmarks.inputs import review
from benchmarks.tables import milliseconds, row
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.checkpoints import Checkpoint

TARGETS = {"imdb": 150, "afqmc": 15}  # milliseconds
READ = {"imdb": 512, "afqmc": TOKENS}  # tokens
WARM_UP, ROUNDS, QUICK_ROUNDS = 3, 20, 2


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown. Raises ValueError where an input has another length than it should."""
    torch.set_num_threads(os.cpu_count() or 1)
    rows, rounds = [], QUICK_ROUNDS if quick else ROUNDS
    for info in checkpoints.list_checkpoints()[0]:
        checkpoint = checkpoints.load(info.task, info.name)
        run = _explained(checkpoint)
        for _ in range(WARM_UP):
            run()
        values = [_timed(run) for _ in range(rounds)]
        sizes = checkpoint.settings.model
        rows.append(
            row(
                f"`{info.task}/{info.name}`, {sizes.layers} × {sizes.heads} × {sizes.width}, {READ[info.task]} tokens",
                [values],
                TARGETS[info.task],
                milliseconds,
            )
        )
    body = "\n".join(rows)
    return f"""## Latency

| one input, answered with the attention of all layers and heads | target | reached | largest | |
|---|---|---|---|---|
{body}

From the text to the answer on {torch.get_num_threads()} threads, the tokenizer included; medians of {rounds} rounds."""


def _explained(checkpoint: Checkpoint) -> Callable[[], object]:
    texts = PAIR if checkpoint.task.pair else (review(READ[checkpoint.task.name], "latency"),)
    found = len(explain(checkpoint, *texts).encoding.tokens)
    if found != READ[checkpoint.task.name]:
        raise ValueError(f"the input of {checkpoint.task.name} has {found} tokens, not {READ[checkpoint.task.name]}")
    return lambda: explain(checkpoint, *texts)


def _timed(run: Callable[[], object]) -> float:
    start = perf_counter()
    run()
    return (perf_counter() - start) * 1000
