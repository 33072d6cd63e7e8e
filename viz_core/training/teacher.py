"""A teacher for texts without labels: what an n-gram classifier says of them is learned too (distillation, Hinton et al. 2015).

The teacher is logistic regression on the n-grams of tokens that a text has, each weighted by the logarithm of how much more
often it occurs in one class than in the other (Wang & Manning 2012, section 2.1), every text scaled to length 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import Normalizer

from viz_core.records import Examples

LONGEST = 3  # tokens of an n-gram
SEEN = 2  # labelled texts that an n-gram must occur in
SHORTEST_PIECE, LONGEST_PIECE = 3, 80  # tokens
_FOLDS, _BLOCKS = 5, 250
_BASE = 2**21  # more than any vocabulary has tokens: three of them fit into 63 bits


class NaiveBayesRatios(TransformerMixin, BaseEstimator):
    """Occurrences `(N, V)` of 0 and 1 -> each times log((p / |p|) / (q / |q|)), where p and q count a column's occurrences
    in class 1 and class 0, plus one."""

    def fit(self, X: csr_matrix, y: np.ndarray) -> NaiveBayesRatios:
        p, q = (1 + np.asarray(X[y == label].sum(axis=0)).ravel() for label in (1, 0))
        self.ratios_ = np.log((p / p.sum()) / (q / q.sum())).astype(np.float32)
        return self

    def transform(self, X: csr_matrix) -> csr_matrix:
        return X.multiply(self.ratios_).tocsr()


def teacher(seed: int) -> Pipeline:
    """Occurrences -> probabilities of two classes; to be fitted."""
    return make_pipeline(
        NaiveBayesRatios(),
        Normalizer(),
        LogisticRegression(C=10.0, solver="liblinear", dual=True, max_iter=200, random_state=seed),
    )


def taught(train: Examples, unlabelled: Examples, pieces: bool, seed: int) -> Examples:
    """Single texts of two classes, then those without labels, then a short piece of each if asked for; with `targets`.

    Those of a labelled text are the mean of its label and of what a teacher says that has not seen it: five teachers, each
    for a fifth of the texts, in blocks of neighbours, since neighbours are often of one film. Everything else gets what
    a teacher of all labelled texts says. labels: the likelier class.
    """
    parts = _pieces(train.ids + unlabelled.ids, seed) if pieces else []
    ids = train.ids + unlabelled.ids + parts
    known = len(train)
    found = occurrences(ids, known)
    blocks = np.arange(known) * _BLOCKS // known
    folds = GroupKFold(_FOLDS, shuffle=True, random_state=seed)
    unseen = cross_val_predict(
        teacher(seed), found[:known], train.labels, groups=blocks, cv=folds, method="predict_proba"
    )
    own = (unseen + np.eye(2)[train.labels]) / 2
    others = np.empty((0, 2))
    if len(ids) > known:
        others = teacher(seed).fit(found[:known], train.labels).predict_proba(found[known:])
    targets = np.concatenate([own, others]).astype(np.float32)
    segments = train.segments + unlabelled.segments + [np.zeros(len(row), np.int8) for row in parts]
    return Examples(ids, segments, targets.argmax(1), targets)


def occurrences(ids: Sequence[np.ndarray], labelled: int) -> csr_matrix:
    """`(N, V)`: 1 where a text `[CLS] … [SEP]` has an n-gram; of those that SEEN of the first `labelled` texts have."""
    found = [_ngrams(row[1:-1]) for row in ids]
    every, counts = np.unique(np.concatenate(found[:labelled]), return_counts=True)
    columns = every[counts >= SEEN]
    rows = np.repeat(np.arange(len(ids)), [len(one) for one in found])
    flat = np.concatenate(found)
    places = np.searchsorted(columns, flat)
    known = places < len(columns)
    known[known] = columns[places[known]] == flat[known]
    return csr_matrix((np.ones(known.sum(), np.float32), (rows[known], places[known])), shape=(len(ids), len(columns)))


def _ngrams(tokens: np.ndarray) -> np.ndarray:
    """A number for every n-gram that occurs, in order: the tokens are its digits, from 1 on."""
    digits = tokens.astype(np.int64) + 1
    numbers, found = digits, [digits]
    for longer in range(1, LONGEST):
        numbers = numbers[:-1] * _BASE + digits[longer:]
        found.append(numbers)
    return np.unique(np.concatenate(found))


def _pieces(ids: Sequence[np.ndarray], seed: int) -> list[np.ndarray]:
    """Of each text one piece, somewhere in it; as many are 3 to 9 tokens long as 9 to 27."""
    random = np.random.default_rng(seed)
    spans = np.exp(random.uniform(np.log(SHORTEST_PIECE), np.log(LONGEST_PIECE + 1), len(ids))).astype(int)
    places = random.random(len(ids))
    result = []
    for row, span, place in zip(ids, spans, places, strict=True):
        tokens = row[1:-1]
        span = min(span, len(tokens))
        start = int(place * (len(tokens) - span + 1))
        result.append(np.concatenate([row[:1], tokens[start : start + span], row[-1:]]))
    return result
