"""The n-gram classifier as a teacher."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from viz_core.records import Examples
from viz_core.training.ngram_teacher import NaiveBayesRatios, build_teacher, ngram_probabilities, occurrences

GOOD, BAD, NOT, FILM, THE = range(4, 9)


def text(*tokens: int) -> np.ndarray:
    """`[CLS] … [SEP]`"""
    return np.array([2, *tokens, 3], np.int32)


def examples(texts: list[np.ndarray], labels) -> Examples:
    return Examples(texts, [np.zeros(len(ids), np.int8) for ids in texts], np.asarray(labels))


def labelled_texts(times: int = 20) -> Examples:
    """Class 1: good, not bad; class 0: bad, not good."""
    texts = [text(THE, FILM, GOOD), text(NOT, BAD, FILM), text(THE, FILM, BAD), text(NOT, GOOD, FILM)]
    return examples(texts * times, [1, 1, 0, 0] * times)


def test_ratios_by_hand():
    """Column 0: p = 1 + 2, q = 1; column 1: p = 1, q = 1 + 1; |p| = 4, |q| = 3."""
    scaling = NaiveBayesRatios().fit(csr_matrix([[1, 0], [1, 0], [0, 1]], dtype=np.float32), np.array([1, 1, 0]))
    assert scaling.ratios_ == pytest.approx([math.log((3 / 4) / (1 / 3)), math.log((1 / 4) / (2 / 3))])
    weighted = scaling.transform(csr_matrix([[0, 1], [1, 1]], dtype=np.float32)).toarray()
    assert weighted == pytest.approx(np.array([[0, scaling.ratios_[1]], scaling.ratios_]))


def test_occurrences_are_of_one_to_three_tokens_in_two_labelled_texts():
    result = occurrences([text(4, 5, 6), text(4, 5, 7), text(5, 4, 6), text(4, 5, 6)], labelled=3).toarray()
    # In two of the first three: 4, 5, 6 and "4 5"; "4 5 6" is in two texts, but only the first of them is labelled.
    assert result.dtype == np.float32 and result.shape == (4, 4) and set(np.unique(result)) == {0, 1}
    assert result.sum(1).tolist() == [4, 3, 3, 4]


def test_a_repeated_token_occurs_once():
    assert occurrences([text(4, 4, 4), text(4, 4)], labelled=2).toarray().tolist() == [[1, 1], [1, 1]]  # 4 and "4 4"


def test_the_teacher_reads_pairs_of_tokens():
    """No single token is enough: each occurs as often in either class."""
    labelled = labelled_texts()
    features = occurrences(labelled.ids, len(labelled))
    probabilities = build_teacher(seed=0).fit(features, labelled.labels).predict_proba(features)[:, 1]
    assert ((probabilities > 0.5) == labelled.labels).all()


def test_the_teacher_of_a_labelled_text_has_seen_neither_it_nor_its_neighbour():
    """Two neighbours share a word that no other text has: only a teacher that has seen either knows their label.

    The teacher that has not says about one half.
    """
    texts = [text(THE, 100 + row // 2) for row in range(500)]
    labelled = examples(texts, np.arange(500) // 2 % 2)
    probabilities = ngram_probabilities(labelled, [text(THE)], seed=0)
    assert probabilities.shape == (501, 2) and probabilities.sum(1) == pytest.approx(np.ones(501))
    of_label = probabilities[np.arange(500), labelled.labels]
    assert of_label == pytest.approx(np.full(500, 0.5), abs=0.2)
    seen = build_teacher(seed=0).fit(occurrences(texts, 500), labelled.labels).predict_proba(occurrences(texts, 500))
    assert (seen[np.arange(500), labelled.labels] > 0.85).all()  # the words do tell the labels


def test_other_texts_are_read_by_a_teacher_of_all_labelled_ones():
    labelled, others = labelled_texts(), [text(THE, FILM, BAD), text(NOT, BAD, FILM)]
    probabilities = ngram_probabilities(labelled, others, seed=0)
    assert len(probabilities) == 82 and probabilities[80:].argmax(1).tolist() == [0, 1]
    assert probabilities[:80] == pytest.approx(ngram_probabilities(labelled, [], seed=0))
