"""Transformer encoder-decoder (Vaswani et al. 2017), written from scratch.

Its parts, attention.py and layers.py, are shared with the encoder.

Shapes: B batch, L layers, H heads, S source tokens, T target tokens, P target tokens before them, D
model width, C tokens of the vocabulary. Masks are True where a token is real and False where it is
padding; padding comes last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_core.models.anatomy import Anatomy, Linear, Norm, Stack
from viz_core.models.attention import KeysValues
from viz_core.models.dropout import Dropout
from viz_core.models.encoder_decoder_config import EncoderDecoderConfig
from viz_core.models.layers import DecoderLayer, Layer, initialise, run_layers
from viz_core.models.protocol import NO_HOOK, AttentionKind, Hook, HookCaller, Output


class DecoderState(NamedTuple):
    """Keys and values that the decoder has read so far.

    Attributes:
        source: Keys and values of the source, per layer.
        source_mask: `(B, S)`.
        past: Keys and values of the target so far, per layer; empty before the first token.
    """

    source: tuple[KeysValues, ...]
    source_mask: Tensor
    past: tuple[KeysValues, ...] = ()

    @property
    def length(self) -> int:
        """Number of target tokens decoded so far, P."""
        return self.past[0].keys.shape[2] if self.past else 0

    def at(self, rows: Tensor) -> DecoderState:
        """Select batch rows, which may repeat."""
        return DecoderState(
            tuple(layer.at(rows) for layer in self.source),
            self.source_mask[rows],
            tuple(layer.at(rows) for layer in self.past),
        )


class Positions(nn.Module):
    """Adds learned position embeddings to token embeddings."""

    def __init__(self, config: EncoderDecoderConfig) -> None:
        super().__init__()
        # `initialise` makes them as small as the token embeddings; larger ones would drown out the tokens.
        self.position = nn.Embedding(config.max_tokens, config.width)
        self.norm = nn.LayerNorm(config.width) if config.norm == "pre" else nn.Identity()
        self.dropout = Dropout(config.dropout)

    def forward(self, x: Tensor, start: int = 0, at: HookCaller = NO_HOOK) -> Tensor:
        """Add position embeddings to x `(B, T, D)`, whose first token is at position `start`.

        Raises:
            ValueError: If there are not enough positions.
        """
        end = start + x.shape[1]
        if end > self.position.num_embeddings:
            raise ValueError(
                f"{end} tokens exceed the {self.position.num_embeddings} positions of this model: shorten the text"
            )
        x = at("embedding_sum", at("token", x) + at("position", self.position.weight[None, start:end]))
        return at("embedding", self.dropout(self.norm(x)))


class EncoderDecoder(nn.Module):
    """A `protocol.SequenceToSequence` whose source, target and output layer share their token embeddings.

    See Press & Wolf 2017, section 3.
    """

    attention_kinds = ("self", "causal", "cross")

    def __init__(self, config: EncoderDecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocabulary, config.width)
        self.source_positions, self.target_positions = Positions(config), Positions(config)
        layers, later = (nn.ModuleList(kind(config) for _ in range(config.layers)) for kind in (Layer, DecoderLayer))
        self.encoder_layers = cast(Sequence[Layer], layers)
        self.decoder_layers = cast(Sequence[DecoderLayer], later)
        pre = config.norm == "pre"
        self.encoder_norm = nn.LayerNorm(config.width) if pre else nn.Identity()
        self.decoder_norm = nn.LayerNorm(config.width) if pre else nn.Identity()
        self.output_bias = nn.Parameter(torch.zeros(config.vocabulary))
        self.apply(initialise)

    @property
    def output_projections(self) -> dict[str, list[Tensor]]:
        """Output projection of each layer, `(D, D)`, outputs first, by kind of attention."""
        return {
            "self": [layer.attention.output.weight for layer in self.encoder_layers],
            "causal": [layer.attention.output.weight for layer in self.decoder_layers],
            "cross": [layer.cross_attention.output.weight for layer in self.decoder_layers],
        }

    @property
    def anatomy(self) -> Anatomy:
        """Weights of the model by function."""
        config, token = self.config, self.token_embedding.weight

        def stack(positions: Positions, layers: Sequence[Layer], final: nn.Module) -> Stack:
            return Stack(
                {"token": token, "position": positions.position.weight},
                [layer.parts() for layer in layers],
                embedding_norm=Norm.of(positions.norm),
                final_norm=Norm.of(final),
            )

        return Anatomy(
            heads=config.heads,
            key_heads=config.heads,
            norm=config.norm,
            activation=config.activation,
            positions="learned",
            pooling=None,
            encoder=stack(self.source_positions, self.encoder_layers, self.encoder_norm),
            decoder=stack(self.target_positions, self.decoder_layers, self.decoder_norm),
            classifier=Linear(token, self.output_bias),
        )

    def forward(
        self,
        source: Tensor,
        source_mask: Tensor,
        target: Tensor,
        need_attention: bool = False,
        hook: Hook | None = None,
    ) -> Output:
        """Compute all logits at once with teacher forcing: those at t predict the token after target t.

        The target needs no mask: no token attends to a later one, so padding after it changes nothing
        before it.

        Args:
            source: `(B, S)` int64.
            source_mask: `(B, S)` bool.
            target: `(B, T)` int64.
            need_attention: Whether to return attention weights.
            hook: Called at its points of the pass.

        Returns:
            Logits `(B, T, C)` and, if requested, attention.

        Raises:
            ValueError: If S or T exceeds the positions of the model.
        """
        encoded, own = self.encode(source, source_mask, need_attention, hook)
        output, _ = self.decode(target, self._state(encoded, source_mask), need_attention, hook)
        return Output(output.logits, output.attention if own is None else {"self": own, **output.attention})

    def encode(
        self, source: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Encode the source: `(B, S, D)` and, if requested, self-attention `(L, B, H, S, S)`."""
        at = HookCaller(hook)
        x = self.source_positions(self.token_embedding(source), at=at)
        x, attention = run_layers(self.encoder_layers, x, mask, need_attention, hook)
        return at("final", self.encoder_norm(x)), attention

    def start(self, ids: Tensor, mask: Tensor, hook: Hook | None = None) -> DecoderState:
        """Return the state before the first target token, for source ids `(B, S)`."""
        return self._state(self.encode(ids, mask, hook=hook)[0], mask)

    def _state(self, encoded: Tensor, mask: Tensor) -> DecoderState:
        source = tuple(layer.cross_attention.keys_values(encoded) for layer in self.decoder_layers)
        return DecoderState(source, mask)

    def advance(self, state: DecoderState, tokens: Tensor, hook: Hook | None = None) -> tuple[Tensor, DecoderState]:
        """Take the next token of each sequence, `(B,)`; return the logits after it, `(B, C)`, and the state."""
        output, state = self.decode(tokens.to(state.source_mask.device)[:, None], state, hook=hook)
        return output.logits[:, -1], state

    def decode(
        self, target: Tensor, state: DecoderState, need_attention: bool = False, hook: Hook | None = None
    ) -> tuple[Output, DecoderState]:
        """Compute the output for the next target tokens `(B, T)`, and the state after them.

        Nothing is computed again for the P tokens before, whose keys and values are in the state.
        Causal attention is `(L, B, H, T, P + T)`.
        """
        T, P, at = target.shape[1], state.length, HookCaller(hook, kind="causal")
        x = self.target_positions(self.token_embedding(target), P, at)
        mask = torch.ones(1, T, P + T, dtype=torch.bool, device=x.device).tril(P)  # no token attends to a later one
        past, causal, cross = [], [], []
        for number, layer in enumerate(self.decoder_layers):
            x, own, *weights = layer(
                x,
                mask,
                state.source[number],
                state.source_mask,
                state.past[number] if state.past else None,
                need_attention,
                HookCaller(hook, number, "causal"),
            )
            past.append(own)
            causal.append(weights[0])
            cross.append(weights[1])
        x = at("final", self.decoder_norm(x))
        logits = at("logits", F.linear(x, self.token_embedding.weight, self.output_bias))  # (B, T, C)
        attention: Mapping[AttentionKind, Tensor]
        attention = {"causal": torch.stack(causal), "cross": torch.stack(cross)} if need_attention else {}
        return Output(logits, attention), state._replace(past=tuple(past))
