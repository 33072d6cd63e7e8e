"""A causal model of `transformers` that implements `models.protocol.LanguageModel`.

Shapes: B batch, L layers, H heads, G heads of keys and values, S tokens read before, T further
tokens, d width of a head, C tokens of the vocabulary.
"""

from __future__ import annotations

import torch
from torch import Tensor

from viz_core.adapters.attention import AttentionPass
from viz_core.adapters.cache import has_other_states, keys_values, to_cache
from viz_core.adapters.model import AdaptedModel
from viz_core.adapters.network import Prepared
from viz_core.models.attention import KeysValues
from viz_core.models.decoding import Vocabulary
from viz_core.models.protocol import Hook, Output
from viz_core.models.reading_state import ReadingState


class AdaptedLanguageModel(AdaptedModel):
    """A causal network of the library with a head for the next token.

    Its weights are shared, and the network itself is not changed.

    Layers without attention (state space, linear) keep a state that holds all tokens at once, and could
    not be cut back to the first of them. Of such a network the tokens themselves are kept, and read
    again with those that follow; a hook sees all of them.

    Attributes:
        special_ids: The token before an empty text, and those that end a text.
    """

    def __init__(
        self, prepared: Prepared, max_tokens: int, second_segment: int, blank: int, special_ids: Vocabulary
    ) -> None:
        super().__init__(prepared, max_tokens, second_segment, blank)
        self.special_ids = special_ids
        self._reads_again = has_other_states(self.network.config)

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
        count, mask = ids.shape[1], torch.cat([state.mask, mask], dim=1)
        cache = None if self._reads_again else to_cache(state.past)
        if self._reads_again and state.past:
            ids = torch.cat([state.past[0].keys[:, 0], ids], dim=1)
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
            logits = self.network(**known, past_key_values=cache, use_cache=cache is not None).logits
            logits = current.at("logits")("logits", logits[:, -count:].float())
        attention = {kind: weights[..., -count:, :] for kind, weights in current.attention().items()}
        past = (KeysValues(ids[:, None], ids[:, None]),) if cache is None else keys_values(cache)
        return Output(logits, attention), ReadingState(mask, past)
