"""An n-gram classifier of the same corpus as a teacher (training/teacher.py).

It is logistic regression on the n-grams of a text, each weighted by the logarithm of the ratio of
its frequencies in the two classes (Wang & Manning 2012, section 2.1), with every text scaled to
length 1. With more than two classes there is such a classifier for each class against all others,
and their probabilities are scaled to sum to 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from viz_core.records import Examples

MAX_LENGTH = 3  # tokens of an n-gram
MIN_TEXTS = 2  # an n-gram must occur in at least so many labelled texts
_FOLDS, _BLOCKS = 5, 250
_BASE = 2**21  # more than any vocabulary has tokens: three tokens fit into 63 bits


class NaiveBayesRatios(TransformerMixin, BaseEstimator):
    """Multiplies the columns of occurrences `(N, V)` by log((p / |p|) / (q / |q|)).

    p and q are the counts in class 1 and class 0, plus one.
    """

    def fit(self, X: csr_matrix, y: np.ndarray) -> NaiveBayesRatios:
        """Count the occurrences per class."""
        p, q = (1 + np.asarray(X[y == label].sum(axis=0)).ravel() for label in (1, 0))
        self.ratios_ = np.log((p / p.sum()) / (q / q.sum())).astype(np.float32)
        return self

    def transform(self, X: csr_matrix) -> csr_matrix:
        """Scale the columns."""
        return X.multiply(self.ratios_).tocsr()


def build_teacher(seed: int) -> OneVsRestClassifier:
    """Build an unfitted classifier: occurrences `(N, V)` -> probabilities `(N, C)`.

    With two classes it is a single regression.
    """
    regression = LogisticRegression(C=10.0, solver="liblinear", dual=True, max_iter=200, random_state=seed)
    return OneVsRestClassifier(make_pipeline(NaiveBayesRatios(), Normalizer(), regression))


def ngram_probabilities(train: Examples, others: Sequence[np.ndarray], seed: int) -> np.ndarray:
    """`(N, C)`: the teacher's probabilities for the labelled texts, then for the ids of `others`.

    A labelled text is predicted by a teacher that has not seen it: there are five teachers, each
    predicting a fifth of the texts, in blocks of neighbours, because neighbours are often about the
    same film. All other texts are predicted by a teacher that was fitted on all labelled texts.
    """
    labelled = len(train)
    features = occurrences([*train.ids, *others], labelled)
    blocks = np.arange(labelled) * _BLOCKS // labelled
    folds = GroupKFold(_FOLDS, shuffle=True, random_state=seed)
    held_out = cross_val_predict(
        build_teacher(seed), features[:labelled], train.labels, groups=blocks, cv=folds, method="predict_proba"
    )
    if not others:
        return held_out
    teacher = build_teacher(seed).fit(features[:labelled], train.labels)
    return np.concatenate([held_out, teacher.predict_proba(features[labelled:])])


def occurrences(ids: Sequence[np.ndarray], labelled: int) -> csr_matrix:
    """`(N, V)`: 1 where a text `[CLS] … [SEP]` contains an n-gram.

    The n-grams are those in at least MIN_TEXTS of the first `labelled` texts.
    """
    ngrams = [_ngrams(row[1:-1]) for row in ids]
    distinct, counts = np.unique(np.concatenate(ngrams[:labelled]), return_counts=True)
    vocabulary = distinct[counts >= MIN_TEXTS]
    rows = np.repeat(np.arange(len(ids)), [len(row) for row in ngrams])
    flat = np.concatenate(ngrams)
    columns = np.searchsorted(vocabulary, flat)
    in_vocabulary = columns < len(vocabulary)
    in_vocabulary[in_vocabulary] = vocabulary[columns[in_vocabulary]] == flat[in_vocabulary]
    ones = np.ones(in_vocabulary.sum(), np.float32)
    return csr_matrix((ones, (rows[in_vocabulary], columns[in_vocabulary])), shape=(len(ids), len(vocabulary)))


def _ngrams(tokens: np.ndarray) -> np.ndarray:
    """A number for every distinct n-gram, in ascending order; its digits are the token ids plus 1."""
    digits = tokens.astype(np.int64) + 1
    numbers, by_length = digits, [digits]
    for length in range(1, MAX_LENGTH):
        numbers = numbers[:-1] * _BASE + digits[length:]
        by_length.append(numbers)
    return np.unique(np.concatenate(by_length))
