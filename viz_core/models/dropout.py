"""Dropout (Srivastava et al. 2014) that is fast on a CPU.

There, torch's dropout takes three times as long as the linear layer before it.
"""

import torch
from torch import Tensor, nn

_STEPS = 2**16


class Dropout(nn.Dropout):
    """`torch.nn.Dropout`, with one 64-bit random number for four elements on a CPU, 16 bits each.

    On a CPU p is rounded to a multiple of 1/65536, and the remaining elements are scaled to match.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Drop elements of x in training; return x otherwise."""
        dropped = round(self.p * _STEPS)  # of 65,536
        if not self.training or x.device.type != "cpu" or dropped in (0, _STEPS):
            return super().forward(x)
        numbers = torch.empty(-(-x.numel() // 4), dtype=torch.int64, device=x.device).random_(-(2**63), None)
        bits = numbers.view(torch.int16)[: x.numel()].view(x.shape)  # uniform from -32768 to 32767
        return x * (bits >= dropped - _STEPS // 2).to(x.dtype).mul_(_STEPS / (_STEPS - dropped))
