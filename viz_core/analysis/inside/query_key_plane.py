"""Queries and keys of a head for many texts, in one plane: a query is near the keys that it attends to.

Yeh et al. 2023, "AttentionViz: A Global View of Transformer Attention", section 4,
https://arxiv.org/abs/2305.03210. Queries and keys of a head often form two clouds far apart. Two
changes leave all attention weights as they are: adding the same vector to all keys, which adds the
same number to all scores of a query; and multiplying the queries by c and dividing the keys by c.

The first makes the centres coincide. The second makes near mean a large scalar product: c has the
highest correlation of scalar products and negative squared distances over the pairs of each text.
The paper correlates distances that are not squared, weighs near pairs more, and projects by t-SNE,
UMAP or PCA; here it is PCA, which is linear and has nothing to set.

Shapes: N tokens of all texts, T tokens of one text, d width of the head.
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
from viz_core.records.inside import QueryKeyPlane

PlaneKind = Literal["self", "causal"]  # queries and keys come from the same tokens
SCALES = 2.0 ** np.linspace(-4, 4, 65)  # candidates for c
TIED = 1e-6  # correlations that differ by less count as equal
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
    return _plane(vectors, encodings, kind, layer, head)


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
    vectors: Vectors, encodings: Sequence[Encoding], kind: AttentionKind, layer: int, head: int
) -> QueryKeyPlane:
    queries, keys = (np.concatenate(side) for side in zip(*vectors, strict=True))  # (N, d) each
    lengths = [len(encoding.ids) for encoding in encodings]
    of_text = np.repeat(np.arange(len(encodings)), lengths)
    joint = join(queries, keys, of_text, kind == "causal")
    points, explained = project(np.concatenate(joint[:2]))
    return QueryKeyPlane(
        layer,
        head,
        tuple(encoding.texts for encoding in encodings),
        points[: len(queries)],
        points[len(queries) :],
        tuple(label for encoding in encodings for label in encoding.labels),
        of_text,
        np.concatenate(list(map(np.arange, lengths))),
        np.concatenate([encoding.groups for encoding in encodings]),
        *joint[2:],
        explained,
    )


def join(
    queries: np.ndarray, keys: np.ndarray, of_text: np.ndarray, causal: bool = False
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Centre queries and keys `(N, d)` at 0 and scale them by c and 1/c.

    Returns the queries, the keys, c and its correlation. All keys move by the same vector, which
    changes no attention weight. If several scales are equally good, c is the one that makes queries
    and keys equally large.

    Args:
        of_text: The text of each token.
        causal: Whether no query attends to a later key.
    """
    queries, keys = queries - queries.mean(0), keys - keys.mean(0)
    lengths = [np.square(side).sum(1) for side in (queries, keys)]  # (N,) each, squared
    pairs = of_text[:, None] == of_text
    rows, columns = np.nonzero(np.tril(pairs) if causal else pairs)
    products, of_query, of_key = (queries @ keys.T)[rows, columns], lengths[0][rows], lengths[1][columns]

    def correlation(scale: float) -> float:
        distances = scale**2 * of_query + of_key / scale**2 - 2 * products  # squared
        spread = products.std() * distances.std()
        common = ((products - products.mean()) * (distances.mean() - distances)).mean()
        return float(common / spread) if spread else 0.0

    correlations = np.array([correlation(scale) for scale in SCALES])
    sizes = [length.mean() for length in lengths]
    balanced = np.log(sizes[1] / sizes[0]) / 4 if all(sizes) else 0.0
    as_good = np.flatnonzero(correlations >= correlations.max() - TIED)
    best = as_good[np.abs(np.log(SCALES[as_good]) - balanced).argmin()]
    return queries * SCALES[best], keys / SCALES[best], float(SCALES[best]), float(correlations[best])


def project(vectors: np.ndarray) -> tuple[np.ndarray, float]:
    """First two principal components of centred vectors `(N, d)`.

    Returns points `(N, 2)` and their share of the variance. The largest absolute coordinate of each
    axis is positive.
    """
    _, sizes, axes = np.linalg.svd(vectors, full_matrices=False)
    points = np.zeros((len(vectors), 2), np.float32)
    points[:, : len(axes)] = (vectors @ axes[:2].T)[:, :2]
    largest = points[np.abs(points).argmax(0), [0, 1]]
    variance = np.square(sizes)
    return points * np.where(largest < 0, -1, 1), float(variance[:2].sum() / (variance.sum() or 1))
