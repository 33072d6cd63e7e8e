"""Layers of encoder and decoder (Vaswani et al. 2017, section 3.1).

Attention and feed-forward each have a residual addition, and a layer normalisation before or after.

Shapes: B batch, L layers, H heads, T tokens, S tokens of the other sequence, D model width.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from viz_core.models.anatomy import FeedForwardParts, LayerParts, Linear, Norm
from viz_core.models.attention import Attention, KeysValues, Rotation
from viz_core.models.dropout import Dropout
from viz_core.models.encoder_decoder_config import LayerConfig
from viz_core.models.protocol import NO_HOOK, AttentionKind, Hook, HookCaller, PointName

_ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {"relu": nn.ReLU, "gelu": nn.GELU}


class Layer(nn.Module):
    """An encoder layer: self-attention and feed-forward."""

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        self.norm_first = config.norm == "pre"
        self.attention = Attention(config)
        self.attention_norm = nn.LayerNorm(config.width, config.norm_epsilon)
        self.feedforward = nn.Sequential(
            nn.Linear(config.width, config.feedforward),
            _ACTIVATIONS[config.activation](),
            Dropout(config.dropout),
            nn.Linear(config.feedforward, config.width),
        )
        self.feedforward_norm = nn.LayerNorm(config.width, config.norm_epsilon)
        self.dropout = Dropout(config.dropout)

    def forward(
        self,
        x: Tensor,
        mask: Tensor,
        need_attention: bool,
        out: Tensor | None = None,
        at: HookCaller = NO_HOOK,
        rotation: Rotation | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Compute the layer; x is `(B, T, D)`, and the other arguments are those of Attention.

        Returns:
            The new x `(B, T, D)` and, if requested, attention `(B, H, T, T)`.
        """
        x = at("residual_before", x)
        rotation = rotation and rotation.seen(at)
        y = at("attention_input", self._input(x, self.attention_norm))
        attended, attention = self.attention(y, mask, need_attention, out, at, None, rotation)
        x = at("residual_middle", self._add(x, attended, self.attention_norm, at, "attention_sum"))
        return self._add_feedforward(x, at), attention

    def parts(self, kind: AttentionKind = "self") -> LayerParts:
        """Return the weights for `Anatomy`; `kind` is that of the layer's first attention."""
        first, _, _, second = self.feedforward
        feedforward = FeedForwardParts(Norm.of(self.feedforward_norm), Linear.of(first), Linear.of(second))
        return LayerParts({kind: self.attention.parts(self.attention_norm)}, feedforward)

    def _add_feedforward(self, x: Tensor, at: HookCaller) -> Tensor:
        first, activation, dropout, second = self.feedforward
        y = at("feedforward_input", self._input(x, self.feedforward_norm))
        y = at("feedforward_activated", activation(at("feedforward_hidden", first(y))))
        y = at("feedforward_output", second(dropout(y)))
        return at("residual_after", self._add(x, y, self.feedforward_norm, at, "feedforward_sum"))

    def _input(self, x: Tensor, norm: nn.LayerNorm) -> Tensor:
        """Return the input of a sub-layer: x, normalised if pre-norm."""
        return norm(x) if self.norm_first else x

    def _add(self, x: Tensor, output: Tensor, norm: nn.LayerNorm, at: HookCaller, name: PointName) -> Tensor:
        """Add the output of a sub-layer to x, and normalise if post-norm.

        Args:
            name: Hook point of the sum before it is normalised.
        """
        x = x + self.dropout(output)
        return x if self.norm_first else norm(at(name, x))


class CausalLayer(Layer):
    """A layer whose tokens attend to themselves and those before them."""

    def parts(self, kind: AttentionKind = "causal") -> LayerParts:
        """Return the weights for `Anatomy`."""
        return super().parts(kind)

    def forward(  # type: ignore[override]  # also takes the tokens before
        self,
        x: Tensor,
        mask: Tensor | None,
        past: KeysValues | None = None,
        need_attention: bool = False,
        at: HookCaller = NO_HOOK,
        rotation: Rotation | None = None,
    ) -> tuple[Tensor, KeysValues, Tensor | None]:
        """Compute the layer.

        Args:
            x: `(B, T, D)`.
            mask: `(B, T, P + T)`, or None without tokens before.
            past: Keys and values of the P tokens before x.
            need_attention: Whether to return attention weights.
            at: Calls the hook, if there is one.
            rotation: Of queries and keys.

        Returns:
            The new x `(B, T, D)`, the keys and values of all tokens so far and, if requested, causal
            attention `(B, H, T, P + T)`.
        """
        x, own, attention = self._attend(x, mask, past, need_attention, at, rotation)
        return self._add_feedforward(x, at), own, attention

    def _attend(
        self,
        x: Tensor,
        mask: Tensor | None,
        past: KeysValues | None,
        need_attention: bool,
        at: HookCaller,
        rotation: Rotation | None = None,
    ) -> tuple[Tensor, KeysValues, Tensor | None]:
        """Compute `forward` up to the residual stream after the causal attention."""
        x = at("residual_before", x)
        rotation = rotation and rotation.seen(at)
        y = at("attention_input", self._input(x, self.attention_norm))
        own = self.attention.keys_values(y, rotation, at)
        own = past.append(own) if past else own
        attended, attention = self.attention(y, mask, need_attention, None, at, own, rotation)
        return at("residual_middle", self._add(x, attended, self.attention_norm, at, "attention_sum")), own, attention


class DecoderLayer(CausalLayer):
    """A layer of an encoder-decoder's decoder: causal attention, cross-attention, and feed-forward."""

    def __init__(self, config: LayerConfig) -> None:
        super().__init__(config)
        self.cross_attention = Attention(config)
        self.cross_attention_norm = nn.LayerNorm(config.width, config.norm_epsilon)

    def parts(self, kind: AttentionKind = "causal") -> LayerParts:
        """Return the weights for `Anatomy`, including the cross-attention."""
        own, feedforward = super().parts(kind)
        return LayerParts({**own, "cross": self.cross_attention.parts(self.cross_attention_norm)}, feedforward)

    def forward(  # type: ignore[override]  # also takes a source
        self,
        x: Tensor,
        mask: Tensor,
        source: KeysValues,
        source_mask: Tensor,
        past: KeysValues | None = None,
        need_attention: bool = False,
        at: HookCaller = NO_HOOK,
    ) -> tuple[Tensor, KeysValues, Tensor | None, Tensor | None]:
        """Compute the layer.

        Args:
            x: `(B, T, D)`.
            mask: `(B, T, P + T)`.
            source: Keys and values of the source tokens.
            source_mask: `(B, S)`.
            past: Keys and values of the P target tokens before x.
            need_attention: Whether to return attention weights.
            at: Calls the hook, if there is one.

        Returns:
            The new x `(B, T, D)`, the keys and values of all target tokens so far and, if requested,
            causal attention `(B, H, T, P + T)` and cross-attention `(B, H, T, S)`.
        """
        x, own, causal = self._attend(x, mask, past, need_attention, at)
        to_source = at._replace(kind="cross")
        y = to_source("attention_input", self._input(x, self.cross_attention_norm))
        attended, cross = self.cross_attention(y, source_mask, need_attention, None, to_source, source)
        x = self._add(x, attended, self.cross_attention_norm, to_source, "attention_sum")
        return self._add_feedforward(to_source("residual_middle", x), at), own, causal, cross


def run_layers(
    layers: Sequence[Layer],
    x: Tensor,
    mask: Tensor,
    need_attention: bool,
    hook: Hook | None,
    rotation: Rotation | None = None,
) -> tuple[Tensor, Tensor | None]:
    """Run layers one after another.

    Without gradients each layer computes its attention in place in the result, so that nothing else
    of that size is allocated; gradients need a tensor per layer that is not overwritten.

    Args:
        layers: In order.
        x: `(B, T, D)`.
        mask: As in Attention.
        need_attention: Whether to return attention weights.
        hook: Called at its points of the pass.
        rotation: Of queries and keys.

    Returns:
        The output of the last layer `(B, T, D)` and, if requested, attention `(L, B, H, T, T)`.
    """
    B, T, _ = x.shape
    # Not under autocast, which computes scores in another type than that of x.
    L, callers = len(layers), [HookCaller(hook, number) for number in range(len(layers))]
    seen = any(at.wants("scaled", "scores", "weights") for at in callers)
    in_place = need_attention and not (seen or torch.is_grad_enabled() or torch.is_autocast_enabled(x.device.type))
    buffers = x.new_empty(L, B, layers[0].attention.heads, T, T) if in_place else None
    attention = []
    for number, (layer, at) in enumerate(zip(layers, callers, strict=True)):
        buffer = None if buffers is None else buffers[number]
        x, weights = layer(x, mask, need_attention, buffer, at, rotation)
        attention.append(weights)
    if not need_attention:
        return x, None
    return x, torch.stack(attention) if buffers is None else buffers


def initialise(module: nn.Module, deviation: float = 0.02) -> None:
    """Initialise weights from a normal distribution (standard deviation 0.02, as in BERT), and biases with zero."""
    if isinstance(module, (nn.Linear, nn.Embedding, nn.Conv1d)):
        nn.init.normal_(module.weight, std=deviation)
    if isinstance(module, (nn.Linear, nn.Conv1d)) and module.bias is not None:
        nn.init.zeros_(module.bias)
