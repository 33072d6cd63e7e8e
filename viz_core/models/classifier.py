"""What stands on a pre-trained encoder in place of the linear classifier of ours: a hidden layer more, or nothing.

Shapes: B batch, D model width, C classes.
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn

from viz_core.models.protocol import NO_HOOK, HookCaller

HiddenActivation = Literal["tanh", "relu", "gelu"]
_ACTIVATIONS = {"tanh": nn.Tanh, "relu": nn.ReLU, "gelu": nn.GELU}


class HiddenClassifier(nn.Module):
    """hidden `(D, D)` and output `(C, D)`, with an activation between them: BERT's “pooler” and classifier (Devlin et
    al. 2019, section 3)."""

    def __init__(self, hidden: nn.Linear, activation: HiddenActivation, output: nn.Linear) -> None:
        super().__init__()
        self.hidden, self.output = hidden, output
        self.activation = activation
        self._activate = _ACTIVATIONS[activation]()

    def forward(self, x: Tensor, at: HookCaller = NO_HOOK) -> Tensor:
        """`(B, D)` -> `(B, C)`."""
        return self.output(at("classifier_activated", self._activate(at("classifier_hidden", self.hidden(x)))))


class NoClassifier(nn.Module):
    """Of an encoder that predicts nothing."""

    def forward(self, x: Tensor) -> Tensor:
        """`(B, D)` -> `(B, 0)`."""
        return x[:, :0]
