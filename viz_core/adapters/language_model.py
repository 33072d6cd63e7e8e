"""A causal model of `transformers` that implements `models.protocol.LanguageModel`.

Shapes: B batch, L layers, H heads, G heads of keys and values, S tokens read before, T further
tokens, d width of a head, C tokens of the vocabulary.
"""

from __future__ import annotations

import torch
from torch import Tensor

from viz_core.adapters.attention import AttentionPass
from viz_core.adapters.cache import keys_values, to_cache
from viz_core.adapters.model import AdaptedModel
from viz_core.adapters.network import Prepared
from viz_core.models.decoder import ReadingState
from viz_core.models.decoding import Vocabulary
from viz_core.models.protocol import Hook, Output


class AdaptedLanguageModel(AdaptedModel):
    """A causal network of the library with a head for the next token.

    Its weights are shared, and the network itself is not changed.

    Attributes:
        special_ids: The token before an empty text, and those that end a text.
    """

    def __init__(
        self, prepared: Prepared, max_tokens: int, second_segment: int, blank: int, special_ids: Vocabulary
    ) -> None:
        super().__init__(prepared, max_tokens, second_segment, blank)
        self.special_ids = special_ids

    def start(self, ids: Tensor, mask: Tensor, hook: Hook | None = None) -> ReadingState:
        """Return the state after reading `(B, S)` ids, of which there may be none."""
        nothing = ReadingState(mask[:, :0])
        return self._continue(nothing, ids, mask, hook=hook, only_last=True)[1] if ids.shape[1] else nothing

    def advance(self, state: ReadingState, tokens: Tensor, hook: Hook | None = None) -> tuple[Tensor, ReadingState]:
        """Read the next token of each text, `(B,)`; return the logits after it, `(B, C)`, and the state."""
        output, state = self.read(state, tokens[:, None], hook=hook)
        return output.logits[:, 0], state

    def read(
        self, state: ReadingState, ids: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> tuple[Output, ReadingState]:
        """Read further tokens `(B, T)`; nothing is computed again for those before.

        Returns:
            The logits `(B, T, C)` after each of them and, if requested, the causal attention of
            each of them, `(L, B, H, T, S + T)`; and the state.
        """
        return self._continue(state, ids, torch.ones_like(ids, dtype=torch.bool), need_attention, hook)

    def _continue(
        self,
        state: ReadingState,
        ids: Tensor,
        mask: Tensor,
        need_attention: bool = False,
        hook: Hook | None = None,
        only_last: bool = False,
    ) -> tuple[Output, ReadingState]:
        mask = torch.cat([state.mask, mask], dim=1)
        cache = to_cache(state.past)
        last = torch.full((len(ids),), ids.shape[1] - 1) if only_last else None
        current = AttentionPass(self.prepared.points, need_attention, hook, last=last)
        inputs = {
            "input_ids": ids,
            "attention_mask": mask.long(),
            "position_ids": (mask.cumsum(1)[:, -ids.shape[1] :] - 1).clamp(min=0) + self.prepared.offset,
        }
        known = {
            name: value.to(self.network.device) for name, value in inputs.items() if name in self.prepared.arguments
        }
        with current.active():
            logits = self.network(**known, past_key_values=cache, use_cache=True).logits
            logits = current.at("logits")("logits", logits.float())
        return Output(logits, current.attention()), ReadingState(mask, keys_values(cache))
