"""Does it matter for a word of a translation? Without heads of the cross-attention, or without source tokens.

Masked heads of the cross-attention: Michel et al. 2019, "Are Sixteen Heads Really Better than
One?", section 3, https://arxiv.org/abs/1905.10650; beside as many random heads, as in `control`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from viz_core.analysis.control import is_quick, random_selections
from viz_core.analysis.decoding import step
from viz_core.analysis.translation.changes import TranslationChanges, chances_with_changes
from viz_core.analysis.whatif import Changes, Head
from viz_core.checkpoints import Checkpoint
from viz_core.records import Failure, Translation


@dataclass(frozen=True)
class Chance:
    """Probability of a word; and what is likeliest in its place, if that is another than without changes."""

    probability: float
    instead: str | None


@dataclass(frozen=True)
class WordEffects:
    """Probability of one word of a translation, given the words before it.

    Attributes:
        masked: Without the heads.
        others: Without as many other heads, `(draws,)`; empty where there are none, or if it would
            be slow.
        blocked: Where the source tokens get no attention.
    """

    original: float
    masked: Chance
    others: tuple[float, ...]
    blocked: Chance
    slow: bool = False


def word_effects(
    checkpoint: Checkpoint,
    translation: Translation,
    word: int,
    heads: frozenset[Head],
    tokens: frozenset[int],
    between_passes: Callable[[], None] = lambda: None,
) -> WordEffects:
    """Effects on a word, counted from 0.

    Args:
        between_passes: Called after each pass; what it raises ends the computation.

    Raises:
        Failure: If there is no such word, head or source token, or no source token is left.
    """
    if not 0 <= word < len(translation.steps):
        raise Failure("translation.unknown_word", position=word + 1)
    original = translation.steps[word]

    def chance(changes: TranslationChanges) -> Chance:
        chances = chances_with_changes(checkpoint, translation, changes)[word]
        between_passes()
        changed = step(checkpoint.text_encoder, chances, original.output.id)
        likeliest = changed.candidates[0]
        instead = None if likeliest.id == original.candidates[0].id else likeliest.token
        return Chance(changed.output.probability, instead)

    masked = chance(TranslationChanges(masked=heads))
    blocked = chance(TranslationChanges(blocked=tokens))
    if not is_quick(checkpoint, len(translation.source.ids) + len(translation.steps)):
        return WordEffects(original.output.probability, masked, (), blocked, slow=True)
    config = checkpoint.model.config
    every = list(np.ndindex(config.layers, config.heads))
    others = [chance(TranslationChanges(masked=other)) for other, _ in random_selections(every, Changes(masked=heads))]
    return WordEffects(original.output.probability, masked, tuple(other.probability for other in others), blocked)
