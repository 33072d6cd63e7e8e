"""The steps of a head and of its layer for one query, as records: the same for texts that are classified and for
translations.

Shapes: H heads, Q queries, K keys, W keys of the window, T tokens, D model width, d = D/H.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from viz_core.analysis.inside.head_changes import ChangedHead, HeadChanges, reachable_keys
from viz_core.analysis.inside.recorded_pass import RecordedPass
from viz_core.analysis.inside.steps import entropy, head_columns, linear, scale, scores
from viz_core.analysis.inside.streams import Embedded, Streams, feed_forward, normalise, numbers, sublayer
from viz_core.models.layers import Layer
from viz_core.records.inside import HeadSteps, LayerSteps, TokenSteps
from viz_core.records.translation import Kind

WINDOW = 64  # keys whose vectors are included


@dataclass(frozen=True, eq=False)
class Side:
    """The queries, or the keys, of an attention: their embeddings, the residual streams of their stack as far as they
    are read, and what is read, `stream` and `read` `(T, D)`."""

    embedded: Embedded
    streams: Sequence[np.ndarray]
    stream: np.ndarray
    read: np.ndarray

    def steps(self, token: int) -> TokenSteps:
        """Those of a token."""
        embedded = self.embedded
        return TokenSteps(
            token,
            {name: part[token] for name, part in embedded.parts.items()},
            embedded.sum[token],
            embedded.embedded[token],
            None if embedded.convolved is None else embedded.convolved[token],
            None if embedded.stem is None else embedded.stem[token],
            np.stack([stream[token] for stream in self.streams]),
            self.stream[token],
            self.read[token],
        )


@dataclass(frozen=True, eq=False)
class HeadInStack:
    """A head, where it is in a stack of layers, and what is changed. kinds: of the attentions of a layer."""

    layer: Layer
    kinds: tuple[Kind, ...]
    head: ChangedHead
    changes: HeadChanges

    def side(self, embedded: Embedded, streams: Streams) -> Side:
        """The tokens of the stack as the head reads them."""
        stream = streams.attended[self.head.layer][self.kinds.index(self.head.kind)]
        _, norm = sublayer(self.layer, self.head.kind)
        read = normalise(norm, stream) if self.layer.norm_first else stream
        return Side(embedded, streams.after[: self.head.layer + 1], stream, read)

    def steps(self, query: int, key: int, queries: Side, keys: Side, recorded: RecordedPass) -> HeadSteps:
        """The computation of the head for a query; the window contains the key."""
        attention, _ = sublayer(self.layer, self.head.kind)
        columns = head_columns(self.head.head, self.head.width)
        query_vector, key_vectors = (  # (d,), (K, d)
            linear(read, numbers(projection.weight)[columns], numbers(projection.bias)[columns])
            for read, projection in ((queries.read[query], attention.query), (keys.read, attention.key))
        )
        products = scores(query_vector[None], key_vectors)[0]  # (K,)
        reachable = reachable_keys(self.changes, self.head)[query]
        start = window_start(key, self.head.keys)
        window = slice(start, start + WINDOW)
        return HeadSteps(
            query=query_vector,
            start=start,
            keys=key_vectors[window],
            values=recorded.values[window],
            scores=products,
            scaled=products if self.changes.unscaled else scale(products, self.head.width),
            bias=None if recorded.bias is None else recorded.bias[query],
            masked=np.where(reachable, recorded.scores[query], -np.inf).astype(np.float32),
            weights=recorded.weights[query],
            context=recorded.contexts[self.head.kind, self.head.layer][query][columns],
            entropy=entropy(recorded.weights[query], reachable),
        )

    def layer_steps(self, query: int, streams: Streams, recorded: RecordedPass) -> LayerSteps:
        """What the layer makes of its heads, for a query."""
        attention, _ = sublayer(self.layer, self.head.kind)
        contexts = recorded.contexts[self.head.kind, self.head.layer][query].reshape(-1, self.head.width)  # (H, d)
        w_output, b_output = numbers(attention.output.weight), numbers(attention.output.bias)
        parts = np.einsum("ohd,hd->ho", w_output.reshape(len(w_output), *contexts.shape), contexts)
        points, position = streams.attended[self.head.layer], self.kinds.index(self.head.kind)
        projected = parts.sum(0) + b_output
        before = points[-1][query]
        feedforward = feed_forward(self.layer, before)
        return LayerSteps(
            contexts=contexts,
            parts=parts,
            b_output=b_output,
            projected=projected,
            added=points[position][query] + projected,
            normed=points[position + 1][query],
            before=before,
            read=feedforward.read,
            hidden=feedforward.hidden,
            activated=feedforward.activated,
            feedforward=feedforward.output,
            output=streams.after[self.head.layer + 1][query],
        )


def window_start(key: int, keys: int) -> int:
    """The first key of a window with the key in its middle, as far as there are enough on both sides."""
    return int(np.clip(key - WINDOW // 2, 0, max(0, keys - WINDOW)))
