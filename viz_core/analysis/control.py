"""Random-head control: does changing certain heads matter more than changing random ones?"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np

from viz_core.analysis.whatif import Changes, Head, outcomes
from viz_core.checkpoints import Checkpoint
from viz_core.records import Encoding, HeadControl

DRAWS = 20
QUICK = 6e11  # tokens × parameters: 13 s of one core

HeadSets = tuple[frozenset[Head], frozenset[Head]]  # masked and uniform heads


def head_control(
    checkpoint: Checkpoint,
    encoding: Encoding,
    changes: Changes,
    label: int = -1,
    draws: int = DRAWS,
    seed: int = 0,
    between_passes: Callable[[], None] = lambda: None,
) -> HeadControl | None:
    """Apply the same changes to equally many random heads, with all other changes kept.

    None if no head is masked or uniform, or there is no other selection to compare with.

    Args:
        label: The class whose probability is compared, by default the last. A model without a
            classifier is compared by the similarity of the embedding.
        draws: Number of random selections; all possible ones if there are fewer.
        between_passes: As in `predict_with_changes`.

    Raises:
        Failure: As `predict_with_changes`.
    """
    config = checkpoint.settings.config
    heads = list(np.ndindex(config.layers, config.heads))
    selections = random_selections(heads, changes, draws, seed)
    if not selections:
        return None
    without = replace(changes, masked=frozenset(), uniform=frozenset())
    random = [replace(without, masked=masked, uniform=uniform) for masked, uniform in selections]
    values = outcomes(checkpoint, encoding, [without, changes, *random], between_passes, [label])[:, 0]
    first, second, *others = values.tolist()
    changed = len(changes.masked | changes.uniform)
    complete = len(selections) == _count(heads, len(changes.masked), changed)
    return HeadControl(changed, first, second, np.array(others), complete)


def is_quick(checkpoint: Checkpoint, tokens: int) -> bool:
    """Whether a comparison with random heads takes some ten seconds at most, for an input of so many tokens."""
    return DRAWS * tokens * checkpoint.model.config.parameters() < QUICK


def _count(heads: list[Head], masked: int, changed: int) -> int:
    """Number of selections of as many masked and uniform heads, without the given one."""
    return comb(len(heads), changed) * comb(changed, masked) - 1


def random_selections(heads: list[Head], changes: Changes, draws: int = DRAWS, seed: int = 0) -> list[HeadSets]:
    """Distinct selections of as many masked and uniform heads, other than the given ones; seeded."""
    original = changes.masked, changes.uniform - changes.masked
    masked, changed = len(original[0]), len(original[0] | original[1])
    if not changed:
        return []
    if _count(heads, masked, changed) <= draws:
        return [selection for selection in _all_selections(heads, masked, changed) if selection != original]
    random, selections = np.random.default_rng(seed), dict[HeadSets, None]()
    while len(selections) < draws:
        drawn = [heads[index] for index in random.choice(len(heads), changed, replace=False)]
        selection = frozenset(drawn[:masked]), frozenset(drawn[masked:])
        if selection != original:
            selections[selection] = None
    return list(selections)


def _all_selections(heads: list[Head], masked: int, changed: int) -> Iterator[HeadSets]:
    for selected in map(frozenset, combinations(heads, changed)):
        for masked_heads in map(frozenset, combinations(sorted(selected), masked)):
            yield masked_heads, selected - masked_heads
