"""How long interactive evidence takes: attribution and ablation of a pair of questions with the shipped encoder.

`python -m benchmarks --only evidence` prints the section of the report.
"""

import os
from collections.abc import Callable
from statistics import median
from time import perf_counter

import torch

from benchmarks import machine
from benchmarks.tables import milliseconds, row
from viz_core import checkpoints
from viz_core.analysis.attribution.agreement import agreement
from viz_core.analysis.attribution.faithfulness import faithfulness
from viz_core.analysis.attribution.integrated_gradients import STEPS, integrated_gradients
from viz_core.analysis.attribution.methods import attributions, gradient_attention, leave_one_out
from viz_core.analysis.explain import explain
from viz_core.analysis.whatif import head_effects

MODEL = "small"
PAIR = (
    "请问我上个月的花呗账单还没有还清这个月还可以继续正常使用花呗吗",
    "我想问一下如果花呗上个月的钱没还完这个月还能不能接着使用花呗",
)
TOKENS = 64
FORWARD = "forward pass"
INTEGRATED = f"integrated gradients, {STEPS} steps"
TARGETS = {"leave-one-out": 150, INTEGRATED: 400, "every head masked in turn": 300}  # milliseconds
WARM_UP, ROUNDS = 3, 20


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown. Raises ValueError if the pair does not have TOKENS tokens."""
    torch.set_num_threads(os.cpu_count() or 1)
    rounds, load = 2 if quick else ROUNDS, machine.load()
    times = {name: timed(run, rounds) for name, run in _analyses().items()}
    forward = median(times.pop(FORWARD))
    rows = "\n".join(
        row(name, [values], TARGETS.get(name), milliseconds, f"{median(values) / forward:.1f} ×")
        for name, values in times.items()
    )
    config = checkpoints.load("afqmc", MODEL).settings.config
    encoder = f"`afqmc/{MODEL}` ({config.layers} layers, {config.heads} heads, width {config.width})"
    return f"""## Evidence

| a pair of {TOKENS} tokens | target | reached | largest | relative to a forward pass |
|---|---|---|---|---|
{rows}

{encoder}; medians of {rounds} rounds.
A forward pass with all attention takes {milliseconds(forward)}; the page computes the last row once per input.
{machine.conditions(load, torch.get_num_threads())}"""


def _analyses() -> dict[str, Callable]:
    checkpoint = checkpoints.load("afqmc", MODEL)
    explanation = explain(checkpoint, *PAIR)
    encoder, encoding, target = checkpoint.model, explanation.encoding, explanation.predicted
    if len(encoding.tokens) != TOKENS:
        raise ValueError(f"the pair has {len(encoding.tokens)} tokens, not {TOKENS}")
    precomputed = attributions(checkpoint, explanation)

    def section() -> None:
        results = attributions(checkpoint, explanation)
        agreement(results)
        faithfulness(checkpoint, explanation, results)

    if integrated_gradients(encoder, encoding, target).steps != STEPS:
        raise ValueError(f"integrated gradients did not converge in {STEPS} steps: choose another pair")
    return {
        FORWARD: lambda: explain(checkpoint, *PAIR),
        "leave-one-out": lambda: leave_one_out(encoder, encoding, target),
        INTEGRATED: lambda: integrated_gradients(encoder, encoding, target),
        "gradient × attention": lambda: gradient_attention(encoder, encoding, target),
        "every head masked in turn": lambda: head_effects(checkpoint, encoding),
        "agreement of five methods": lambda: agreement(precomputed),
        "faithfulness of five methods and the control": lambda: faithfulness(checkpoint, explanation, precomputed),
        "the whole section": section,
    }


def timed(run: Callable, rounds: int, warm_up: int = WARM_UP) -> list[float]:
    """Milliseconds of each round, after some that do not count."""
    times = []
    for _ in range(warm_up + rounds):
        start = perf_counter()
        run()
        times.append(1000 * (perf_counter() - start))
    return times[warm_up:]
