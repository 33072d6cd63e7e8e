"""Live translation: yields everything that can be shown as soon as it is computed."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from viz_core.analysis.decoding import Decoding, special_ids, step
from viz_core.analysis.translation.changes import TranslationChanges, changes_hook
from viz_core.analysis.translation.explain_translation import explain_translation, source_tensors
from viz_core.analysis.translation.translating import hypothesis_text
from viz_core.checkpoints import Checkpoint
from viz_core.models.beam_search import Node, grow_tree, hypothesis_at, leaves
from viz_core.models.decoding import Advance, Pick, Vocabulary, likeliest, steps
from viz_core.models.protocol import Hook
from viz_core.records import BeamLeaf, BeamNode, BeamTree, Encoding, Exposure, Step, Translation

MOST_SECONDS = 10.0  # decoding time after which a translation is cut off
LENGTH_PENALTY = 1.0  # for beam search

Event = Step | list[BeamNode] | BeamTree | Translation | Exposure


def translate_live(
    checkpoint: Checkpoint,
    source: Encoding,
    decoding: Decoding,
    changes: TranslationChanges | None = None,
    seconds: float = MOST_SECONDS,
) -> Iterator[Event]:
    """Translate and yield each result as soon as it is computed.

    Yields the steps of a translation, or the nodes of a beam search followed by their tree; then
    the translation with all attention, and the time it took.

    Raises:
        Failure: At once if the decoding or a change is not possible.
    """
    changes = changes or TranslationChanges()
    decoding.check()
    hook = changes_hook(checkpoint, source, changes)
    return _generate(checkpoint, source, decoding, changes.fed, hook, seconds)


def read_reference(
    checkpoint: Checkpoint, source: Encoding, reference: str, changes: TranslationChanges | None = None
) -> Iterator[Event]:
    """Read a reference by teacher forcing in a single pass, and measure the time it takes.

    Raises:
        Failure: At once if the reference or a change is not possible.
    """
    hook = changes_hook(checkpoint, source, changes or TranslationChanges())
    outputs, notices = checkpoint.text_encoder.target_ids(reference)
    start = time.perf_counter()
    translation = explain_translation(checkpoint, source, outputs, hook)
    seconds = time.perf_counter() - start
    return iter([replace(translation, notices=notices), Exposure(0, 0.0, seconds)])


def translate_text(checkpoint: Checkpoint, text: str, reference: str | None = None) -> Translation:
    """A greedy translation, or a reference by teacher forcing, with all attention.

    Raises:
        Failure: As `translate_live` and `read_reference`.
    """
    source = checkpoint.text_encoder.encode(text)
    if reference is None:
        events = translate_live(checkpoint, source, Decoding())
    else:
        events = read_reference(checkpoint, source, reference)
    return next(event for event in events if isinstance(event, Translation))


def _generate(
    checkpoint: Checkpoint,
    source: Encoding,
    decoding: Decoding,
    forced: Mapping[int, int],
    hook: Hook | None,
    seconds: float,
) -> Iterator[Event]:
    timer, nodes, written = _Timer(), list[BeamNode](), list[int]()
    outputs: Sequence[int] = written
    if decoding.method == "beam":
        for considered in timer.measure(grow_beam(checkpoint, source, decoding.width, forced, hook), seconds):
            nodes += considered
            yield considered
        tree = beam_tree(checkpoint, decoding.width, nodes)
        yield tree
        outputs = tree.path(tree.leaves[0].node)
    else:
        steps_made = translate_stepwise(checkpoint, source, decoding.pick(), forced, hook)
        for made in timer.measure(steps_made, seconds):
            written.append(made.output.id)
            yield made
    start = time.perf_counter()
    translation = explain_translation(checkpoint, source, outputs, hook)
    explained = time.perf_counter() - start
    yield translation
    yield Exposure(timer.passes, timer.seconds, explained)


class _Timer:
    """Counts the results of an iterator (`passes`) and the seconds they take.

    The time that the caller spends in between does not count.
    """

    def __init__(self) -> None:
        self.passes, self.seconds = 0, 0.0

    def measure(self, results: Iterator, most_seconds: float) -> Iterator:
        """Yield the results until they end or have taken too long."""
        start = time.perf_counter()
        for result in results:
            self.passes += 1
            self.seconds += time.perf_counter() - start
            yield result
            if self.seconds > most_seconds:
                return
            start = time.perf_counter()


@torch.inference_mode()  # per step, because each may be computed by another thread
def translate_stepwise(
    checkpoint: Checkpoint,
    source: Encoding,
    pick: Pick = likeliest,
    forced: Mapping[int, int] | None = None,
    hook: Hook | None = None,
    limit: int | None = None,
) -> Iterator[Step]:
    """Yield the steps of a translation, until its end or `limit` tokens.

    Args:
        pick: `decoding.likeliest` or a `decoding.sampler`.
        forced: Position, from 0, -> the id that is taken there whatever its probability, so that
            decoding goes on from a prefix, or after a wrong word.
        hook: As in `models.protocol`.
        limit: By default as many as the model has positions for.
    """
    for chances, token in steps(*_start(checkpoint, source, hook, limit), pick, forced or {}):
        yield step(checkpoint.text_encoder, chances, token)


def _start(
    checkpoint: Checkpoint, source: Encoding, hook: Hook | None, limit: int | None
) -> tuple[Advance, Any, Vocabulary, int]:
    """Start of a decoding: a function, its first state, the special ids, and the most tokens."""
    model = checkpoint.generator
    most = model.config.max_tokens
    state = model.start(*source_tensors(source), hook)
    return partial(model.advance, hook=hook), state, special_ids(model), min(limit or most, most - 1)


@torch.inference_mode()  # per step, because each may be computed by another thread
def grow_beam(
    checkpoint: Checkpoint,
    source: Encoding,
    width: int,
    forced: Mapping[int, int] | None = None,
    hook: Hook | None = None,
    limit: int | None = None,
) -> Iterator[list[BeamNode]]:
    """Yield the nodes of a beam search, a token at a time.

    Besides the survivors, as many nodes that only just fail to survive.

    Args:
        forced, hook, limit: As in `translate_stepwise`.
    """
    totals = {-1: 0.0}
    advance, state, ids, most = _start(checkpoint, source, hook, limit)
    for nodes in grow_tree(advance, state, ids, most, width, runners_up=width, forced=forced):
        first = len(totals) - 1
        totals |= {first + number: node.log_probability for number, node in enumerate(nodes)}
        yield [
            BeamNode(
                node.parent,
                node.token,
                checkpoint.text_encoder.token(node.token),
                node.depth,
                math.exp(node.log_probability - totals[node.parent]),
                node.log_probability,
                node.survives,
                node.token == ids.end,
            )
            for node in nodes
        ]


def beam_tree(checkpoint: Checkpoint, width: int, nodes: Sequence[BeamNode]) -> BeamTree:
    """Tree of all nodes of a search, with its hypotheses."""
    plain = [Node(node.parent, node.id, node.depth, node.log_probability, node.survives) for node in nodes]
    ends, end = [], special_ids(checkpoint.model).end
    for index in leaves(plain, end, LENGTH_PENALTY):
        hypothesis = hypothesis_at(plain, index, end)
        text = hypothesis_text(checkpoint.text_encoder, hypothesis)
        ends.append(BeamLeaf(index, text, hypothesis.score(LENGTH_PENALTY), hypothesis.complete))
    return BeamTree(width, tuple(nodes), tuple(ends))
