"""Beam search (Sutskever et al. 2014, section 3.2), with every hypothesis considered on the way."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from viz_core.models.decoding import Advance, Hypothesis, Vocabulary, exclude
from viz_core.models.protocol import S


@dataclass(frozen=True)
class Node:
    """A hypothesis considered by a beam search: its parent hypothesis and one more token.

    Attributes:
        parent: Index of the parent among all nodes in the order considered; -1 for none.
        token: The last token.
        depth: Number of tokens.
        log_probability: Of all tokens together.
        survives: Whether it was among the likeliest, and so was continued or complete.
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
    """Yield the nodes of a beam search, one list per token position, likeliest first.

    The likeliest continuations of the sequences so far survive; a sequence that ends leaves the
    beam, which is then narrower.

    Args:
        advance: Step of the model.
        state: Of a single row.
        vocabulary: Special ids.
        limit: Maximum number of tokens.
        width: Of the beam.
        runners_up: Number of next likeliest nodes to add at each position, which do not survive.
        forced: Maps positions, from 0, to the only token considered there.

    Raises:
        ValueError: If the width is below 1.
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
    """Return the indices of nodes where hypotheses end, complete ones first, then by descending score."""
    deepest = max(node.depth for node in nodes)
    indices = [
        index for index, node in enumerate(nodes) if node.survives and (node.token == end or node.depth == deepest)
    ]
    hypotheses = {index: hypothesis_at(nodes, index, end) for index in indices}
    return sorted(
        indices, key=lambda index: (hypotheses[index].complete, hypotheses[index].score(length_penalty)), reverse=True
    )


def hypothesis_at(nodes: Sequence[Node], index: int, end: int) -> Hypothesis:
    """Return the hypothesis of a node: the tokens from the root to it."""
    tokens, last = [], nodes[index]
    while index >= 0:
        tokens.append(nodes[index].token)
        index = nodes[index].parent
    complete = last.token == end
    return Hypothesis(tuple(reversed(tokens[complete:])), last.log_probability, complete)


def beam_search(
    advance: Advance[S], state: S, vocabulary: Vocabulary, limit: int, width: int, length_penalty: float = 1.0
) -> list[Hypothesis]:
    """Return up to `width` hypotheses for a single sequence: the leaves of `grow_tree`.

    Complete hypotheses come first, then descending score.

    Raises:
        ValueError: If the width is below 1.
    """
    nodes = [node for nodes in grow_tree(advance, state, vocabulary, limit, width) for node in nodes]
    return [hypothesis_at(nodes, index, vocabulary.end) for index in leaves(nodes, vocabulary.end, length_penalty)]


def _only(chances: Tensor, token: int) -> Tensor:
    """Set all tokens but this one to -inf."""
    result = torch.full_like(chances, -torch.inf)
    result[:, token] = chances[:, token]
    return result
