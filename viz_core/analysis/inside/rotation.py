"""Rotary positions: the angles by which a model turns queries and keys, read off a recorded pass.

Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", section 3.2.2,
https://arxiv.org/abs/2104.09864: each pair of dimensions is turned by position × the frequency of the
pair, so that the product of a query and a key depends on their distance alone. Their pairs are
neighbours; in Llama and here, dimension i and dimension i + r/2 are a pair, where only the first r
dimensions may be turned (Black et al. 2022, "GPT-NeoX-20B", section 2.1.1, https://arxiv.org/abs/2204.06745).

Shapes: T positions, d width of a head, r ≤ d of its dimensions that are turned.
"""

from typing import Any

import numpy as np

from viz_core.analysis.inside.passes import Passes
from viz_core.models.protocol import PointName

_QUERIES: dict[str, PointName] = {"unnormed_query": "unnormed_queries", "unrotated_query": "unrotated_queries"}
_KEYS: dict[str, PointName] = {"unnormed_keys": "unnormed_keys", "unrotated_keys": "unrotated_keys"}


def vectors_before_products(passes: Passes, window: slice) -> dict[str, Any]:
    """Fields of `HeadSteps`: what a head does to queries and keys before their product; none for most models.

    Args:
        window: The keys whose vectors are included.
    """
    recorded, selected, anatomy = passes.recorded, passes.selected, passes.anatomy
    place, shared = (selected.layer, selected.kind), selected.head * anatomy.key_heads // anatomy.heads
    queries = {name: recorded.get(point, *place) for name, point in _QUERIES.items()}  # (H, T, d)
    keys = {name: recorded.get(point, *place) for name, point in _KEYS.items()}  # (G, T, d)
    fields: dict[str, Any] = {
        **_joint_lengths(passes, queries["unnormed_query"], keys["unnormed_keys"], window),
        **{name: each[selected.head, selected.query] for name, each in queries.items() if each is not None},
        **{name: each[shared, window] for name, each in keys.items() if each is not None},
    }
    rotation = recorded.get("rotation", *place)
    if rotation is not None:
        fields["frequencies"], fields["lengthening"] = pair_frequencies(rotation)
    return fields


def _joint_lengths(
    passes: Passes, queries: np.ndarray | None, keys: np.ndarray | None, window: slice
) -> dict[str, np.ndarray]:
    """Root mean squares by which the queries and the keys `(H, T, d)` of all heads together are normalised."""
    norm = passes.anatomy.stack(passes.head.kind).layers[passes.head.layer].attentions[passes.head.kind].query_norm
    if norm is None or queries is None or keys is None or norm.width == passes.anatomy.width:
        return {}
    of_query, of_keys = (np.sqrt(np.square(x).mean((0, 2)) + norm.epsilon) for x in (queries, keys))  # (T,) each
    return {"joint_query": of_query[passes.selected.query, None], "joint_keys": of_keys[window]}


def pair_frequencies(rotation: np.ndarray) -> tuple[np.ndarray, float]:
    """Angle of each pair per position, `(r/2,)` in radians, and the factor by which vectors get longer.

    The angle is that of the second position, as the first is not turned; of a single position it is
    0. The factor is 1 but for some models made for longer texts (Peng et al. 2023, "YaRN", section
    3.4, https://arxiv.org/abs/2309.00071).

    Args:
        rotation: Cosine and sine of each dimension at each position, `(2, T, r)`.
    """
    cosines, sines = rotation[:, min(1, rotation.shape[1] - 1), : rotation.shape[2] // 2].astype(np.float64)
    return np.arctan2(sines, cosines).astype(np.float32), float(np.hypot(cosines, sines).mean())
