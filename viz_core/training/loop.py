"""The training loop: knows neither the model nor the task, only a loss to bring down."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR


class Diverged(RuntimeError):
    """The loss is no longer a number."""


def best_device() -> torch.device:
    """CUDA where there is one, then Apple's MPS, then the CPU."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def learning_rate_factor(step: int, total: int, warmup: float, schedule: str) -> float:
    """Share of the peak rate at a step: a linear rise over the warm-up, then half a cosine to zero, or constant."""
    rise = max(1, round(warmup * total))
    if warmup > 0 and step < rise:
        return (step + 1) / rise
    if schedule == "constant":
        return 1.0
    return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - rise) / max(1, total - rise))))


def fit(module: nn.Module, groups: list[dict], epochs: int, epoch_batches: Callable[[int], Iterable], steps_per_epoch: int,
        loss: Callable[..., Tensor], weight_decay: float, warmup: float, schedule: str, clip: float,
        after_epoch: Callable[[int, float], bool | None]) -> None:
    """AdamW over `epochs` epochs; `after_epoch(epoch, mean loss)` evaluates, and stops the training by returning True.

    groups: parameters with their peak rates, as torch.optim takes them. epoch_batches: epoch number -> its batches. loss: batch -> scalar. Raises Diverged at a loss that is not finite.
    """
    optimiser = torch.optim.AdamW(groups, weight_decay=weight_decay, fused=True)
    total = epochs * steps_per_epoch
    scheduler = LambdaLR(optimiser, lambda step: learning_rate_factor(step, total, warmup, schedule))
    for epoch in range(epochs):
        module.train()
        summed, seen = 0.0, 0
        for batch in epoch_batches(epoch):
            value = loss(batch)
            if not torch.isfinite(value):
                raise Diverged(f"the loss is {value.item()} in epoch {epoch + 1}, step {seen + 1}")
            value.backward()
            nn.utils.clip_grad_norm_(module.parameters(), clip)
            optimiser.step()
            scheduler.step()
            optimiser.zero_grad()
            summed, seen = summed + value.item(), seen + 1
        if after_epoch(epoch, summed / seen):
            return
