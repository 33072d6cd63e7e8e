"""Sentence-pair tests: attention between the sentences, swapped sentences and shuffled characters.

Swapping and shuffling preserve the bag of tokens: a model that merely counts common characters
predicts the same. Lexical overlap: McCoy et al. 2019, "Right for the Wrong Reasons", section 2,
https://arxiv.org/abs/1902.01007; shuffled words: Sinha et al. 2021, "UnNatural Language Inference",
https://arxiv.org/abs/2101.00010.
"""

from dataclasses import replace

import numpy as np
import torch

from viz_core.analysis.selection import attention_map
from viz_core.checkpoints import Checkpoint
from viz_core.models.batch import pad
from viz_core.records import (
    AttentionMap,
    Encoding,
    Explanation,
    Failure,
    Message,
    PairMass,
    Shuffles,
    map_heads,
    measure_layers,
)

SHUFFLES = 20
SENTENCES = {"a": (0,), "b": (1,), "both": (0, 1)}  # the segments to shuffle


def pair_mass(explanation: Explanation) -> PairMass:
    """Mean weight from the tokens of one sentence to all tokens of the other, `(L, H)`.

    Special tokens are left out.
    """
    encoding, attention = explanation.encoding, explanation.attention
    a, b = (np.flatnonzero(~encoding.special & (encoding.segments == segment)) for segment in (0, 1))
    T = len(encoding.tokens)

    def mass(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
        return measure_layers(attention, lambda layer: layer[:, queries[:, None], keys].sum(-1).mean(-1))  # (L, H)

    return PairMass(mass(a, b), mass(b, a), len(b) / T, len(a) / T)


def restore_order(before: Explanation, after: Explanation) -> Explanation:
    """Explanation of the swapped pair with its tokens in the original order, to compare cell by cell.

    Each [SEP] stays with the sentence that it ends. Only the display order is restored: in the
    swapped pair every token had another position and the other segment.

    Raises:
        Failure: If the two were truncated to different tokens.
    """
    order = _original_order(after.encoding)
    if len(order) != len(before.encoding.ids) or (after.encoding.ids[order] != before.encoding.ids).any():
        raise Failure("pairs.cut")
    attention = map_heads(after.attention, lambda weights, head: weights[order[:, None], order])
    return replace(after, encoding=before.encoding, attention=attention)


def _original_order(swapped: Encoding) -> np.ndarray:
    """Positions `(T,)` of the tokens of `[CLS] a [SEP] b [SEP]` in the swapped `[CLS] b [SEP] a [SEP]`."""
    second, first = (np.flatnonzero(swapped.segments == segment) for segment in (1, 0))
    return np.concatenate([first[:1], second, first[1:]])


def swap_difference(before: Explanation, after: Explanation, layer: int | None, head: int | None) -> AttentionMap:
    """Change of the word-level weights of a head, or a mean over heads, when the sentences are swapped.

    Raises:
        Failure: As `restore_order`.
    """
    original, swapped = (
        attention_map(explanation, layer, head, unit="word") for explanation in (before, restore_order(before, after))
    )
    where = original.title.values["where"]
    title = Message("pairs.swap_map", {"where": where})
    return replace(original, weights=swapped.weights - original.weights, title=title, signed=True)


def shuffles(checkpoint: Checkpoint, encoding: Encoding, count: int = SHUFFLES, seed: int = 0) -> Shuffles:
    """Probability of the last class with the tokens of one sentence, or of both, in random order; seeded."""
    random, inputs = np.random.default_rng(seed), [encoding.ids]
    for segments in SENTENCES.values():
        for _ in range(count):
            ids = encoding.ids.copy()
            for segment in segments:
                positions = np.flatnonzero(~encoding.special & (encoding.segments == segment))
                ids[positions] = random.permutation(ids[positions])
            inputs.append(ids)
    with torch.inference_mode():
        logits = checkpoint.model(*pad(inputs, [encoding.segments] * len(inputs))).logits.numpy()
    last = checkpoint.settings.probabilities(logits)[:, -1]
    return Shuffles(float(last[0]), dict(zip(SENTENCES, last[1:].reshape(len(SENTENCES), count), strict=True)))


def alignment(explanation: Explanation, layer: int | None, head: int | None) -> AttentionMap:
    """Word alignment: the mean of the weights A→B and B→A; rows are words of A, columns words of B.

    Weights are summed over a word's tokens as keys and averaged over them as queries.
    """
    a_to_b, b_to_a = (attention_map(explanation, layer, head, "hidden", block, "word") for block in ("ab", "ba"))
    return replace(
        a_to_b,
        weights=(a_to_b.weights + b_to_a.weights.T) / 2,
        title=Message("pairs.alignment", {"where": a_to_b.title.values["where"]}),
    )
