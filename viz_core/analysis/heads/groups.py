"""Groups of heads with similar attention, by the Jensen-Shannon distance between their rows.

Clark et al. 2019, "What Does BERT Look At?", section 6 (https://arxiv.org/abs/1906.04341) measure heads by the
Jensen-Shannon divergence; its square root is a metric. Average linkage merges them.
"""

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

SIMILAR = 0.3  # mean distance within a group; 0 for identical rows, 1 for rows without a common key

Group = tuple[int, ...]


def head_groups(divergence: np.ndarray, similar: float = SIMILAR) -> list[Group]:
    """Groups of two or more heads, by their numbers, the largest first.

    Args:
        divergence: `(N, N)` in bits.
    """
    if len(divergence) < 2:
        return []
    distances = squareform(np.sqrt(np.maximum(divergence, 0)), checks=False)
    labels = fcluster(linkage(distances, "average"), similar, "distance")
    groups = [tuple(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]
    return sorted((group for group in groups if len(group) > 1), key=lambda group: (-len(group), group))
