"""A beam search with all hypotheses that it considered, as a tree."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class BeamNode:
    """A hypothesis: that of its parent, and a token.

    parent: index of its node, -1 for the root. depth: number of tokens. probability: of the token after its parent.
    log_probability: of all tokens. survives: whether it was among the likeliest of its depth, and so went on or ended.
    ends: whether its token is the end of the sentence.
    """

    parent: int
    id: int
    token: str
    depth: int
    probability: float
    log_probability: float
    survives: bool
    ends: bool


@dataclass(frozen=True)
class BeamLeaf:
    """A hypothesis at which the search ended. node: its index. text: the translation. score: the log-probability,
    divided by the length penalty. complete: False if it was cut off at the length limit."""

    node: int
    text: str
    score: float
    complete: bool


@dataclass(frozen=True)
class BeamTree:
    """nodes: in the order in which they were considered, the likeliest of a depth first. leaves: the best first."""

    width: int
    nodes: tuple[BeamNode, ...]
    leaves: tuple[BeamLeaf, ...]

    def path(self, node: int) -> tuple[int, ...]:
        """The ids of the tokens from the root to a node."""
        return path_ids(self.nodes, node)


def path_ids(nodes: Sequence[BeamNode], node: int) -> tuple[int, ...]:
    """The ids of the tokens from the root to a node."""
    ids = []
    while node >= 0:
        ids.append(nodes[node].id)
        node = nodes[node].parent
    return tuple(reversed(ids))
