"""A forward pass with its attention recorded through the hook of the model: of every head what it has read, of a single
row all that comes before.

Shapes: H heads, Q queries, K keys, D model width, d = D/H.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from viz_core.models.protocol import Hook, HookPoint
from viz_core.records.translation import Kind


@dataclass(eq=False)
class RecordedPass:
    """What the model computes for one input; filled in by `hook`.

    contexts: kind and layer -> `(Q, D)`, of all heads side by side. Of the head at `place`, that is kind, layer, head:
    scores and weights `(Q, K)`, values `(K, d)`, as they were used, and bias `(Q, K)`, None of a model that adds none
    to its scores. last: of each kind, the weights of the last layer,
    `(H, Q, K)`.
    """

    place: tuple[Kind, int, int]
    contexts: dict[tuple[Kind, int], np.ndarray] = field(default_factory=dict)
    last: dict[Kind, np.ndarray] = field(default_factory=dict)
    bias: np.ndarray | None = None
    scores: np.ndarray | None = None
    weights: np.ndarray | None = None
    values: np.ndarray | None = None
    _values: Tensor | None = None  # of the layer that is being computed

    def hook(self, change: Hook | None) -> Hook:
        """The hook that makes a change, if there is one, and records what the model goes on with."""

        def record(point: HookPoint, tensor: Tensor) -> Tensor:
            tensor = change(point, tensor) if change else tensor
            kind, layer, head = self.place
            if (point.kind, point.layer) == (kind, layer):
                setattr(self, point.name, tensor[0, head].numpy(force=True).copy())
            if point.name == "values":
                self._values = tensor
            elif point.name == "weights":
                context = tensor[0] @ self._values[0]  # (H, Q, d)
                self.contexts[point.kind, point.layer] = context.transpose(0, 1).flatten(1).numpy()
                self.last[point.kind] = tensor[0].numpy()
            return tensor

        return Hook(record, {"bias", "scores", "values", "weights"})


def record_pass(
    run: Callable[[Hook], Tensor], place: tuple[Kind, int, int], change: Hook | None = None
) -> tuple[RecordedPass, np.ndarray]:
    """A pass of `run(hook) -> logits`, and its logits without the axis of the batch."""
    recorded = RecordedPass(place)
    with torch.inference_mode():
        logits = run(recorded.hook(change))
    return recorded, logits[0].numpy()
