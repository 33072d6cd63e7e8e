"""Two sentences: do heads look across, does their order matter, and does the order of the characters?

Swapping and shuffling are tests that leave the bag of tokens as it is: a model that only counts shared characters answers as
before. Lexical overlap: McCoy et al. 2019, "Right for the Wrong Reasons", section 2, https://arxiv.org/abs/1902.01007;
shuffled words: Sinha et al. 2021, "UnNatural Language Inference", https://arxiv.org/abs/2101.00010.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from viz_core.analysis.selection import attention_map
from viz_core.checkpoints import Checkpoint
from viz_core.models.batch import pad
from viz_core.records import AttentionMap, Encoding, Explanation, Failure, Message, PairMass, Shuffles

SHUFFLES = 20
SENTENCES = {"a": (0,), "b": (1,), "both": (0, 1)}  # what is shuffled


def pair_mass(explanation: Explanation) -> PairMass:
    """Mean weight that a token of one sentence gives to all tokens of the other, by layer and head; special tokens apart."""
    encoding, attention = explanation.encoding, explanation.attention
    a, b = (np.flatnonzero(~encoding.special & (encoding.segments == segment)) for segment in (0, 1))
    T = len(encoding.tokens)

    def across(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
        return attention[:, :, queries[:, None], keys].sum(-1).mean(-1)  # (L, H)

    return PairMass(across(a, b), across(b, a), len(b) / T, len(a) / T)


def restore_order(before: Explanation, after: Explanation) -> Explanation:
    """The explanation of the swapped pair with its tokens where they stood before, so that the two compare cell by cell.

    [CLS] is [CLS]; each [SEP] goes with the sentence that it closes. Only the comparison is put in order: in the swapped pair
    every token had another position, and the other segment. Raises Failure where the two were not cut to the same tokens.
    """
    order = _order(after.encoding)
    if len(order) != len(before.encoding.ids) or (after.encoding.ids[order] != before.encoding.ids).any():
        raise Failure("pairs.cut")
    return replace(after, encoding=before.encoding, attention=after.attention[:, :, order[:, None], order])


def _order(swapped: Encoding) -> np.ndarray:
    """`(T,)`: where each token of `[CLS] a [SEP] b [SEP]` stands in the swapped `[CLS] b [SEP] a [SEP]`."""
    second, first = (np.flatnonzero(swapped.segments == segment) for segment in (1, 0))
    return np.concatenate([first[:1], second, first[1:]])


def swap_difference(before: Explanation, after: Explanation, layer: int | None, head: int | None) -> AttentionMap:
    """How the weights by word of one head or a mean change when the sentences are swapped. Raises Failure as above."""
    one, other = (attention_map(which, layer, head, unit="word") for which in (before, restore_order(before, after)))
    where = one.title.values["where"]
    return replace(one, weights=other.weights - one.weights, title=Message("pairs.swap_map", {"where": where}))


def shuffles(checkpoint: Checkpoint, encoding: Encoding, count: int = SHUFFLES, seed: int = 0) -> Shuffles:
    """The probability of the last class with the tokens of one sentence, or of both, in random orders, seeded."""
    random, inputs = np.random.default_rng(seed), [encoding.ids]
    for segments in SENTENCES.values():
        for _ in range(count):
            ids = encoding.ids.copy()
            for segment in segments:
                places = np.flatnonzero(~encoding.special & (encoding.segments == segment))
                ids[places] = random.permutation(ids[places])
            inputs.append(ids)
    with torch.inference_mode():
        logits = checkpoint.model(*pad(inputs, [encoding.segments] * len(inputs))).logits.numpy()
    last = checkpoint.settings.probabilities(logits)[:, -1]
    return Shuffles(float(last[0]), dict(zip(SENTENCES, last[1:].reshape(len(SENTENCES), count), strict=True)))


def alignment(explanation: Explanation, layer: int | None, head: int | None) -> AttentionMap:
    """Which word of A belongs to which of B: the mean of what they give to each other, rows A, columns B.

    A word's weight is summed over its tokens as keys and averaged over them as queries.
    """
    there, back = (attention_map(explanation, layer, head, "hidden", block, "word") for block in ("ab", "ba"))
    return replace(
        there,
        weights=(there.weights + back.weights.T) / 2,
        title=Message("pairs.alignment", {"where": there.title.values["where"]}),
    )
