"""Word alignment: does an alignment agree with one made by hand?

Error rate, precision and recall: Och and Ney 2003, "A Systematic Comparison of Various Statistical
Alignment Models", section 5.

Shapes: K methods, N sentence pairs, S source and T target tokens without the special ones.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from viz_core.records import AlignedPair, Encoding
from viz_core.statistics.intervals import INTERVAL, resampled_sums


@dataclass(frozen=True, eq=False)
class LinkCounts:
    """Link counts of K methods in N pairs, `(K, N)`: all links, sure ones, possible ones.

    Attributes:
        reference: Sure links made by hand, `(N,)`.
    """

    links: np.ndarray
    sure: np.ndarray
    possible: np.ndarray
    reference: np.ndarray

    def at(self, methods: Sequence[int]) -> Self:
        """Select methods."""
        return type(self)(self.links[methods], self.sure[methods], self.possible[methods], self.reference)

    def error_rates(self) -> np.ndarray:
        """Alignment error rate of each method over all pairs, `(K,)`.

        1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|) for its links A, the sure links S and the possible
        links P, which include S.
        """
        return self._rates(lambda counts: counts.sum(1))

    def intervals(self) -> np.ndarray:
        """95% bootstrap intervals of the error rates over the pairs, `(K, 2)`."""
        return np.quantile(self._rates(resampled_sums), INTERVAL, axis=0).T

    def gain_over(self, baseline: Self) -> tuple[float, float, float]:
        """Drop of the error rate below a baseline's, with the paired 95% bootstrap interval over the pairs.

        Both counts are of a single method.
        """
        gain = baseline.error_rates() - self.error_rates()
        low, high = np.quantile(baseline._rates(resampled_sums) - self._rates(resampled_sums), INTERVAL)
        return float(gain[0]), float(low), float(high)

    def precisions(self) -> np.ndarray:
        """Precision |A ∩ P| / |A| of each method, `(K,)`."""
        return self.possible.sum(1) / self.links.sum(1)

    def recalls(self) -> np.ndarray:
        """Recall |A ∩ S| / |S| of each method, `(K,)`."""
        return self.sure.sum(1) / self.reference.sum()

    def select_on_other_pairs(self) -> Self:
        """Counts of a single method: in each pair, the method with the lowest error rate on the other pairs.

        The lowest of many error rates on the same pairs is optimistic; this is not. There must be
        at least two pairs.
        """
        rates = self._rates(lambda counts: counts.sum(1, keepdims=True) - counts)  # (K, N), without the pair
        methods, pairs = rates.argmin(0), np.arange(rates.shape[1])
        links, sure, possible = (part[methods, pairs][None] for part in (self.links, self.sure, self.possible))
        return type(self)(links, sure, possible, self.reference)

    def _rates(self, add_pairs: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Error rates from counts added up over pairs."""
        parts = self.links, self.sure, self.possible, self.reference[None]
        links, sure, possible, reference = map(add_pairs, parts)
        return 1 - (sure + possible) / (links + reference)


def words_of_tokens(encoding: Encoding, words: Sequence[str]) -> np.ndarray:
    """Word index of each token, `(T,)`, special tokens left out.

    Args:
        encoding: The words joined by spaces; each token lies within a word.
    """
    ends = np.cumsum([len(word) + 1 for word in words])
    return np.searchsorted(ends, encoding.offsets[~encoding.special, 0], side="right")


def diagonal(targets: int, sources: int) -> np.ndarray:
    """Link each target token to the source token at the same share of its sentence, `(T,)`."""
    return ((np.arange(targets) + 0.5) * sources / targets).astype(int)


def count_links(
    sources: Sequence[np.ndarray], words: Sequence[tuple[np.ndarray, np.ndarray]], pairs: Sequence[AlignedPair]
) -> LinkCounts:
    """Count the word links made by token links: words are linked if any of their tokens are.

    Args:
        sources: For each pair, the source token of each target token, `(K, T)`.
        words: For each pair, the word indices of its source tokens `(S,)` and target tokens `(T,)`.
    """
    counts = np.array([_count(*parts) for parts in zip(sources, words, pairs, strict=True)])  # (N, 3, K)
    reference = np.array([len(pair.sure) for pair in pairs])
    links, sure, possible = counts.transpose(1, 2, 0)
    return LinkCounts(links, sure, possible, reference)


def _count(sources: np.ndarray, words: tuple[np.ndarray, np.ndarray], pair: AlignedPair) -> np.ndarray:
    """All links, sure and possible links of each method, `(3, K)`."""
    linked = np.zeros((len(sources), len(pair.source), len(pair.target)), bool)
    linked[np.arange(len(sources))[:, None], words[0][sources], words[1]] = True
    sure, possible = np.zeros((2, len(pair.source), len(pair.target)), bool)
    sure[tuple(zip(*pair.sure, strict=True))] = True
    possible[tuple(zip(*pair.possible, strict=True))] = True
    return np.array([linked.sum((1, 2)), (linked & sure).sum((1, 2)), (linked & possible).sum((1, 2))])
