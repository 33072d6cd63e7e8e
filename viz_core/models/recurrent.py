"""An LSTM (Hochreiter and Schmidhuber 1997), in one or both directions, with a classifier; also with additive attention
(Bahdanau et al. 2015), which came before that of the Transformer.

Shapes: B batch, T tokens, D width of the embeddings and of the states of both directions together.
"""

import math

import torch
from torch import Tensor, nn

from viz_core.models.baseline import Baseline
from viz_core.models.baseline_configs import RecurrentConfig
from viz_core.models.dropout import Dropout
from viz_core.models.protocol import NO_HOOK, AttentionKind, Hook, HookCaller, Output

_QUERIES = 64  # whose scores are computed at once: each takes T·D numbers


class AdditiveAttention(nn.Module):
    """A single head whose score of query i and key j is v · tanh(W h_j + U h_i) (Bahdanau et al. 2015, appendix A.1.2);
    the values are the states h themselves."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.key = nn.Linear(width, width)  # W
        self.query = nn.Linear(width, width, bias=False)  # U
        self.score = nn.Parameter(torch.empty(width).normal_(std=width**-0.5))  # v

    def forward(self, states: Tensor, queries: Tensor, mask: Tensor, at: HookCaller = NO_HOOK) -> tuple[Tensor, Tensor]:
        """states `(B, T, D)`, queries `(B, Q, D)`, mask `(B, T)` -> what each query reads `(B, Q, D)`, and the weights
        `(B, 1, Q, T)`."""
        keys = self.key(states)[:, None]  # (B, 1, T, D)
        parts = self.query(queries)[:, :, None].split(_QUERIES, dim=1)  # (B, q, 1, D) each
        scores = torch.cat([torch.tanh(keys + part) @ self.score for part in parts], dim=1)[:, None]  # (B, 1, Q, T)
        values = at("values", states[:, None])  # (B, 1, T, D)
        scores = at("scores", scores).masked_fill(~mask[:, None, None], -math.inf)
        weights = at("weights", torch.softmax(scores, dim=-1))
        return at("context", weights @ values)[:, 0], weights


class Recurrent(Baseline):
    """Embeddings, an LSTM, and a classifier. A `protocol.Model`."""

    can_be_graphed = False  # nobody has tried the LSTM of cuDNN in a CUDA graph

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.config = config
        self.token = nn.Embedding(config.vocabulary, config.width)
        self.segment = nn.Embedding(config.segments, config.width)
        self.dropout = Dropout(config.dropout)
        self.directions = nn.ModuleList(
            nn.LSTM(config.width, config.state, batch_first=True) for _ in range(1 + config.bidirectional)
        )
        self.attention = AdditiveAttention(config.width) if config.reading == "attention" else None
        self.classifier = nn.Linear(config.width, config.classes)
        for embedding in (self.token, self.segment):
            nn.init.normal_(embedding.weight, std=0.1)
        for name, bias in self.directions.named_parameters():
            # An open forget gate, or the gradient vanishes (Jozefowicz et al. 2015, 2.2).
            if name.endswith("bias_ih_l0"):
                nn.init.ones_(bias[config.state : 2 * config.state])

    @property
    def attention_kinds(self) -> tuple[AttentionKind, ...]:
        return ("self",) if self.attention else ()

    def embed(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """Token + segment embeddings, `(B, T, D)`."""
        at = HookCaller(hook)
        x = at("embedding_sum", at("token", self.token(ids)) + at("segment", self.segment(segments)))
        return at("embedding", self.dropout(x))

    def from_embeddings(
        self, x: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """The output for embeddings `(B, T, D)`.

        Only what [CLS] attends to is classified: the other queries are computed if they are to be shown or changed.
        """
        at, in_layer = HookCaller(hook), HookCaller(hook, 0)
        attention: dict[AttentionKind, Tensor] = {}
        states = at("final", self._states(x, mask))
        if self.attention is None:
            pooled = self._read(states, mask)
        else:
            shown = need_attention or in_layer.wants("scores", "weights", "context")
            context, weights = self.attention(states, states if shown else states[:, :1], mask, in_layer)
            pooled, attention = context[:, 0], {"self": weights[None]} if need_attention else {}
        return Output(at("logits", self.classifier(self.dropout(at("pooled", pooled)))), attention)

    def encode(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """The states `(B, T, D)`."""
        return HookCaller(hook)("final", self._states(self.embed(ids, segments, mask, hook), mask))

    def _states(self, x: Tensor, mask: Tensor) -> Tensor:
        """The states of the LSTM, which skips masked tokens, wherever they are: `(B, T, D)`, 0 where masked.

        Each direction reads its texts from the left, the real tokens first: a packed sequence would take several times
        as long on a CPU.
        """
        positions = torch.arange(x.shape[1], device=x.device)
        states = []
        for lstm, place in zip(self.directions, (positions, -positions), strict=False):
            order = place.masked_fill(~mask, len(positions)).argsort(dim=1)[:, :, None]  # (B, T, 1)
            ordered = lstm(x.gather(1, order.expand_as(x)))[0]
            states.append(torch.zeros_like(ordered).scatter(1, order.expand_as(ordered), ordered))
        return torch.cat(states, dim=2) * mask[:, :, None]

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
