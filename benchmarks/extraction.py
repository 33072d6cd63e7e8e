"""What extracting attention costs: all layers and heads, against the fused pass without weights and torch's own way.

`python -m benchmarks --only extraction` prints the section of the report.
"""

import os
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from itertools import accumulate
from statistics import median
from time import perf_counter

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks import machine
from viz_core.models.attention import Attention
from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Encoder

CONFIG = EncoderConfig(vocabulary=1_000, max_tokens=512, layers=4, heads=8, width=256, feedforward=1_024)
TOKENS = (64, 128, 256, 512)
THREADS = sorted({1, os.cpu_count() or 1})
TARGET = 1.8  # times the fused pass, at most, at 512 tokens, on each number of threads
WARM_UP, ROUNDS, QUICK_ROUNDS = 5, 40, 2
MIB = 2**20


@dataclass(frozen=True)
class Times:
    """Seconds of a forward pass in each round: fused without attention, ours with all of it, and torch's own likewise.

    framework: stacked into a single tensor like ours. layers: as returned, a tensor per layer.
    """

    threads: int
    tokens: int
    fused: list[float]
    ours: list[float]
    framework: list[float]
    layers: list[float]


@dataclass(frozen=True)
class Memory:
    """Bytes of tensors at 512 tokens: the result, a layer of it, and the peak of a forward pass of each variant."""

    result: int
    layer: int
    fused: int
    ours: int
    framework: int
    layers: int


class FusedAttention(nn.Module):
    """Our attention without weights, as fast as torch can: no mask, because a single text has no padding."""

    def __init__(self, ours: Attention) -> None:
        super().__init__()
        self.inner = ours

    def forward(self, x: Tensor, mask: Tensor, *rest: object) -> tuple[Tensor, None]:
        inner = self.inner
        q, k, v = (inner._split_heads(project(x)) for project in (inner.query, inner.key, inner.value))
        context = F.scaled_dot_product_attention(q, k, v)  # (B, H, T, d)
        return inner.output(context.transpose(1, 2).reshape(x.shape)), None


class FrameworkAttention(nn.Module):
    """torch.nn.MultiheadAttention with our weights, returning the attention of each head `(B, H, T, T)`."""

    def __init__(self, ours: Attention) -> None:
        super().__init__()
        self.inner = nn.MultiheadAttention(ours.output.in_features, ours.heads, batch_first=True)
        parts = (ours.query, ours.key, ours.value)
        self.inner.load_state_dict(
            {
                "in_proj_weight": torch.cat([part.weight for part in parts]),
                "out_proj.weight": ours.output.weight,
                "in_proj_bias": torch.cat([part.bias for part in parts]),
                "out_proj.bias": ours.output.bias,
            }
        )

    def forward(self, x: Tensor, mask: Tensor, *rest: object) -> tuple[Tensor, Tensor]:
        return self.inner(x, x, x, need_weights=True, average_attn_weights=False)


class FrameworkEncoder(Encoder):
    """The same encoder with torch's attention: a tensor per layer, or stacked `(L, B, H, T, T)` like ours."""

    def __init__(self, ours: Encoder, stacked: bool) -> None:
        super().__init__(ours.config)
        self.stacked = stacked
        self.load_state_dict(ours.state_dict())
        for layer in self.layers:
            layer.attention = FrameworkAttention(layer.attention)

    def _layers(
        self, x: Tensor, mask: Tensor, need_attention: bool, hook: None
    ) -> tuple[Tensor, Tensor | list[Tensor]]:
        attention = []
        for layer in self.layers:
            x, weights = layer(x, mask, need_attention)
            attention.append(weights)
        return self.norm(x), torch.stack(attention) if self.stacked else attention


@torch.inference_mode()
def measure(rounds: int = ROUNDS) -> tuple[list[Times], Memory]:
    """Times on each of THREADS at each of TOKENS, and memory. Raises AssertionError if the variants do not agree."""
    variants = _variants(CONFIG.max_tokens)
    result = variants["ours"]().own
    memory = Memory(result.nbytes, result[0].nbytes, **{name: _peak_memory(run) for name, run in variants.items()})
    return [_times(threads, tokens, rounds) for threads in THREADS for tokens in TOKENS], memory


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown."""
    rounds, load = QUICK_ROUNDS if quick else ROUNDS, machine.load()
    times, memory = measure(rounds)
    small = memory.ours <= memory.result + memory.layer
    verdicts = ", ".join(
        f"{_threads(row.threads)}: {_verdict(_fast(row))}" for row in times if row.tokens == TOKENS[-1]
    )
    rows = "\n".join(map(_row, times))
    sizes = "\n".join(
        f"| {name} | {size / MIB:.1f} MiB |"
        for name, size in (
            ("the result", memory.result),
            ("the result and one layer", memory.result + memory.layer),
            ("fused pass, no attention", memory.fused),
            ("ours, all attention", memory.ours),
            ("torch's own, in one result", memory.framework),
            ("torch's, a tensor per layer", memory.layers),
        )
    )
    return f"""## Extraction

Targets at {TOKENS[-1]} tokens, for the attention of all layers and heads: at most {TARGET} × the fused pass, and faster
than torch's own in one result ({verdicts}); no more memory than the result and one layer ({_verdict(small)}).

| threads, tokens | fused, no attention | ours, all of it | torch's own, in one result | torch's, a tensor per layer |
|---|---|---|---|---|
{rows}

| memory at {TOKENS[-1]} tokens | |
|---|---|
{sizes}

An encoder of {CONFIG.layers} layers, {CONFIG.heads} heads and width {CONFIG.width} with random weights reads one text.
The variants take turns; times, and ratios to the fused pass, are medians of {rounds} rounds. The fused pass has no
mask: a single text needs none. *torch's own* has the same layers, weights and results with
`nn.MultiheadAttention(need_weights=True, average_attn_weights=False)`, stacked into one result as ours is, or left as
returned.
Memory is the peak of all tensors of a forward pass, activations included, as torch's profiler counts it.
{machine.conditions(load, *THREADS)}"""


def _fast(row: Times) -> bool:
    return _ratio(row.ours, row.fused) <= TARGET and _ratio(row.ours, row.framework) < 1


def _ratio(times: list[float], others: list[float]) -> float:
    """The median of the ratios in each round, which other work on the machine disturbs less than the times."""
    return median(time / other for time, other in zip(times, others, strict=True))


def _row(row: Times) -> str:
    """A row of the first table."""
    times = (row.ours, row.framework, row.layers)
    compared = (f"{_milliseconds(values)}, {_ratio(values, row.fused):.2f} ×" for values in times)
    return " | ".join([f"| {_threads(row.threads)}, {row.tokens}", _milliseconds(row.fused), *compared]) + " |"


def _milliseconds(times: list[float]) -> str:
    return f"{median(times) * 1000:.1f} ms"


def _threads(count: int) -> str:
    return f"{count} thread{'s' if count > 1 else ''}"


def _verdict(reached: bool) -> str:
    return "reached" if reached else "**missed**"


def _times(threads: int, tokens: int, rounds: int) -> Times:
    torch.set_num_threads(threads)
    variants = _variants(tokens)
    results = [run() for run in variants.values()]
    for result in results[1:]:
        torch.testing.assert_close(result.logits, results[0].logits, atol=1e-5, rtol=0)
        torch.testing.assert_close(result.own[-1], results[1].own[-1], atol=1e-5, rtol=0)
    del results, result
    seconds = {name: [] for name in variants}
    for _ in range(WARM_UP + rounds):
        for name, run in variants.items():
            start = perf_counter()
            result = run()
            seconds[name].append(perf_counter() - start)
            del result  # outside the timing: a caller would keep the attention
    return Times(threads, tokens, **{name: values[WARM_UP:] for name, values in seconds.items()})


def _variants(tokens: int) -> dict[str, Callable]:
    torch.manual_seed(0)
    ours = Encoder(CONFIG).eval()
    stacked, unstacked = (FrameworkEncoder(ours, choice).eval() for choice in (True, False))
    fused = deepcopy(ours)
    for layer in fused.layers:
        layer.attention = FusedAttention(layer.attention)
    ids = torch.randint(4, CONFIG.vocabulary, (1, tokens))
    inputs = ids, torch.zeros_like(ids), torch.ones_like(ids, dtype=torch.bool)
    return {
        "fused": lambda: fused(*inputs),
        "ours": lambda: ours(*inputs, need_attention=True),
        "framework": lambda: stacked(*inputs, need_attention=True),
        "layers": lambda: unstacked(*inputs, need_attention=True),
    }


def _peak_memory(run: Callable) -> int:
    with torch.profiler.profile(profile_memory=True) as profile:
        run()
    changes = [event for event in profile.profiler.kineto_results.events() if event.name() == "[memory]"]
    return max(accumulate(event.nbytes() for event in sorted(changes, key=lambda event: event.start_ns())))
