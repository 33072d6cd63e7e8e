"""What extracting attention costs: all layers and heads, against the fused pass without weights and torch's own way.

`python -m benchmarks.extraction` prints the section of the report.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from statistics import median
from time import perf_counter

import torch
from torch import Tensor, nn

from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Encoder, SelfAttention

CONFIG = EncoderConfig(vocabulary=1_000, max_tokens=512, layers=4, heads=8, width=256, feedforward=1_024)
TOKENS = (64, 128, 256, 512)
TARGET = 1.8  # times the fused pass, at most, at 512 tokens
WARM_UP, ROUNDS, QUICK_ROUNDS = 5, 40, 2
MIB = 2**20


@dataclass(frozen=True)
class Times:
    """Median seconds of a forward pass: fused without attention, ours with all of it, and torch's own with all of it.

    framework: stacked into a single tensor like ours. layers: as returned, a tensor per layer.
    """

    tokens: int
    fused: float
    ours: float
    framework: float
    layers: float


@dataclass(frozen=True)
class Memory:
    """Bytes of tensors at 512 tokens: the result, a layer of it, and the peak of a forward pass of each variant."""

    result: int
    layer: int
    fused: int
    ours: int
    framework: int
    layers: int


class FrameworkAttention(nn.Module):
    """torch.nn.MultiheadAttention with our weights, returning the attention of each head `(B, H, T, T)`."""

    def __init__(self, ours: SelfAttention) -> None:
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
    """Times at each of TOKENS, and memory. Raises AssertionError if the variants do not agree."""
    torch.set_num_threads(os.cpu_count() or 1)
    variants = _variants(CONFIG.max_tokens)
    result = variants["ours"]().own
    memory = Memory(result.nbytes, result[0].nbytes, **{name: _peak_memory(run) for name, run in variants.items()})
    return [_times(tokens, rounds) for tokens in TOKENS], memory


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown."""
    rounds = QUICK_ROUNDS if quick else ROUNDS
    times, memory = measure(rounds)
    last = times[-1]
    fast = last.ours <= TARGET * last.fused and last.ours < last.framework
    small = memory.ours <= memory.result + memory.layer
    rows = "\n".join(
        f"| {row.tokens} | {row.fused * 1000:.1f} ms | "
        + " | ".join(
            f"{seconds * 1000:.1f} ms, {seconds / row.fused:.2f} ×" for seconds in (row.ours, row.framework, row.layers)
        )
        + " |"
        for row in times
    )
    sizes = "\n".join(
        f"| {name} | {size / MIB:.1f} MiB |"
        for name, size in (
            ("the result", memory.result),
            ("the result and one layer", memory.result + memory.layer),
            ("fused pass, no attention", memory.fused),
            ("ours, all attention", memory.ours),
            ("torch's own, in one result", memory.framework),
            ("torch's own, a tensor per layer", memory.layers),
        )
    )
    encoder = f"An encoder of {CONFIG.layers} layers, {CONFIG.heads} heads and width {CONFIG.width}"
    return f"""## Extraction

Attention of all layers and heads at {last.tokens} tokens, at most {TARGET} × the fused pass and less than torch's own
in one result: {_verdict(fast)}. No more memory than the result and one layer: {_verdict(small)}.

| tokens | fused, no attention | ours, all attention | torch's own, in one result | torch's own, a tensor per layer |
|---|---|---|---|---|
{rows}

| memory at {last.tokens} tokens | |
|---|---|
{sizes}

{encoder} with random weights reads one text on {torch.get_num_threads()} threads.
The variants take turns, and each time is the median of {rounds} rounds. torch's own has the same layers, weights and
results with `nn.MultiheadAttention(need_weights=True, average_attn_weights=False)`, stacked into one result like ours
or as returned.
Memory is the peak of all tensors of a forward pass, activations included, as torch's profiler counts it."""


def _verdict(reached: bool) -> str:
    return "reached" if reached else "**missed**"


def _times(tokens: int, rounds: int) -> Times:
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
    return Times(tokens, **{name: median(values[WARM_UP:]) for name, values in seconds.items()})


def _variants(tokens: int) -> dict[str, Callable]:
    torch.manual_seed(0)
    ours = Encoder(CONFIG).eval()
    stacked, unstacked = (FrameworkEncoder(ours, choice).eval() for choice in (True, False))
    ids = torch.randint(4, CONFIG.vocabulary, (1, tokens))
    inputs = ids, torch.zeros_like(ids), torch.ones_like(ids, dtype=torch.bool)
    return {
        "fused": lambda: ours(*inputs),
        "ours": lambda: ours(*inputs, need_attention=True),
        "framework": lambda: stacked(*inputs, need_attention=True),
        "layers": lambda: unstacked(*inputs, need_attention=True),
    }


def _peak_memory(run: Callable) -> int:
    with torch.profiler.profile(profile_memory=True) as profile:
        run()
    changes = [event for event in profile.profiler.kineto_results.events() if event.name() == "[memory]"]
    return max(accumulate(event.nbytes() for event in sorted(changes, key=lambda event: event.start_ns())))


if __name__ == "__main__":
    print(report())
