"""Muon (Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks").

It orthogonalises the momentum of each weight matrix, so that a step moves all its directions alike;
Adam moves the few strongest ones.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_MOMENTUM = 0.95
_ITERATIONS = 5
_RMS = 0.2  # of an update, like AdamW's: both take the same learning rate (Liu et al. 2025, section 2.2)


class Muon(torch.optim.AdamW):
    """Muon for the groups with `orthogonal`, AdamW for the others: embeddings, biases, norms.

    torch.optim.Muon takes matrices only and computes in bf16, which most CPUs emulate: with it, a step
    of a small model took 1.5 times as long.
    """

    def __init__(self, groups: list[dict], weight_decay: float) -> None:
        groups = [{"orthogonal": False, **group} for group in groups]
        super().__init__(groups, weight_decay=weight_decay, fused=True)

    def step(self, closure: Callable | None = None) -> Any:
        """Update all parameters; a closure computes the gradients before."""
        loss = None if closure is None else closure()
        groups = self.param_groups
        for group in groups:
            if group["orthogonal"]:
                self._move_matrices(group)
        self.param_groups = [group for group in groups if not group["orthogonal"]]
        try:
            super().step()
        finally:
            self.param_groups = groups
        return loss

    @torch.no_grad()
    def _move_matrices(self, group: dict) -> None:
        for weight in group["params"]:
            if weight.grad is None:
                continue
            state = self.state[weight]
            if not state:
                state |= {"momentum": torch.zeros_like(weight), "step": torch.tensor(0.0)}
            state["step"] += 1  # AdamW looks for it in all states that are loaded
            momentum = state["momentum"].lerp_(weight.grad, 1 - _MOMENTUM)
            update = orthogonalise(weight.grad.lerp(momentum, _MOMENTUM))  # Nesterov
            weight.mul_(1 - group["lr"] * group["weight_decay"])
            weight.add_(update, alpha=-group["lr"] * _RMS * math.sqrt(max(weight.shape)))


def orthogonalise(matrix: Tensor) -> Tensor:
    """Bring all but the smallest singular values of a matrix `(M, N)` near 1, about 0.7 to 1.2.

    Its singular vectors stay. By five steps of a Newton–Schulz iteration, whose quintic has Jordan's coefficients.
    """
    x = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    x = x / (x.norm() + 1e-7)
    for _ in range(_ITERATIONS):
        square = x @ x.T
        x = 3.4445 * x + torch.addmm(square, square, square, beta=-4.775, alpha=2.0315) @ x
    return x if matrix.shape[0] <= matrix.shape[1] else x.T
