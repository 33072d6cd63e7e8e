"""Decoder-only Transformer, a language model (Radford et al. 2018), written from scratch.

Its parts, attention.py and layers.py, are shared with the encoder and the encoder-decoder. Shapes: B
batch, L layers, H heads, S tokens read before, T further tokens, D width, C tokens of the vocabulary.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_core.models.anatomy import Anatomy, Linear, Norm, ReadOut, Stack
from viz_core.models.attention import KeysValues, Rotation
from viz_core.models.decoder_config import DecoderConfig
from viz_core.models.dropout import Dropout
from viz_core.models.embedding import sinusoidal_positions
from viz_core.models.layers import CausalLayer, initialise
from viz_core.models.protocol import AttentionKind, Hook, HookCaller, Output
from viz_core.models.reading_state import ReadingState, causal_mask


class Decoder(nn.Module):
    """A `protocol.LanguageModel`, and a `protocol.Model` whose classes are the tokens that may come next.

    Its token embeddings are also its output layer (Press & Wolf 2017).
    """

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
        self.apply(lambda module: initialise(module, config.initializer_range))
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

    @property
    def read_out(self) -> ReadOut | None:
        """What maps the end of the residual stream to the logits; None in a post-norm model."""
        return self.anatomy.read_out

    def forward(
        self, ids: Tensor, segments: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """Compute the logits of the token after each text, `(B, C)`.

        Args:
            ids: `(B, T)` int64.
            segments: Ignored.
            mask: `(B, T)` bool, True for real tokens; the others keep their positions.
            need_attention: Whether to return causal attention, `(L, B, H, T, T)`.
            hook: Called at its points of the pass.

        Raises:
            ValueError: If T exceeds the positions of the model.
        """
        return self.from_embeddings(self.embed(ids, segments, mask, hook), mask, need_attention, hook)

    def predict(self, ids: Tensor, need_attention: bool = False, hook: Hook | None = None) -> Output:
        """Compute the logits after every token, `(B, T, C)`; padding after a text changes nothing before it."""
        x, attention, _ = self._layers(self._embed(ids, _positions(ids), hook), None, need_attention, hook)
        return self._output(x, attention, hook)

    def vectors(self, ids: Tensor) -> Tensor:
        """Compute what the output layer reads after every token, `(B, T, D)`."""
        return self._layers(self._embed(ids, _positions(ids), None), None, False, None)[0]

    def embed(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """Compute the input of the first layer, `(B, T, D)`."""
        return self._embed(ids, _positions(ids), hook)

    def from_embeddings(
        self, x: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """Compute the output from embeddings `(B, T, D)`."""
        x, attention, _ = self._layers(x, causal_mask(mask), need_attention, hook)
        last = (torch.arange(x.shape[1], device=x.device) * mask).argmax(1)  # (B,)
        pooled = x[torch.arange(len(x), device=x.device), last]
        return self._output(HookCaller(hook, kind="causal")("pooled", pooled), attention, hook)

    def encode(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """Compute the output of the last layer, `(B, T, D)`."""
        return self._layers(self.embed(ids, segments, mask, hook), causal_mask(mask), False, hook)[0]

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
        mask, T = torch.cat([state.mask, mask], dim=1), ids.shape[1]  # (B, S + T)
        positions = (mask.cumsum(1)[:, -T:] - 1).clamp(min=0)  # of real tokens: padding between them takes none
        x = self._embed(ids, positions, hook, before=state.mask.shape[1])
        x, attention, past = self._layers(x, causal_mask(mask)[:, -T:], need_attention, hook, positions, state.past)
        return self._output(x, attention, hook), ReadingState(mask, past)

    def _embed(self, ids: Tensor, positions: Tensor, hook: Hook | None, before: int = 0) -> Tensor:
        """Embed tokens `(B, T)` at positions `(B or 1, T)`, after so many others."""
        if (count := before + ids.shape[1]) > (most := self.config.max_tokens):
            raise ValueError(f"{count} tokens exceed the {most} positions of this model: shorten the text")
        at = HookCaller(hook, kind="causal")
        x, table = at("token", self.token_embedding(ids)), self._position_table
        if table is not None:
            x = x + at("position", F.embedding(positions, table))
        return at("embedding", self.dropout(at("embedding_sum", x)))

    def _layers(
        self,
        x: Tensor,
        visible: Tensor | None,
        need_attention: bool,
        hook: Hook | None,
        positions: Tensor | None = None,
        past: Sequence[KeysValues] = (),
    ) -> tuple[Tensor, Mapping[AttentionKind, Tensor], tuple[KeysValues, ...]]:
        """Compute the normalised end of the residual stream `(B, T, D)`, attention, and keys and values so far."""
        config, read, attention = self.config, [], []
        positions = _positions(x) if positions is None else positions
        rotation = Rotation.of(positions, config.width // config.heads) if config.positions == "rotary" else None
        for number, layer in enumerate(self.layers):
            before, at = past[number] if past else None, HookCaller(hook, number, "causal")
            x, own, weights = layer(x, visible, before, need_attention, at, rotation)
            read.append(own)
            attention.append(weights)
        causal: Mapping[AttentionKind, Tensor] = {"causal": torch.stack(attention)} if need_attention else {}
        return HookCaller(hook, kind="causal")("final", self.norm(x)), causal, tuple(read)

    def _output(self, x: Tensor, attention: Mapping[AttentionKind, Tensor], hook: Hook | None) -> Output:
        """Compute the logits of vectors `(…, D)`."""
        return Output(HookCaller(hook, kind="causal")("logits", F.linear(x, self.token_embedding.weight)), attention)

    @property
    def _position_table(self) -> Tensor | None:
        """Position embeddings `(max_tokens, D)` that are added; None with rotary positions."""
        is_learned = self.config.positions == "learned"
        return self.position.weight if is_learned else getattr(self, "sinusoid", None)


def _positions(x: Tensor) -> Tensor:
    """Positions `(1, T)` of tokens `(B, T, …)`."""
    return torch.arange(x.shape[1], device=x.device)[None]
