"""A modified Kneser-Ney n-gram model over token ids, interpolated at every order.

Chen and Goodman 1999, "An empirical study of smoothing techniques for language modeling", Computer
Speech and Language 13:359-394, section 3. With h the n - 1 tokens before w, and h' these without
the first:

    p(w | h) = (c(hw) - D(c(hw))) / c(h·) + γ(h) p(w | h'),    γ(h) = Σ_w D(c(hw)) / c(h·)

The counts c of the highest order are occurrences. Those of a lower order are the distinct tokens
before the n-gram. Nothing is before an n-gram at the beginning of a text, so it counts each of its
occurrences there (Heafield et al. 2013, "Scalable modified Kneser-Ney language model estimation",
section 3.2). The lowest order is interpolated with the uniform distribution over the vocabulary.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

FALLBACK = (0.5, 1.0, 1.5)  # discounts of an order whose counts of counts give none, as in KenLM


@dataclass(frozen=True)
class _Counts:
    """The N n-grams of one order.

    Attributes:
        keys: `(N,)`, ascending: the index of the first n - 1 tokens among the (n-1)-grams, times the
            size of the vocabulary, plus the last token.
        suffixes: `(N,)`, the index of the last n - 1 tokens among the (n-1)-grams.
        counts: `(N,)`, occurrences or distinct tokens before.
    """

    keys: np.ndarray
    suffixes: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True)
class _Order:
    """What is asked of the N n-grams of one order.

    Attributes:
        keys: `(N,)`, those of `_Counts`.
        probabilities: `(N,)`, of the last token after the others, interpolated.
        weights: `(M + 1,)`, γ of each of the M (n-1)-grams. It is 1 where nothing follows, and last,
            at index -1, for those that do not occur.
    """

    keys: np.ndarray
    probabilities: np.ndarray
    weights: np.ndarray


class KneserNey:
    """An n-gram model fitted to texts, each of them `[CLS] … [SEP]` as an array of token ids.

    N-grams never cross texts. The first token stands for the beginning of a text: it is never predicted,
    and the contexts of the next tokens, shorter than n - 1, begin with it.
    """

    def __init__(self, unigrams: np.ndarray, higher: Sequence[_Order]) -> None:
        """Keep the probabilities of the tokens, `(C,)`, and the orders from 2."""
        self._unigrams, self._higher = unigrams, higher

    @classmethod
    def fit(cls, texts: Sequence[np.ndarray], vocabulary: int, order: int = 5) -> "KneserNey":
        """Count the n-grams of texts up to an order, and interpolate.

        Args:
            texts: `(T,)` each, token ids below `vocabulary`.

        Raises:
            ValueError: If no text has a second token, an id is outside the vocabulary, or the order is
                below 1.
        """
        ids = np.concatenate(texts).astype(np.int64)
        positions = np.concatenate([np.arange(len(text)) for text in texts])
        if order < 1 or not positions.any():
            raise ValueError(f"order {order}, {len(ids)} tokens in {len(texts)} texts: nothing to predict")
        if ids.min() < 0 or ids.max() >= vocabulary:
            raise ValueError(f"ids from {ids.min()} to {ids.max()} in a vocabulary of {vocabulary}")
        orders = [_Order(np.zeros(1, np.int64), np.full(1, 1 / vocabulary), np.ones(1))]  # the empty n-gram
        for counts in _count(ids, positions, vocabulary, order):
            orders.append(_interpolate(counts, orders[-1], vocabulary))
        return cls(orders[1].probabilities, orders[2:])

    def log_probabilities(self, ids: np.ndarray) -> np.ndarray:
        """Compute the natural logarithm of the probability of each token but the first, `(T - 1,)`.

        Args:
            ids: `(T,)`, a text from its first token. Several of one length may come as `(..., T)`.
        """
        return np.log(self._probabilities(np.asarray(ids, np.int64))[..., 1:])

    def distribution(self, context: Sequence[int]) -> np.ndarray:
        """Compute the probability of every token of the vocabulary after a context, `(C,)`.

        Args:
            context: The tokens before, from the first of the text, or at least the last `order - 1`.
        """
        every = np.arange(len(self._unigrams))
        last = np.array(context[-len(self._higher) :] if self._higher else [], np.int64)
        return self._probabilities(np.column_stack([np.tile(last, (len(every), 1)), every]))[:, -1]

    def _probabilities(self, ids: np.ndarray) -> np.ndarray:
        """Probabilities of all tokens, `(..., T)`; the first has no context.

        That of the longest n-gram that occurs, times γ of each longer context that occurs.
        """
        probabilities, grams = self._unigrams[ids], ids  # grams: the index of that which ends at each token, or -1
        for order in self._higher:
            contexts = np.full_like(grams, -1)
            contexts[..., 1:] = grams[..., :-1]
            keys = contexts * len(self._unigrams) + ids
            nearest = np.minimum(np.searchsorted(order.keys, keys), len(order.keys) - 1)
            occurs = order.keys[nearest] == keys
            probabilities = np.where(occurs, order.probabilities[nearest], order.weights[contexts] * probabilities)
            grams = np.where(occurs, nearest, -1)
        return probabilities


def _count(ids: np.ndarray, positions: np.ndarray, vocabulary: int, order: int) -> Iterator[_Counts]:
    """Count the n-grams of each order from 1, up to the longest that occurs.

    Args:
        ids: `(T,)`, all texts.
        positions: `(T,)`, of each token in its text.
    """
    keys, suffixes = np.arange(vocabulary), np.zeros(vocabulary, np.int64)
    occurrences = np.bincount(ids[positions > 0], minlength=vocabulary)
    grams = ids  # (T,), index of the n-gram that ends at each token
    for n in range(2, order + 1):
        ends = np.flatnonzero(positions >= n - 1)
        if not len(ends):
            break
        longer, index, longer_occurrences = np.unique(
            grams[ends - 1] * vocabulary + ids[ends], return_inverse=True, return_counts=True
        )
        longer_suffixes = np.empty_like(longer)
        longer_suffixes[index] = grams[ends]
        before = np.bincount(longer_suffixes, minlength=len(keys))
        if n > 2:  # the first token alone is never predicted
            before += np.bincount(grams[positions == n - 2], minlength=len(keys))
        yield _Counts(keys, suffixes, before)
        keys, suffixes, occurrences = longer, longer_suffixes, longer_occurrences
        grams = np.empty_like(grams)
        grams[ends] = index
    yield _Counts(keys, suffixes, occurrences)


def _interpolate(order: _Counts, lower: _Order, vocabulary: int) -> _Order:
    """Discount the counts of an order, and give what they lose to the order below."""
    contexts, size = order.keys // vocabulary, len(lower.keys)
    discounts = _discounts(order.counts)[np.minimum(order.counts, 3)]
    totals = np.bincount(contexts, order.counts, size)
    weights = np.ones(size + 1)
    np.divide(np.bincount(contexts, discounts, size), totals, out=weights[:-1], where=totals > 0)
    probabilities = (order.counts - discounts) / totals[contexts]
    probabilities += weights[contexts] * lower.probabilities[order.suffixes]
    return _Order(order.keys, probabilities, weights)


def _discounts(counts: np.ndarray) -> np.ndarray:
    """Discounts of counts 0, 1, 2 and 3 or more, `(4,)` (Chen and Goodman 1999, section 3).

    They are `FALLBACK` where a count from 1 to 4 does not occur or an estimate is not positive: a
    context would leave nothing to tokens that it has not seen.
    """
    n = np.bincount(np.minimum(counts, 5), minlength=6)[1:5]
    if not n.all():
        return np.array([0, *FALLBACK])
    estimates = np.arange(1, 4) - np.arange(2, 5) * n[0] / (n[0] + 2 * n[1]) * n[1:] / n[:3]
    return np.array([0, *(estimates if (estimates > 0).all() else FALLBACK)])
