"""An attention function for models of `transformers`, which records weights and calls our hook.

It is registered under NAME with the library's attention interface
(https://huggingface.co/docs/transformers/attention_interface); a model uses it after
`model.set_attn_implementation(NAME)`. An AttentionPass says what a forward pass is to do. It is
active only in the thread that runs it, because models are shared by all visitors.

Shapes: B batch, H heads, T queries, S keys, d width of a head.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import cast, get_args

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import eager_mask

from viz_core.adapters.scoring import Scoring, repeat_groups
from viz_core.models.protocol import NO_HOOK, AttentionKind, Hook, HookCaller, OutsideName, PointName
from viz_core.records import Failure

NAME = "attention_microscope"
# Arguments that do not change the result of the library's eager attention: the mask has windows and causality.
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
    "output_router_logits",
    "position_ids",
    "return_dict",
    "sliding_window",
    "use_cache",
}
OUTSIDE = frozenset(get_args(OutsideName))
BEFORE = {"token", "position", "segment", "embedding_sum"}  # points before the embeddings that a pass may start from
_active: ContextVar[AttentionPass | None] = ContextVar("attention_pass", default=None)


class AttentionPass:
    """What to do in one forward pass, and what has been recorded in it.

    The model calls its attentions in the order of the argument `attentions`, which has the layer and
    kind of each.

    Attributes:
        embedded: Input of the first layer (or of a mapping before it), `(B, T, E)`, to use instead
            of the model's embeddings; after a pass without it, the model's embeddings.
        last: Position of the last real token of each text, `(B,)`, if the output layer is to read
            only that.
        kind: Of the points that belong to no attention.
        place: Of the attention being computed.
        heads: Of the attention being computed.
        was_read: Input of the sub-layer being computed, which several of its modules read.
        scorings: If `defers`, what the weights of each attention are computed from, in the order of
            `attentions`.
    """

    def __init__(
        self,
        attentions: Sequence[tuple[int, AttentionKind]],
        need_attention: bool = False,
        hook: Hook | None = None,
        embedded: Tensor | None = None,
        last: Tensor | None = None,
        defers: bool = False,
    ) -> None:
        self.need_attention, self.embedded, self.last = need_attention, embedded, last
        self.place, self.heads, self.was_read = NO_HOOK, 0, torch.empty(0)
        self._attentions, self._hook = iter(attentions), hook
        self.kind: AttentionKind = attentions[0][1] if attentions else "self"
        self._layer, self._layers = -1, len(attentions)
        self._is_embedded, self._from_embeddings = False, embedded is not None
        self._residual = torch.empty(0)
        self._counts = Counter(kind for _, kind in attentions)
        self._weights: dict[AttentionKind, Tensor] = {}
        self._defers, self.scorings = defers, list[Scoring]()

    @contextmanager
    def active(self) -> Iterator[None]:
        """Let the attentions of this thread belong to this pass while the context lasts."""
        token = _active.set(self)
        try:
            yield
        finally:
            _active.reset(token)

    @property
    def has_hook(self) -> bool:
        """Whether anything may be seen or changed."""
        return self._hook is not None

    def next_hook(self, module: nn.Module, heads: int) -> HookCaller:
        """Move to the next attention; called once by each, with its module."""
        self.place, self.heads = HookCaller(self._hook, *next(self._attentions)), heads
        return self.place

    def at(self, name: PointName) -> HookCaller:
        """Return the hook caller of a point that belongs to no attention."""
        if name in BEFORE and self._from_embeddings:
            return NO_HOOK
        return HookCaller(self._hook, -1 if name in OUTSIDE else self._layer, self.kind)

    def embed(self, x: Tensor) -> Tensor:
        """Called with the embeddings of the model; returns those to use."""
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

    def read(self, x: Tensor, name: PointName) -> Tensor:
        """Called with the input of a sub-layer, by the first of its modules that reads it."""
        self.was_read = self.at(name)(name, x)
        return self.was_read

    def add(self, x: Tensor, name: PointName | None) -> Tensor:
        """Called with the output of a sub-layer, if the residual addition is not a module.

        Args:
            x: Output of the sub-layer.
            name: Hook point of the sum; None if the network adds another sub-layer at once.

        Returns:
            The output to use, such that the sum is what the hook makes of it.
        """
        if self._hook is None:
            return x
        before, total = self._residual, x + self._residual
        self._residual = self.at(name)(name, total) if name else total
        return x if self._residual is total else self._residual - before

    def end_layer(self, x: Tensor) -> Tensor:
        """Called with the output of each layer of a post-norm model."""
        x = self.at("residual_after")("residual_after", x)
        return self.at("final")("final", x) if self._layer == self._layers - 1 else x

    def pool(self, x: Tensor) -> Tensor:
        """Called with the input of the output layer, `(B, T, D)`; keeps only the last real token, `(B, 1, D)`."""
        if self.last is None:
            return x
        return self.at("pooled")("pooled", x[torch.arange(len(x), device=x.device), self.last])[:, None]

    def record(self, weights: Tensor) -> None:
        """Called by each attention after its hook, with the weights as used, `(B, H, T, S)`."""
        if self.need_attention:
            kind = self.place.kind
            if kind not in self._weights:  # all layers at once: stacked in the end, they would take the memory twice
                self._weights[kind] = torch.empty(self._counts[kind], *weights.shape)
            self._weights[kind][self.place.layer] = weights

    def defer(self, scoring: Scoring) -> None:
        """Called by `attend` before it computes."""
        if self._defers:
            self.scorings.append(scoring)

    def write(self, context: Tensor) -> None:
        """Called by `attend` with the context that it returns, `(B, T, H, d)`."""

    def attention(self) -> Mapping[AttentionKind, Tensor]:
        """Return the weights by kind, `(L, B, H, T, S)`; empty if they were not requested."""
        return self._weights


def current_pass() -> AttentionPass | None:
    """Return the active pass of this thread, if there is one."""
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
    """Compute attention, recording weights and calling the hook of the active pass.

    H is a multiple of G: neighbouring heads share keys and values; hooks see them repeated for each head.

    Args:
        module: The attention module of the library.
        query: `(B, H, T, d)`.
        key: `(B, G, S, d)`.
        value: `(B, G, S, d)`.
        attention_mask, position_bias, softcap: As in `Scoring`.
        scaling: Factor of the scores, by default 1/√d.
        dropout: On the weights, in training.
        others: Further arguments of the library.

    Returns:
        Contexts `(B, T, H, d)`, and weights `(B, H, T, S)` or None.

    Raises:
        Failure: For another argument that may change the result.
    """
    if unknown := [name for name, value in others.items() if name not in WITHOUT_EFFECT and value is not None]:
        raise Failure("adapters.attention_argument", module=type(module).__name__, argument=min(unknown))
    current = _active.get()
    scaling = query.shape[-1] ** -0.5 if scaling is None else scaling
    at = current.next_hook(module, query.shape[1]) if current else NO_HOOK
    is_recorded = current is None or current.need_attention or at.wants("scaled", "scores", "weights")
    is_fused = not is_recorded and position_bias is None and softcap is None
    if at.wants("keys", "values"):
        key, value = repeat_groups(key, query), repeat_groups(value, query)
    query, key, value = at("queries", query), at("keys", key), at("values", value)
    bias = None if position_bias is None else at("bias", position_bias)
    window = cast(int | None, others.get("sliding_window"))
    scoring = Scoring(query, key, attention_mask, scaling, bias, softcap, window)
    if current:
        current.defer(scoring)
    if not is_fused:
        scores = at("scores", scoring.scores(at("scaled", scoring.scaled())))  # (B, H, T, S)
        weights = at("weights", scoring.weights(scores))
        if current:
            current.record(weights)
        context = F.dropout(weights, dropout, module.training) @ repeat_groups(value, query)  # (B, H, T, d)
    else:
        weights = None
        is_grouped = key.shape[1] < query.shape[1]
        context = F.scaled_dot_product_attention(
            query, key, value, attention_mask, dropout, scale=scaling, enable_gqa=is_grouped
        )
    context = at("context", context)
    context = context.transpose(1, 2).contiguous()
    if current:
        current.write(context)
    return context, weights


def change_weights(module: nn.Module, inputs: tuple, weights: Tensor) -> Tensor:
    """Record attention weights `(B, H, T, S)`, and let our hook change them.

    A forward hook of torch for the dropout of the weights, in families that do not use the library's
    attention interface. It does not see scores and values.
    """
    current = _active.get()
    if current is None:
        return weights
    weights = current.next_hook(module, weights.shape[1])("weights", weights)
    current.record(weights)
    return weights


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, eager_mask)
