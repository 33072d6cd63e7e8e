"""One attention function for models of `transformers`, which records weights and calls our hook.

It is registered with the library's attention interface (https://huggingface.co/docs/transformers/attention_interface),
under NAME; a model uses it after `model.set_attn_implementation(NAME)`. What a forward pass is to do, its AttentionPass
says, which is active only in the thread that runs it: models are shared by all visitors.

Shapes: B batch, H heads, T queries, S keys, d width of a head.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import eager_mask

from viz_core.models.protocol import AttentionKind, Hook, Place

NAME = "attention_microscope"
_active: ContextVar[AttentionPass | None] = ContextVar("attention_pass", default=None)


class AttentionPass:
    """What happens at the attentions of one forward pass, which are called in the order of `points`.

    points: layer and kind of each attention. embedded: what the first layer reads, `(B, T, D)`, in place of what the
    model embeds; after a pass without it, what the model has embedded.
    """

    def __init__(
        self,
        points: Sequence[tuple[int, AttentionKind]],
        need_attention: bool = False,
        hook: Hook | None = None,
        embedded: Tensor | None = None,
    ) -> None:
        self.embedded = embedded
        self.need_attention = need_attention
        self._points, self._hook = iter(points), hook
        self._weights: dict[AttentionKind, list[Tensor]] = {kind: [] for _, kind in points}

    @contextmanager
    def active(self) -> Iterator[None]:
        """Within it, attentions of this thread belong to this pass."""
        token = _active.set(self)
        try:
            yield
        finally:
            _active.reset(token)

    def next_place(self) -> Place:
        """Called once by each attention."""
        layer, kind = next(self._points)
        self._kind = kind
        return Place(self._hook, layer, kind)

    @property
    def needs_weights(self) -> bool:
        return self.need_attention or self._hook is not None

    def record(self, weights: Tensor) -> None:
        """Called by each attention after its hook: the weights that are used, `(B, H, T, S)`."""
        if self.need_attention:
            self._weights[self._kind].append(weights.float().cpu())

    def attention(self) -> dict[AttentionKind, Tensor]:
        """The weights by kind, `(L, B, H, T, S)`; empty if they were not requested."""
        return {kind: torch.stack(layers) for kind, layers in self._weights.items() if layers}


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    position_bias: Tensor | None = None,
    **_: object,
) -> tuple[Tensor, Tensor | None]:
    """Queries `(B, H, T, d)`, keys and values `(B, H, S, d)` -> contexts `(B, T, H, d)` and weights `(B, H, T, S)`.

    attention_mask: added to the scores, 0 or the lowest number. position_bias: what T5 and MPNet add to them for the
    distance between query and key.
    """
    current = _active.get()
    scaling = query.shape[-1] ** -0.5 if scaling is None else scaling
    if current is None or current.needs_weights or position_bias is not None:
        scores = query @ key.mT * scaling  # (B, H, T, S)
        if position_bias is not None:
            scores = scores + position_bias
        at = current.next_place() if current else Place()
        scores, value = at("scores", scores), at("values", value)
        if attention_mask is not None:
            scores = scores + attention_mask
        weights = scores.softmax(-1)
        weights = at("weights", weights)
        if current:
            current.record(weights)
        context = F.dropout(weights, dropout, module.training) @ value  # (B, H, T, d)
    else:
        weights = None
        context = F.scaled_dot_product_attention(query, key, value, attention_mask, dropout, scale=scaling)
    return context.transpose(1, 2).contiguous(), weights


def change_weights(module: nn.Module, inputs: tuple, weights: Tensor) -> Tensor:
    """A forward hook of torch, for the dropout of attention weights `(B, H, T, S)` in a family that does not go through
    the interface: records the weights and lets our hook change them; scores and values it does not see."""
    current = _active.get()
    if current is None:
        return weights
    weights = current.next_place()("weights", weights)
    current.record(weights)
    return weights


def exchange_embeddings(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
    """A forward hook of torch, for the module whose output `(B, T, D)` the first layer reads."""
    current = _active.get()
    if current is None:
        return output
    if current.embedded is None:
        current.embedded = output
    return current.embedded


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, eager_mask)
