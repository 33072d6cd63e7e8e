"""A translation as it is made: everything that can be shown, as soon as it is there."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch

from viz_core.analysis.translation.beam_tree import beam_tree, grow_beam
from viz_core.analysis.translation.changes import TranslationChanges, changes_hook
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.analysis.translation.stepwise import translate_stepwise
from viz_core.checkpoints import Checkpoint
from viz_core.models.decoding import Pick, likeliest, sampler
from viz_core.models.protocol import Hook
from viz_core.records import BeamNode, BeamTree, Encoding, Exposure, Failure, Step, Translation

MOST_SECONDS = 10.0  # of decoding, after which a translation is cut off
WIDEST, HOTTEST = 8, 5.0

Event = Step | list[BeamNode] | BeamTree | Translation | Exposure


@dataclass(frozen=True)
class Decoding:
    """How the next token is selected. temperature, seed: of sampling. width: of the beam."""

    method: Literal["greedy", "sample", "beam"] = "greedy"
    temperature: float = 1.0
    seed: int = 0
    width: int = 4

    def check(self) -> None:
        """Raises Failure if a setting is not possible."""
        if not 1 <= self.width <= WIDEST:
            raise Failure("translation.width", width=self.width, most=WIDEST)
        if not 0 < self.temperature <= HOTTEST:
            raise Failure("translation.temperature", temperature=f"{self.temperature:g}", most=f"{HOTTEST:g}")

    def pick(self) -> Pick:
        if self.method == "sample":
            return sampler(self.temperature, torch.Generator().manual_seed(self.seed))
        return likeliest


@dataclass(frozen=True)
class _Generation:
    """What is generated from, and for how long. hook: of the model, with the changes."""

    checkpoint: Checkpoint
    source: Encoding
    decoding: Decoding
    changes: TranslationChanges
    hook: Hook | None
    seconds: float


def translate_live(
    checkpoint: Checkpoint,
    source: Encoding,
    decoding: Decoding,
    changes: TranslationChanges | None = None,
    seconds: float = MOST_SECONDS,
) -> Iterator[Event]:
    """The steps of a translation, or the nodes of a beam search with their tree at last; then the translation with all
    attention, and what it cost. Raises Failure at once if the decoding or a change is not possible."""
    changes = changes or TranslationChanges()
    decoding.check()
    hook = changes_hook(checkpoint, source, changes)
    generate = _search if decoding.method == "beam" else _write
    return generate(_Generation(checkpoint, source, decoding, changes, hook, seconds))


def read_reference(
    checkpoint: Checkpoint, source: Encoding, reference: str, changes: TranslationChanges | None = None
) -> Iterator[Event]:
    """A reference by teacher forcing, in a single pass, and what that cost. Raises Failure at once if the reference or
    a change is not possible."""
    hook = changes_hook(checkpoint, source, changes or TranslationChanges())
    outputs, notices = checkpoint.text_encoder.target_ids(reference)
    start = time.perf_counter()
    translation = explain_translation(checkpoint, source, outputs, hook)
    seconds = time.perf_counter() - start
    return iter([replace(translation, notices=notices), Exposure(0, 0.0, seconds)])


def _write(of: _Generation) -> Iterator[Event]:
    """Greedy and sampling."""
    outputs, timer = [], _Timer()
    steps = translate_stepwise(of.checkpoint, of.source, of.decoding.pick(), of.changes.fed, of.hook)
    for step in timer.measure(steps, of.seconds):
        outputs.append(step.output.id)
        yield step
    yield from _explain(of, outputs, timer)


def _search(of: _Generation) -> Iterator[Event]:
    """Beam search; the translation is that of its best leaf."""
    nodes, timer = [], _Timer()
    levels = grow_beam(of.checkpoint, of.source, of.decoding.width, of.changes.fed, of.hook)
    for considered in timer.measure(levels, of.seconds):
        nodes += considered
        yield considered
    tree = beam_tree(of.checkpoint, of.decoding.width, nodes)
    yield tree
    yield from _explain(of, tree.path(tree.leaves[0].node), timer)


def _explain(of: _Generation, outputs: Sequence[int], timer: _Timer) -> Iterator[Event]:
    """The translation in a single pass. timer: of the passes that generated its outputs."""
    start = time.perf_counter()
    translation = explain_translation(of.checkpoint, of.source, outputs, of.hook)
    seconds = time.perf_counter() - start
    yield translation
    yield Exposure(timer.passes, timer.seconds, seconds)


class _Timer:
    """passes: results of an iterator. seconds: that they took, without what the caller does in between."""

    def __init__(self) -> None:
        self.passes, self.seconds = 0, 0.0

    def measure(self, results: Iterator, most_seconds: float) -> Iterator:
        """The results, until their end or until they have taken too long."""
        start = time.perf_counter()
        for result in results:
            self.passes += 1
            self.seconds += time.perf_counter() - start
            yield result
            if self.seconds > most_seconds:
                return
            start = time.perf_counter()
