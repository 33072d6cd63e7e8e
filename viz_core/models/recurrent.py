"""An LSTM (Hochreiter and Schmidhuber 1997), in one or both directions, with a classifier; also with additive attention
(Bahdanau et al. 2015), which came before that of the Transformer.

Shapes: B batch, T tokens, D width of the embeddings and of the states of both directions together.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from viz_core.models.attention import LayerHook
from viz_core.models.baseline_configs import RecurrentConfig
from viz_core.models.dropout import Dropout
from viz_core.models.protocol import Hook, Output

_QUERIES = 64  # whose scores are computed at once: each takes T·D numbers


class AdditiveAttention(nn.Module):
    """A single head whose score of query i and key j is v · tanh(W h_j + U h_i) (Bahdanau et al. 2015, appendix A.1.2);
    the values are the states h themselves."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.key = nn.Linear(width, width)  # W
        self.query = nn.Linear(width, width, bias=False)  # U
        self.score = nn.Parameter(torch.empty(width).normal_(std=width**-0.5))  # v

    def forward(self, states: Tensor, queries: Tensor, mask: Tensor, hook: LayerHook | None) -> tuple[Tensor, Tensor]:
        """states `(B, T, D)`, queries `(B, Q, D)`, mask `(B, T)` -> what each query reads `(B, Q, D)`, and the weights
        `(B, 1, Q, T)`."""
        keys = self.key(states)[:, None]  # (B, 1, T, D)
        parts = self.query(queries)[:, :, None].split(_QUERIES, dim=1)  # (B, q, 1, D) each
        scores = torch.cat([torch.tanh(keys + part) @ self.score for part in parts], dim=1)[:, None]  # (B, 1, Q, T)
        values = states[:, None]  # (B, 1, T, D)
        if hook:
            scores, values = hook("scores", scores), hook("values", values)
        weights = torch.softmax(scores.masked_fill(~mask[:, None, None], -math.inf), dim=-1)
        if hook:
            weights = hook("weights", weights)
        return (weights @ values)[:, 0], weights


class Recurrent(nn.Module):
    """Embeddings, an LSTM, and a classifier. A `protocol.Model`."""

    can_be_graphed = False  # packing a batch asks the device for the lengths of its texts

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.config = config
        self.token = nn.Embedding(config.vocabulary, config.width)
        self.segment = nn.Embedding(config.segments, config.width)
        self.dropout = Dropout(config.dropout)
        self.lstm = nn.LSTM(config.width, config.state, batch_first=True, bidirectional=config.bidirectional)
        self.attention = AdditiveAttention(config.width) if config.reading == "attention" else None
        self.classifier = nn.Linear(config.width, config.classes)
        for embedding in (self.token, self.segment):
            nn.init.normal_(embedding.weight, std=0.1)

    @property
    def attention_kinds(self) -> tuple[str, ...]:
        return ("self",) if self.attention else ()

    @property
    def token_embedding(self) -> nn.Embedding:
        return self.token

    def forward(
        self, ids: Tensor, segments: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """ids, segments `(B, T)` int64, mask `(B, T)` bool -> logits and, if requested, attention `(1, B, 1, T, T)`."""
        return self.from_embeddings(self.embed(ids, segments, mask), mask, need_attention, hook)

    def embed(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """Token + segment embeddings, `(B, T, D)`."""
        return self.dropout(self.token(ids) + self.segment(segments))

    def from_embeddings(
        self, x: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """The output for embeddings `(B, T, D)`.

        Only what [CLS] attends to is classified: the other queries are computed if they are to be shown or changed.
        """
        states = self._states(x, mask)
        if self.attention is None:
            return Output(self.classifier(self.dropout(self._read(states, mask))), {})
        queries = states if need_attention or hook else states[:, :1]
        context, weights = self.attention(states, queries, mask, hook and LayerHook(hook, 0))
        return Output(self.classifier(self.dropout(context[:, 0])), {"self": weights[None]} if need_attention else {})

    def encode(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """The states `(B, T, D)`."""
        return self._states(self.embed(ids, segments, mask), mask)

    def _states(self, x: Tensor, mask: Tensor) -> Tensor:
        """The states of the LSTM, which skips masked tokens, wherever they are: `(B, T, D)`, 0 where masked."""
        order = torch.argsort(~mask, dim=1, stable=True)[:, :, None].expand_as(x)  # real tokens first, in their order
        packed = pack_padded_sequence(
            x.gather(1, order), mask.sum(1).clamp(min=1).cpu(), batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=x.shape[1])
        return torch.zeros_like(states).scatter(1, order, states)

    def _read(self, states: Tensor, mask: Tensor) -> Tensor:
        """What the classifier reads without attention, `(B, D)`."""
        if self.config.reading == "mean":
            return states.sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
        last = mask.shape[1] - 1 - mask.flip(1).int().argmax(1)  # position of the last real token
        forward = states[torch.arange(len(states), device=states.device), last]
        if not self.config.bidirectional:
            return forward
        backward = states[torch.arange(len(states), device=states.device), mask.int().argmax(1)]
        S = self.config.state
        return torch.cat([forward[:, :S], backward[:, S:]], dim=1)
