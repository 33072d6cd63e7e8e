"""Texts written for this project, in English and Chinese, for models from elsewhere, which have no corpus here."""

from collections.abc import Sequence

import numpy as np

from viz_core.checkpoints import Checkpoint
from viz_core.datasets.sample import LANGUAGES, sample_texts, sentence_pairs
from viz_core.models.protocol import reads_source

COUNT = 60  # texts in each language
UNKNOWN = 0.2  # share of the tokens of a text; one with more is of a language that the model does not read

Texts = tuple[str, ...]


def own_texts(checkpoint: Checkpoint) -> list[Texts]:
    """Texts that the model reads.

    Reviews and questions for a causal model, pairs of sentences for another; for a translation
    sentences with a reference, in the direction whose sources it reads better.
    """
    if reads_source(checkpoint.model):
        return _translations(checkpoint)
    texts: list[Texts]
    if "causal" in checkpoint.model.attention_kinds:
        texts = [parts[:1] for file in ("reviews_a.jsonl", "pairs.jsonl") for parts in sample_texts(file)[:COUNT]]
    else:
        texts = [pair for language in LANGUAGES for pair in sentence_pairs(language)[:COUNT]]
    return [parts for parts in texts if unknown_share(checkpoint, parts) <= UNKNOWN]


def _translations(checkpoint: Checkpoint) -> list[Texts]:
    pairs = list(sample_texts("translations.jsonl")[: 2 * COUNT])
    directions: list[list[Texts]] = [pairs, [(target, source) for source, target in pairs]]
    return min(directions, key=lambda texts: float(np.mean([unknown_share(checkpoint, parts[:1]) for parts in texts])))


def unknown_share(checkpoint: Checkpoint, parts: Sequence[str]) -> float:
    """Share of unknown tokens in a text or pair."""
    return float(checkpoint.text_encoder.encode(*parts).unknown.mean())
