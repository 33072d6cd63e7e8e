"""A baseline for translation: the translation of the most similar training sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer


def retrieve_translations(
    sentences: Sequence[str], train_sources: Sequence[str], train_targets: Sequence[str]
) -> list[str]:
    """For each sentence the target of the training source that is nearest to it; of several the first.

    Similarity is the cosine of the counts of characters and pairs of characters, weighted by tf-idf (Manning et al.
    2008, chapter 6).
    """
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(1, 2))
    train = vectorizer.fit_transform(train_sources)
    similarities = vectorizer.transform(sentences) @ train.T  # (N, train sentences), sparse
    nearest = np.asarray(similarities.argmax(axis=1)).ravel()
    return [train_targets[row] for row in nearest]
