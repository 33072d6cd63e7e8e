"""An encoder-decoder of `transformers` that implements `models.protocol.SequenceToSequence`.

Shapes: B batch, L layers, H heads, S source tokens, T target tokens, P target tokens before them, D
model width, d width of a head, C tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from torch import Tensor, nn
from transformers import EncoderDecoderCache
from transformers.modeling_outputs import BaseModelOutput

from viz_core.adapters.attention import AttentionPass
from viz_core.adapters.cache import keys_values, to_cache
from viz_core.adapters.folder import check_sides
from viz_core.adapters.model import AdaptedConfig
from viz_core.adapters.network import Prepared
from viz_core.models.attention import KeysValues
from viz_core.models.decoding import Vocabulary
from viz_core.models.protocol import AttentionKind, Hook, Output


class AdaptedState(NamedTuple):
    """State of the decoder.

    Attributes:
        encoded: The encoded source, `(B, S, D)`.
        source_mask: `(B, S)`.
        past: Keys and values of the target so far, per layer; empty before the first token.
        source: Keys and values of the source, per layer; empty before the first token.
    """

    encoded: Tensor
    source_mask: Tensor
    past: tuple[KeysValues, ...] = ()
    source: tuple[KeysValues, ...] = ()

    def at(self, rows: Tensor) -> AdaptedState:
        """Select batch rows, which may repeat."""
        return AdaptedState(
            self.encoded[rows],
            self.source_mask[rows],
            tuple(layer.at(rows) for layer in self.past),
            tuple(layer.at(rows) for layer in self.source),
        )


class AdaptedEncoderDecoder(nn.Module):
    """An encoder-decoder of the library with a head for the next token.

    The weights of the network are shared, and the network itself is not changed.

    Attributes:
        special_ids: Ids with which decoding begins and ends, and ids that it never produces.
        blank: Id that stands for no token, the baseline of integrated gradients.

    Raises:
        Failure: If encoder and decoder have different numbers of layers or heads.
    """

    attention_kinds: tuple[AttentionKind, ...] = ("self", "causal", "cross")

    def __init__(self, prepared: Prepared, max_tokens: int, special_ids: Vocabulary, blank: int = 0) -> None:
        super().__init__()
        self.prepared, self.network = prepared, prepared.network
        self.special_ids, self.blank = special_ids, blank
        layers, heads, settings = prepared.layers, prepared.heads, prepared.network.config
        check_sides(prepared.name, (layers["self"], layers.get("causal", 0)), (heads["self"], heads.get("causal", 0)))
        self.config = AdaptedConfig(
            family=settings.model_type,
            vocabulary=settings.vocab_size,
            max_tokens=max_tokens,
            classes=settings.vocab_size,
            layers=layers["self"],
            heads=heads["self"],
            width=settings.hidden_size,
            pooling="",
            parameter_count=sum(parameter.numel() for parameter in self.network.parameters()),
        )

    @cached_property
    def output_projections(self) -> Mapping[AttentionKind, Sequence[Tensor]]:
        """Output projection of each layer, `(D, H d)`, outputs first, by kind of attention."""
        return self.prepared.projections()

    def forward(
        self,
        source: Tensor,
        source_mask: Tensor,
        target: Tensor,
        need_attention: bool = False,
        hook: Hook | None = None,
    ) -> Output:
        """Compute all logits at once with teacher forcing.

        Returns:
            Logits `(B, T, C)` of the token after each target token and, if requested, attention: self
            `(L, B, H, S, S)`, causal `(L, B, H, T, T)` and cross `(L, B, H, T, S)`.
        """
        current = AttentionPass(self.prepared.points, need_attention, hook)
        with current.active():
            result = self.network(
                input_ids=source, attention_mask=source_mask.long(), decoder_input_ids=target, use_cache=False
            )
        return Output(result.logits.float(), current.attention())

    def encode(
        self, source: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Encode the source: `(B, S, D)` and, if requested, self-attention `(L, B, H, S, S)`."""
        current = AttentionPass(self.prepared.of("self"), need_attention, hook)
        with current.active():
            encoded = self.network.get_encoder()(input_ids=source, attention_mask=mask.long()).last_hidden_state
        return encoded, current.attention().get("self")

    def start(self, ids: Tensor, mask: Tensor, hook: Hook | None = None) -> AdaptedState:
        """Return the state before the first target token, for source ids `(B, S)`."""
        return AdaptedState(self.encode(ids, mask, hook=hook)[0], mask)

    def advance(self, state: AdaptedState, tokens: Tensor, hook: Hook | None = None) -> tuple[Tensor, AdaptedState]:
        """Take the next token of each sequence, `(B,)`; return the logits after it, `(B, C)`, and the state.

        Nothing is computed again for earlier tokens.
        """
        cache = EncoderDecoderCache(to_cache(state.past), to_cache(state.source))
        with AttentionPass(self.prepared.of("causal", "cross"), hook=hook).active():
            result = self.network(
                encoder_outputs=BaseModelOutput(state.encoded),
                attention_mask=state.source_mask.long(),
                decoder_input_ids=tokens[:, None],
                past_key_values=cache,
                use_cache=True,
            )
        past, source = keys_values(cache.self_attention_cache), keys_values(cache.cross_attention_cache)
        return result.logits[:, -1].float(), state._replace(past=past, source=source)
