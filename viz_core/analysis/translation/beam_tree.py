"""What a beam search considers on its way to a translation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import torch

from viz_core.analysis.translation.explain_translation import source_tensors
from viz_core.analysis.translation.translating import hypothesis_text, special_ids
from viz_core.checkpoints import Checkpoint
from viz_core.models.beam_search import Node, grow_tree, hypothesis_at, leaves
from viz_core.models.protocol import Hook
from viz_core.records import BeamLeaf, BeamNode, BeamTree, Encoding

LENGTH_PENALTY = 1.0


@torch.inference_mode()  # entered anew for every step: each may be computed by another thread
def grow_beam(
    checkpoint: Checkpoint,
    source: Encoding,
    width: int,
    forced: Mapping[int, int] | None = None,
    hook: Hook | None = None,
    limit: int | None = None,
) -> Iterator[list[BeamNode]]:
    """The nodes of a beam search, a token at a time; beside the survivors as many that just fail to survive.

    forced, hook, limit: as in `stepwise.translate_stepwise`.
    """
    model, encoder = checkpoint.model, checkpoint.text_encoder
    source_ids, mask = source_tensors(source)
    state = model.start(source_ids, mask, hook)
    limit = min(limit or model.config.max_tokens, model.config.max_tokens - 1)
    totals = {-1: 0.0}
    advance, ids = partial(model.advance, hook=hook), special_ids(model)
    for nodes in grow_tree(advance, state, ids, limit, width, runners_up=width, forced=forced):
        first = len(totals) - 1
        totals |= {first + number: node.log_probability for number, node in enumerate(nodes)}
        yield [
            BeamNode(
                node.parent,
                node.token,
                encoder.token(node.token),
                node.depth,
                math.exp(node.log_probability - totals[node.parent]),
                node.log_probability,
                node.survives,
                node.token == ids.end,
            )
            for node in nodes
        ]


def beam_tree(checkpoint: Checkpoint, width: int, nodes: Sequence[BeamNode]) -> BeamTree:
    """The tree of all nodes of a search, with its hypotheses."""
    plain = [Node(node.parent, node.id, node.depth, node.log_probability, node.survives) for node in nodes]
    ends, end = [], special_ids(checkpoint.model).end
    for index in leaves(plain, end, LENGTH_PENALTY):
        hypothesis = hypothesis_at(plain, index, end)
        text = hypothesis_text(checkpoint.text_encoder, hypothesis)
        ends.append(BeamLeaf(index, text, hypothesis.score(LENGTH_PENALTY), hypothesis.complete))
    return BeamTree(width, tuple(nodes), tuple(ends))
