"""How long a prediction takes with everything shown of it: every shipped encoder on an input of maximum length.

`python -m benchmarks --only latency` prints the section of the report.
"""

import os
from collections.abc import Callable
from time import perf_counter

import torch

from benchmarks import machine
from benchmarks.evidence import PAIR, TOKENS
from benchmarks.inputs import review
from benchmarks.tables import milliseconds, row
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.checkpoints import Checkpoint
from viz_core.tasks import CLASSIFICATION, all_tasks

TARGETS = {"imdb": 150, "afqmc": 15, "thucnews": None}  # milliseconds
INPUT_TOKENS = {"imdb": 512, "afqmc": TOKENS, "thucnews": TOKENS}
_TITLE = (  # longer than any model of news reads, in characters and in words
    "今年秋天全市新建的三座图书馆同时开放，周末接待的读者超过两万人，许多家长带着孩子排队办理借书证，"
    "馆长说今后每个月都会请作家来和大家见面，地铁公司也把末班车推迟到晚上十一点，让下班以后来看书的人方便回家，"
    "附近的咖啡馆和书店从上个星期起延长了营业时间"
)
WARM_UP, ROUNDS, QUICK_ROUNDS = 3, 20, 2


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown. Raises ValueError if an input has another length than INPUT_TOKENS."""
    torch.set_num_threads(os.cpu_count() or 1)
    load = machine.load()
    rows, rounds = [], QUICK_ROUNDS if quick else ROUNDS
    infos, _ = checkpoints.list_checkpoints(tasks=all_tasks(CLASSIFICATION))
    encoders = [info for info in infos if info.settings.kind == "encoder" and info.task in TARGETS]
    for info in encoders:
        checkpoint = checkpoints.load(info.task, info.name)
        run = _explain_run(checkpoint)
        for _ in range(WARM_UP):
            run()
        values = [_time(run) for _ in range(rounds)]
        sizes = checkpoint.settings.config
        rows.append(
            row(
                f"`{info.task}/{info.name}`, {sizes.layers} × {sizes.heads} × {sizes.width}, "
                f"{_tokens(checkpoint)} tokens",
                [values],
                TARGETS[info.task],
                milliseconds,
            )
        )
    body = "\n".join(rows)
    return f"""## Latency

| an input, with the attention of all layers and heads | target | reached | largest | |
|---|---|---|---|---|
{body}

From text to prediction, tokenization included; medians of {rounds} rounds.
{machine.conditions(load, torch.get_num_threads())}"""


def _tokens(checkpoint: Checkpoint) -> int:
    """The length of its input: the longest that all models of the task read, unless it reads less."""
    return min(INPUT_TOKENS[checkpoint.task.name], checkpoint.settings.config.max_tokens)


def _explain_run(checkpoint: Checkpoint) -> Callable[[], object]:
    expected = _tokens(checkpoint)
    texts = {"imdb": (review(expected, "latency"),), "afqmc": PAIR, "thucnews": (_TITLE,)}[checkpoint.task.name]
    length = len(explain(checkpoint, *texts).encoding.tokens)
    if length != expected:
        raise ValueError(f"the input of {checkpoint.task.name} has {length} tokens, not {expected}")
    return lambda: explain(checkpoint, *texts)


def _time(run: Callable[[], object]) -> float:
    start = perf_counter()
    run()
    return (perf_counter() - start) * 1000
