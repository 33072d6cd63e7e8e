"""The queries and the keys of a head in one plane.

Shapes: N tokens of M texts.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class QueryKeyPlane:
    """layer, head: from 0. texts: M tuples of one or two texts. queries, keys: `(N, 2)`, the points. labels, of_text,
    positions, groups: of each token, its text, its position in it from 0, and its group (-1 special, else its segment).
    scale: c, by which queries are multiplied and keys divided. correlation: of the scalar products of queries with keys
    of the same text and their negative squared distances, before the projection. explained: share of the variance that
    the plane shows.
    """

    layer: int
    head: int
    texts: tuple[tuple[str, ...], ...]
    queries: np.ndarray
    keys: np.ndarray
    labels: tuple[str, ...]
    of_text: np.ndarray
    positions: np.ndarray
    groups: np.ndarray
    scale: float
    correlation: float
    explained: float
