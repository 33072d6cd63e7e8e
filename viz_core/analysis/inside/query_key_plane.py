"""Queries and keys of a head for many texts, in one plane: a query is near the keys that it attends to.

The plane is a biplot: of all points in two dimensions, these have the dot products that differ least
from those of the head (Gabriel 1971, "The biplot graphic display of matrices with application to
principal component analysis", section 2, https://doi.org/10.1093/biomet/58.3.453).

A dot product is not a distance. As in Yeh et al. 2023, "AttentionViz: A Global View of Transformer
Attention", section 4, https://arxiv.org/abs/2305.03210, two changes that leave all attention weights
as they are bring both together. Keys move by one vector, their mean, which adds the same number to
all scores of a query. (Moving the queries would add another number for every key.) Queries are
multiplied by c and keys divided by it: c has the highest correlation of the head's dot products, less
the mean of each query, with the negative squared distances in the plane, over the pairs of each text.
The paper correlates distances that are not squared, in all dimensions, and weighs near pairs more.

Shapes: N tokens of all texts, T tokens of one text, P pairs of a query and a key of its text, d width
of the head.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from torch import Tensor

from viz_core.analysis.explain import input_tensors
from viz_core.analysis.inside.passes import find_anatomy, numbers, require_head, translation_tensors
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import AttentionKind, HookPoint
from viz_core.models.recording import record
from viz_core.records import Encoding, Failure, Translation
from viz_core.records.inside import QueryKeyPlane, less_mean

PlaneKind = Literal["self", "causal"]  # queries and keys come from the same tokens
SCALES = 2.0 ** np.linspace(-4, 4, 65)  # candidates for c
Vectors = list[tuple[np.ndarray, np.ndarray]]  # queries and keys of each text, `(T, d)`


def query_key_plane(checkpoint: Checkpoint, encodings: Sequence[Encoding], layer: int, head: int) -> QueryKeyPlane:
    """Plane of a head of an encoder over the tokens of these texts.

    Args:
        layer, head: From 0.

    Raises:
        Failure: For a model that is not a Transformer encoder, or has no such head.
    """
    anatomy = find_anatomy(checkpoint)
    if anatomy is None or anatomy.pooling is None:
        raise _no_queries(checkpoint)
    (kind,) = checkpoint.model.attention_kinds
    require_head(checkpoint, kind, layer, head)
    vectors = queries_keys(checkpoint, input_tensors(*encodings), encodings, kind, layer, head)
    return _plane(vectors, encodings, kind, layer, head, anatomy.rule(kind, layer).sliding_window)


def translation_plane(
    checkpoint: Checkpoint, translations: Sequence[Translation], kind: PlaneKind, layer: int, head: int
) -> QueryKeyPlane:
    """Plane of a head of a translation model.

    For the self-attention of the encoder, over the source tokens; for the causal attention, over
    the target tokens, where c depends only on the pairs that a query can attend to.
    """
    if require_head(checkpoint, kind, layer, head).pooling is not None:
        raise _no_queries(checkpoint)
    encodings = [translation.sides(kind)[0] for translation in translations]
    vectors: Vectors = []
    for translation, encoding in zip(translations, encodings, strict=True):
        vectors += queries_keys(checkpoint, translation_tensors(translation), [encoding], kind, layer, head)
    return _plane(vectors, encodings, kind, layer, head)


def _no_queries(checkpoint: Checkpoint) -> Failure:
    return Failure("plane.no_queries", name=f"{checkpoint.task.name}/{checkpoint.name}")


def queries_keys(
    checkpoint: Checkpoint,
    inputs: tuple[Tensor, ...],
    encodings: Sequence[Encoding],
    kind: AttentionKind,
    layer: int,
    head: int,
) -> Vectors:
    """Queries and keys of a head, from one pass.

    Args:
        encodings: The tokens that attend to each other, one encoding per row of the inputs.
    """
    points = HookPoint("queries", layer, kind), HookPoint("keys", layer, kind)
    recorded = record(checkpoint.model, inputs, points)
    queries, keys = (numbers(recorded[point][:, head]) for point in points)  # (B, T, d) each
    return [(queries[row, :T], keys[row, :T]) for row, T in enumerate(len(encoding.ids) for encoding in encodings)]


def _plane(
    vectors: Vectors,
    encodings: Sequence[Encoding],
    kind: AttentionKind,
    layer: int,
    head: int,
    sliding_window: int | None = None,
) -> QueryKeyPlane:
    queries, keys = (np.concatenate(side).astype(float) for side in zip(*vectors, strict=True))  # (N, d) each
    lengths = [len(encoding.ids) for encoding in encodings]
    of_text = np.repeat(np.arange(len(encodings)), lengths)
    pairs = pairs_of(of_text, kind == "causal", sliding_window)
    products = (queries[pairs[:, 0]] * keys[pairs[:, 1]]).sum(1)
    points, explained = biplot(queries, keys - keys.mean(0))
    scale, correlation = best_scale(points[0], points[1], pairs, products)
    return QueryKeyPlane(
        layer,
        head,
        tuple(encoding.texts for encoding in encodings),
        points[0] * scale,
        points[1] / scale,
        tuple(label for encoding in encodings for label in encoding.labels),
        of_text,
        np.concatenate(list(map(np.arange, lengths))),
        np.concatenate([encoding.groups for encoding in encodings]),
        pairs,
        products,
        scale,
        correlation,
        explained,
    )


def pairs_of(of_text: np.ndarray, causal: bool = False, sliding_window: int | None = None) -> np.ndarray:
    """Pairs `(P, 2)` of a query and a key that it can attend to, by their rows.

    Args:
        of_text: The text of each token, `(N,)`.
        causal: Whether no query attends to a later key.
        sliding_window: Number of the last keys that a query can attend to, None if all.
    """
    reached = of_text[:, None] == of_text
    reached = np.tril(reached) if causal else reached
    return np.argwhere(np.triu(reached, 1 - sliding_window) if sliding_window else reached)


def biplot(queries: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, float]:
    """Points in two dimensions whose dot products are nearest to those of queries and keys `(N, d)`.

    Returns queries and keys `(2, N, 2)`, as large as each other, and the share of the squares of all
    products that theirs keep. The largest absolute coordinate of the keys on each axis is positive.
    """
    (bases, factors) = zip(*map(np.linalg.qr, (queries, keys)), strict=True)
    left, sizes, right = np.linalg.svd(factors[0] @ factors[1].T)
    axes = np.sqrt(sizes[:2])
    points = np.zeros((2, len(queries), 2))
    points[..., : len(axes)] = bases[0] @ left[:, :2] * axes, bases[1] @ right[:2].T * axes
    largest = points[1][np.abs(points[1]).argmax(0), [0, 1]]
    squares = np.square(sizes)
    return points * np.where(largest < 0, -1, 1), float(squares[:2].sum() / (squares.sum() or 1))


def best_scale(queries: np.ndarray, keys: np.ndarray, pairs: np.ndarray, products: np.ndarray) -> tuple[float, float]:
    """The c of SCALES for these points `(N, 2)`, and its correlation.

    Args:
        pairs: As from `pairs_of`.
        products: The dot products of the head, `(P,)`.
    """
    relative = less_mean(pairs[:, 0], products)
    of_query, of_key = (points[rows] for points, rows in zip((queries, keys), pairs.T, strict=True))
    correlations = [_correlation(relative, -np.square(of_query * scale - of_key / scale).sum(1)) for scale in SCALES]
    best = int(np.argmax(correlations))
    return float(SCALES[best]), correlations[best]


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Pearson's correlation; 0 if either is constant."""
    first, second = first - first.mean(), second - second.mean()
    spread = np.sqrt((first @ first) * (second @ second))
    return float(first @ second / spread) if spread else 0.0
