"""Decoder-only Transformer, a language model (Radford et al. 2018), written from scratch.

Its parts, attention.py and layers.py, are shared with the encoder and the encoder-decoder.

Shapes: B batch, L layers, H heads, S tokens read before, T further tokens, D model width, d width of
a head, C tokens of the vocabulary.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_core.models.anatomy import Anatomy, Linear, Norm, Stack
from viz_core.models.attention import KeysValues, Rotation
from viz_core.models.decoder_config import DecoderConfig
from viz_core.models.dropout import Dropout
from viz_core.models.embedding import sinusoidal_positions
from viz_core.models.layers import CausalLayer, initialise
from viz_core.models.protocol import AttentionKind, Hook, HookCaller, Output


class ReadingState(NamedTuple):
    """What a language model has read.

    Attributes:
        mask: `(B, S)`, True for real tokens.
        past: Keys and values per layer, `(B, H, S, d)`, or of fewer heads where several share
            them; empty before the first token.
    """

    mask: Tensor
    past: tuple[KeysValues, ...] = ()

    def at(self, rows: Tensor) -> ReadingState:
        """Select batch rows, which may repeat."""
        return ReadingState(self.mask[rows], tuple(layer.at(rows) for layer in self.past))

    def first(self, count: int) -> ReadingState:
        """Return the state after the first tokens, of which there may be none."""
        return ReadingState(self.mask[:, :count], tuple(layer.first(count) for layer in self.past) if count else ())


class Decoder(nn.Module):
    """A `protocol.LanguageModel` whose token embeddings are also its output layer (Press & Wolf 2017)."""

    attention_kinds: tuple[AttentionKind, ...] = ("causal",)
    sinusoid: Tensor

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocabulary, config.width)
        if config.positions == "learned":
            self.position = nn.Embedding(config.max_tokens, config.width)
        elif config.positions == "sinusoidal":
            self.register_buffer("sinusoid", sinusoidal_positions(config.max_tokens, config.width), persistent=False)
        self.dropout = Dropout(config.dropout)
        self.layers = cast(Sequence[CausalLayer], nn.ModuleList(CausalLayer(config) for _ in range(config.layers)))
        self.norm = nn.LayerNorm(config.width, config.norm_epsilon) if config.norm == "pre" else nn.Identity()
        self.apply(partial(initialise, deviation=config.initializer_range))
        with torch.no_grad():  # the residual stream is a sum of 2·L outputs (Radford et al. 2019, section 2.3)
            for layer in self.layers:
                for output in (layer.attention.output, layer.feedforward[-1]):
                    cast(nn.Linear, output).weight /= math.sqrt(2 * config.layers)

    @property
    def output_projections(self) -> dict[str, list[Tensor]]:
        """Output projection of each layer, `(D, D)`, outputs first, by kind of attention."""
        return {"causal": [layer.attention.output.weight for layer in self.layers]}

    @property
    def anatomy(self) -> Anatomy:
        """Weights of the model by function."""
        config, token, table = self.config, self.token_embedding.weight, self._position_table
        return Anatomy(
            heads=config.heads,
            key_heads=config.heads,
            norm=config.norm,
            activation=config.activation,
            positions=config.positions,
            pooling="last",
            encoder=None,
            decoder=Stack(
                {"token": token} if table is None else {"token": token, "position": table},
                [layer.parts() for layer in self.layers],
                final_norm=Norm.of(self.norm),
            ),
            classifier=Linear(token),
        )

    def forward(
        self,
        ids: Tensor,
        segments: Tensor | None = None,
        mask: Tensor | None = None,
        need_attention: bool = False,
        hook: Hook | None = None,
    ) -> Output:
        """Compute all logits at once: those at t predict the token after token t.

        No mask is needed: no token attends to a later one, so padding after a text changes nothing
        before it.

        Args:
            ids: `(B, T)` int64.
            segments: Ignored.
            mask: Ignored.
            need_attention: Whether to return attention weights.
            hook: Called at its points of the pass.

        Returns:
            Logits `(B, T, C)` and, if requested, causal attention `(L, B, H, T, T)`.

        Raises:
            ValueError: If T exceeds the positions of the model.
        """
        positions = torch.arange(ids.shape[1], device=ids.device)[None]
        return self._run(ids, positions, None, (), need_attention, hook)[0]

    def start(self, ids: Tensor, mask: Tensor, hook: Hook | None = None) -> ReadingState:
        """Return the state after reading `(B, S)` ids, of which there may be none; padding comes last."""
        nothing = ReadingState(mask[:, :0])
        return self._continue(nothing, ids, mask, False, hook)[1] if ids.shape[1] else nothing

    def advance(self, state: ReadingState, tokens: Tensor, hook: Hook | None = None) -> tuple[Tensor, ReadingState]:
        """Read the next token of each text, `(B,)`; return the logits after it, `(B, C)`, and the state."""
        output, state = self.read(state, tokens[:, None], hook=hook)
        return output.logits[:, 0], state

    def read(
        self, state: ReadingState, ids: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> tuple[Output, ReadingState]:
        """Read further tokens `(B, T)`; nothing is computed again for those before.

        Returns:
            The logits `(B, T, C)` after each of them and, if requested, the causal attention of each
            of them, `(L, B, H, T, S + T)`; and the state.

        Raises:
            ValueError: If the tokens exceed the positions of the model.
        """
        ids = ids.to(state.mask.device)
        return self._continue(state, ids, torch.ones_like(ids, dtype=torch.bool), need_attention, hook)

    def _continue(
        self, state: ReadingState, ids: Tensor, mask: Tensor, need_attention: bool, hook: Hook | None
    ) -> tuple[Output, ReadingState]:
        S, T = state.mask.shape[1], ids.shape[1]
        mask = torch.cat([state.mask, mask], dim=1)  # (B, S + T)
        positions = (mask.cumsum(1)[:, S:] - 1).clamp(min=0)  # of real tokens: padding between them takes none
        earlier = torch.ones(T, S + T, dtype=torch.bool, device=ids.device).tril(S)
        visible = mask[:, None] & earlier | torch.eye(S + T, dtype=torch.bool, device=ids.device)[S:]
        output, past = self._run(ids, positions, visible, state.past, need_attention, hook)
        return output, ReadingState(mask, past)

    def _run(
        self,
        ids: Tensor,
        positions: Tensor,
        mask: Tensor | None,
        past: Sequence[KeysValues],
        need_attention: bool,
        hook: Hook | None,
    ) -> tuple[Output, tuple[KeysValues, ...]]:
        """Compute the output for tokens `(B, T)` at positions `(B, T)`, and keys and values of all tokens so far."""
        config, at = self.config, HookCaller(hook, kind="causal")
        if (end := len(past[0].keys[0, 0]) if past else 0) + ids.shape[1] > config.max_tokens:
            raise ValueError(
                f"{end + ids.shape[1]} tokens exceed the {config.max_tokens} positions of this model: shorten the text"
            )
        x, table = at("token", self.token_embedding(ids)), self._position_table
        if table is not None:
            x = x + at("position", F.embedding(positions, table))
        x = at("embedding", self.dropout(at("embedding_sum", x)))
        rotation = Rotation.of(positions, config.width // config.heads) if config.positions == "rotary" else None
        read, attention = [], []
        for number, layer in enumerate(self.layers):
            before = past[number] if past else None
            x, own, weights = layer(x, mask, before, need_attention, HookCaller(hook, number, "causal"), rotation)
            read.append(own)
            attention.append(weights)
        logits = at("logits", F.linear(at("final", self.norm(x)), self.token_embedding.weight))  # (B, T, C)
        causal: Mapping[AttentionKind, Tensor] = {"causal": torch.stack(attention)} if need_attention else {}
        return Output(logits, causal), tuple(read)

    @property
    def _position_table(self) -> Tensor | None:
        """Position embeddings `(max_tokens, D)` that are added; None with rotary positions."""
        match self.config.positions:
            case "learned":
                return self.position.weight
            case "sinusoidal":
                return self.sinusoid
        return None
