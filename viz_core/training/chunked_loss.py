"""Cross-entropy over a vocabulary without a table of all its logits, which would not fit a CPU's cache.

With 8,000 tokens the logits of 2,000 positions are 64 MB, and autograd keeps them three times. Here
they are computed for a few positions at a time, with their gradients, as in Liger Kernel (Hsu et al.
2024, section 3.2).
"""

from typing import Any

import torch
from torch import Tensor

ROWS = 512  # at a time


class ChunkedLoss(torch.autograd.Function):
    """Summed cross-entropy of an output layer without biases; call `apply`."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, labels: Tensor, counts: Tensor, smoothing: float
    ) -> tuple[Tensor, Tensor]:
        """Compute the loss, and how many labels have the largest logit.

        Args:
            ctx: Keeps the gradients.
            x: Input of the output layer, `(N, D)`.
            weight: Its weight, `(C, D)`.
            labels: `(N,)`.
            counts: How often each position counts, `(N,)`.
            smoothing: Share of the target that all classes have alike.

        Returns:
            Both summed over the positions, as float32 scalars.
        """
        device = x.device.type
        dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else x.dtype
        weight_as_used, counts = weight.to(dtype), counts.float()
        loss, correct = x.new_zeros((), dtype=torch.float32), x.new_zeros((), dtype=torch.float32)
        by_x, by_weight = torch.empty_like(x), torch.zeros_like(weight)
        for start in range(0, len(x), ROWS):
            rows = slice(start, start + ROWS)
            part, label, count = x[rows].to(dtype), labels[rows, None], counts[rows]
            logits = (part @ weight_as_used.T).float()
            chosen, norm = logits.gather(1, label)[:, 0], logits.logsumexp(-1)
            loss += (count * (norm - (1 - smoothing) * chosen - smoothing * logits.mean(-1))).sum()
            correct += (count * (chosen >= logits.amax(-1))).sum()
            slope = logits.sub_(norm[:, None]).exp_().sub_(smoothing / len(weight))  # softmax less the target
            slope.scatter_add_(1, label, torch.full_like(label, smoothing - 1, dtype=slope.dtype))
            slope = slope.mul_(count[:, None]).to(dtype)
            by_x[rows] = slope @ weight_as_used
            by_weight += slope.T @ part
        ctx.save_for_backward(by_x, by_weight)
        ctx.mark_non_differentiable(correct)
        return loss, correct

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        """Scale the gradients by that of the loss."""
        by_x, by_weight = ctx.saved_tensors
        return gradients[0] * by_x, gradients[0] * by_weight, None, None, None
