"""Beam search (Sutskever et al. 2014, section 3.2), with everything that it considers on the way."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from viz_core.models.decoding import Advance, Hypothesis, Vocabulary, exclude
from viz_core.models.protocol import S


@dataclass(frozen=True)
class Node:
    """A hypothesis that a beam search considered: another one, and a token after it.

    Attributes:
        parent: Index of the other among all nodes, in the order in which they were considered; -1
            for none.
        depth: Number of its tokens.
        log_probability: Of all of them.
        survives: Whether it was among the likeliest, and so went on or ended.
    """

    parent: int
    token: int
    depth: int
    log_probability: float
    survives: bool


def grow_tree(
    advance: Advance[S],
    state: S,
    vocabulary: Vocabulary,
    limit: int,
    width: int,
    runners_up: int = 0,
    forced: Mapping[int, int] | None = None,
) -> Iterator[list[Node]]:
    """The nodes of a beam search, a token at a time, the likeliest first.

    Of all continuations of the sequences so far the likeliest survive; one that ends leaves the
    beam, which is then narrower.

    Args:
        runners_up: How many of the next ones are added each time, which do not survive.
        forced: Position, from 0, -> the only token that is considered there.
        state: Of one row.

    Raises:
        ValueError: If the width is not at least 1.
    """
    if width < 1:
        raise ValueError(f"the width of the beam is {width}: it must be at least 1")
    count = 0  # nodes so far
    beam, sums = torch.tensor([-1]), torch.zeros(1)  # index and log-probability of the nodes that go on
    tokens = torch.full((1,), vocabulary.begin)
    for depth in range(1, limit + 1):
        logits, state = advance(state, tokens)
        chances = exclude(logits, vocabulary.excluded).log_softmax(-1)
        if forced and depth - 1 in forced:
            chances = _only(chances, forced[depth - 1])
        totals = (sums.to(chances)[:, None] + chances).flatten()  # (N C,)
        sums, flat = totals.topk(min(width + runners_up, int(totals.isfinite().sum())))
        rows, tokens = flat // chances.shape[1], flat % chances.shape[1]
        nodes = [
            Node(parent, token, depth, total, position < width)
            for position, (parent, token, total) in enumerate(
                zip(beam[rows.cpu()].tolist(), tokens.tolist(), sums.tolist(), strict=True)
            )
        ]
        yield nodes
        survivors = torch.arange(len(nodes), device=tokens.device) < width
        width -= int((survivors & (tokens == vocabulary.end)).sum())
        remaining = (survivors & (tokens != vocabulary.end)).nonzero()[:, 0]
        if not len(remaining):
            return
        beam, count = count + remaining.cpu(), count + len(nodes)
        tokens, sums, state = tokens[remaining], sums[remaining], state.at(rows[remaining])


def leaves(nodes: Sequence[Node], end: int, length_penalty: float = 1.0) -> list[int]:
    """Indices of the nodes where hypotheses end, complete ones first, the best score first."""
    deepest = max(node.depth for node in nodes)
    indices = [
        index for index, node in enumerate(nodes) if node.survives and (node.token == end or node.depth == deepest)
    ]
    hypotheses = {index: hypothesis_at(nodes, index, end) for index in indices}
    return sorted(
        indices, key=lambda index: (hypotheses[index].complete, hypotheses[index].score(length_penalty)), reverse=True
    )


def hypothesis_at(nodes: Sequence[Node], index: int, end: int) -> Hypothesis:
    """The hypothesis of a node: the tokens from the root to it."""
    tokens, last = [], nodes[index]
    while index >= 0:
        tokens.append(nodes[index].token)
        index = nodes[index].parent
    complete = last.token == end
    return Hypothesis(tuple(reversed(tokens[complete:])), last.log_probability, complete)


def beam_search(
    advance: Advance[S], state: S, vocabulary: Vocabulary, limit: int, width: int, length_penalty: float = 1.0
) -> list[Hypothesis]:
    """Up to `width` hypotheses for a single sequence, complete ones first, the best score first: the leaves of `grow_tree`.

    Raises:
        ValueError: If the width is not at least 1.
    """
    nodes = [node for nodes in grow_tree(advance, state, vocabulary, limit, width) for node in nodes]
    return [hypothesis_at(nodes, index, vocabulary.end) for index in leaves(nodes, vocabulary.end, length_penalty)]


def _only(chances: Tensor, token: int) -> Tensor:
    """-inf for all tokens but this one."""
    result = torch.full_like(chances, -torch.inf)
    result[:, token] = chances[:, token]
    return result
