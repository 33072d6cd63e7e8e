"""Is what happens when heads are changed more than what happens when any heads are?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np

from viz_core.analysis.whatif import Changes, Head, predict_with_changes
from viz_core.checkpoints import Checkpoint
from viz_core.records import Encoding, HeadControl

DRAWS = 20


def head_control(
    checkpoint: Checkpoint, encoding: Encoding, intervention: Changes, draws: int = DRAWS, seed: int = 0
) -> HeadControl | None:
    """The same done to as many random heads, all else that is changed kept: so many draws, or all where there are fewer.

    None where no head is changed, or no other choice of heads is left to compare with. Raises Failure as `predict_with_changes` does.
    """
    config = checkpoint.settings.model
    heads = list(np.ndindex(config.layers, config.heads))
    others = _others(heads, intervention, draws, seed)
    if not others:
        return None
    without = replace(intervention, masked=frozenset(), uniform=frozenset())
    random = [replace(without, masked=masked, uniform=uniform) for masked, uniform in others]
    last = predict_with_changes(checkpoint, encoding, [without, intervention, *random])[:, -1]
    return HeadControl(len(intervention.masked | intervention.uniform), float(last[0]), float(last[1]), last[2:])


def _others(heads: list[Head], chosen: Changes, draws: int, seed: int) -> list[tuple[frozenset[Head], frozenset[Head]]]:
    """Other choices of as many masked and as many uniform heads, each once; the same ones for the same seed."""
    own = chosen.masked, chosen.uniform - chosen.masked
    masked, changed = len(own[0]), len(own[0] | own[1])
    if not changed:
        return []
    if comb(len(heads), changed) * comb(changed, masked) - 1 <= draws:
        return [one for one in _choices(heads, masked, changed) if one != own]
    random, found = np.random.default_rng(seed), {}
    while len(found) < draws:
        some = [heads[i] for i in random.choice(len(heads), changed, replace=False)]
        one = frozenset(some[:masked]), frozenset(some[masked:])
        if one != own:
            found[one] = None
    return list(found)


def _choices(heads: list[Head], masked: int, changed: int) -> Iterator[tuple[frozenset[Head], frozenset[Head]]]:
    for some in map(frozenset, combinations(heads, changed)):
        for first in map(frozenset, combinations(sorted(some), masked)):
            yield first, some - first
