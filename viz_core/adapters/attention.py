"""One attention function for models of `transformers`, which records weights and calls our hook.

It is registered with the library's attention interface
(https://huggingface.co/docs/transformers/attention_interface), under NAME; a model uses it after
`model.set_attn_implementation(NAME)`. What a forward pass is to do, its AttentionPass says, which
is active only in the thread that runs it: models are shared by all visitors.

Shapes: B batch, H heads, T queries, S keys, d width of a head.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import get_args

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import eager_mask

from viz_core.models.protocol import NO_HOOK, AttentionKind, Hook, HookCaller, OutsideName, PointName
from viz_core.records import Failure

NAME = "attention_microscope"
# Arguments with which the library's eager attention computes the same as without: the mask has windows and causality.
WITHOUT_EFFECT = {
    "cache_position",
    "cu_seq_lens_k",
    "cu_seq_lens_q",
    "deterministic",
    "is_causal",
    "max_length_k",
    "max_length_q",
    "output_attentions",
    "output_hidden_states",
    "position_ids",
    "return_dict",
    "sliding_window",
    "use_cache",
}
OUTSIDE = frozenset(get_args(OutsideName))
BEFORE = {"token", "position", "segment", "embedding_sum"}  # points before the embeddings that a pass may start from
_active: ContextVar[AttentionPass | None] = ContextVar("attention_pass", default=None)


class AttentionPass:
    """What happens in one forward pass.

    The attentions are called in the order of `attentions`, their layers and kinds.

    Attributes:
        embedded: What the first layer (or a mapping before it) reads, `(B, T, E)`, in place of what
            the model embeds; after a pass without it, what the model has embedded.
        last: The real token that comes last in each text, `(B,)`, if the output layer is to read
            only that. place: of the attention that is being computed, which has `heads`. was_read:
            what its queries were computed from.
    """

    def __init__(
        self,
        attentions: Sequence[tuple[int, AttentionKind]],
        need_attention: bool = False,
        hook: Hook | None = None,
        embedded: Tensor | None = None,
        last: Tensor | None = None,
    ) -> None:
        self.need_attention, self.embedded, self.last = need_attention, embedded, last
        self.place, self.heads, self.was_read = NO_HOOK, 0, torch.empty(0)
        self._attentions, self._hook = iter(attentions), hook
        self._kind: AttentionKind = attentions[0][1] if attentions else "self"
        self._layer, self._layers = -1, len(attentions)
        self._is_embedded, self._from_embeddings = False, embedded is not None
        self._residual = torch.empty(0)
        self._weights: dict[AttentionKind, list[Tensor]] = {kind: [] for _, kind in attentions}

    @contextmanager
    def active(self) -> Iterator[None]:
        """Within it, attentions of this thread belong to this pass."""
        token = _active.set(self)
        try:
            yield
        finally:
            _active.reset(token)

    def next_hook(self, module: nn.Module, heads: int) -> HookCaller:
        """Called once by each attention, with its module."""
        self.place, self.heads = HookCaller(self._hook, *next(self._attentions)), heads
        return self.place

    def at(self, name: PointName) -> HookCaller:
        """The place of a point that belongs to no attention."""
        if name in BEFORE and self._from_embeddings:
            return NO_HOOK
        return HookCaller(self._hook, -1 if name in OUTSIDE else self._layer, self._kind)

    def embed(self, x: Tensor) -> Tensor:
        """Called with what the model has embedded."""
        self._is_embedded = True
        if self.embedded is None:
            self.embedded = self.at("embedding")("embedding", x)
        return self.embedded

    def start_layer(self, x: Tensor) -> Tensor:
        """Called with the residual stream before each layer."""
        self._layer += 1
        x = x if self._is_embedded else self.embed(x)
        self._residual = self.at("residual_before")("residual_before", x)
        return self._residual

    def read(self, x: Tensor) -> Tensor:
        """Called with what an attention reads."""
        self.was_read = self.at("attention_input")("attention_input", x)
        return self.was_read

    def add(self, x: Tensor, name: PointName) -> Tensor:
        """Called with what a sub-layer returns, if the residual addition is no module: what it is to return, so that the sum is what the hook makes of it.

        Args:
            name: Of the sum.
        """
        if self._hook is None:
            return x
        before, total = self._residual, x + self._residual
        self._residual = self.at(name)(name, total)
        return x if self._residual is total else self._residual - before

    def end_layer(self, x: Tensor) -> Tensor:
        """Called with what each layer of a post-norm model returns."""
        x = self.at("residual_after")("residual_after", x)
        return self.at("final")("final", x) if self._layer == self._layers - 1 else x

    def pool(self, x: Tensor) -> Tensor:
        """Called with what the output layer is to read, `(B, T, D)`; of which it then reads `(B, 1, D)`."""
        if self.last is None:
            return x
        return self.at("pooled")("pooled", x[torch.arange(len(x), device=x.device), self.last])[:, None]

    def record(self, weights: Tensor) -> None:
        """Called by each attention after its hook: the weights that are used, `(B, H, T, S)`."""
        if self.need_attention:
            self._weights[self.place.kind].append(weights.float().cpu())

    def write(self, context: Tensor) -> None:
        """Called by each attention that is ours with what it returns, `(B, T, H, d)`."""

    def attention(self) -> dict[AttentionKind, Tensor]:
        """The weights by kind, `(L, B, H, T, S)`; empty if they were not requested."""
        return {kind: torch.stack(layers) for kind, layers in self._weights.items() if layers}


def current_pass() -> AttentionPass | None:
    """That of this thread."""
    return _active.get()


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    position_bias: Tensor | None = None,
    softcap: float | None = None,
    **others: object,
) -> tuple[Tensor, Tensor | None]:
    """Queries `(B, H, T, d)`, keys and values `(B, G, S, d)` -> contexts `(B, T, H, d)` and weights `(B, H, T, S)`.

    H is a multiple of G: neighbouring heads share keys and values (grouped-query attention, Ainslie
    et al. 2023, https://arxiv.org/abs/2305.13245); hooks see them repeated for each head.

    Args:
        attention_mask: Added to the scores, 0 or the lowest number; windows are part of it.
        position_bias: What T5 and MPNet add to them for the distance between query and key.
        softcap: Bounds them by c tanh(x / c) (Gemma 2, https://arxiv.org/abs/2408.00118, section
            2).

    Raises:
        Failure: For another argument that may change the result.
    """
    if unknown := [name for name, value in others.items() if name not in WITHOUT_EFFECT and value is not None]:
        raise Failure("adapters.attention_argument", module=type(module).__name__, argument=min(unknown))
    current = _active.get()
    scaling = query.shape[-1] ** -0.5 if scaling is None else scaling
    if (group := query.shape[1] // key.shape[1]) > 1:
        key, value = (tensor.repeat_interleave(group, dim=1) for tensor in (key, value))  # (B, H, S, d)
    at = current.next_hook(module, query.shape[1]) if current else NO_HOOK
    query, key, value = at("queries", query), at("keys", key), at("values", value)
    bias = None if position_bias is None else at("bias", position_bias)
    is_recorded = current is None or current.need_attention or at.wants("scores", "weights")
    if is_recorded or bias is not None or softcap is not None:
        scores = query @ key.mT * scaling  # (B, H, T, S)
        if softcap is not None:
            scores = softcap * torch.tanh(scores / softcap)
        scores = at("scores", scores if bias is None else scores + bias)
        if attention_mask is not None:
            scores = scores + attention_mask
        weights = at("weights", scores.softmax(-1))
        if current:
            current.record(weights)
        context = F.dropout(weights, dropout, module.training) @ value  # (B, H, T, d)
    else:
        weights = None
        context = F.scaled_dot_product_attention(query, key, value, attention_mask, dropout, scale=scaling)
    context = at("context", context)
    context = context.transpose(1, 2).contiguous()
    if current:
        current.write(context)
    return context, weights


def change_weights(module: nn.Module, inputs: tuple, weights: Tensor) -> Tensor:
    """A forward hook of torch, for the dropout of attention weights `(B, H, T, S)` in a family that does not go through the interface: records the weights and lets our hook change them; scores and values it does not see."""
    current = _active.get()
    if current is None:
        return weights
    weights = current.next_hook(module, weights.shape[1])("weights", weights)
    current.record(weights)
    return weights


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, eager_mask)
