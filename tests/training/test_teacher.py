"""The n-gram classifier whose predictions are the targets of unlabelled texts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from viz_core.records import Examples
from viz_core.training.teacher import (
    LONGEST_PIECE,
    SHORTEST_PIECE,
    NaiveBayesRatios,
    build_teacher,
    distillation_examples,
    occurrences,
)

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


def test_half_of_the_target_of_a_labelled_text_is_its_label():
    labelled, unlabelled = labelled_texts(), examples([text(THE, FILM, BAD), text(NOT, BAD, FILM)], [-1, -1])
    result = distillation_examples(labelled, unlabelled, pieces=False, seed=0)
    assert len(result) == 82 and result.targets.dtype == np.float32
    assert result.targets.sum(1) == pytest.approx(np.ones(82))
    of_label = result.targets[np.arange(80), labelled.labels]
    assert (of_label > 0.5).all() and (of_label < 1).all()
    assert result.labels.tolist() == [*labelled.labels, 0, 1]


def test_the_teacher_of_a_labelled_text_has_seen_neither_it_nor_its_neighbour():
    """Two neighbours share a word that no other text has: only a teacher that has seen either knows their label.

    The teacher that has not says about one half, so the target of the label is about (1 + 1/2) / 2.
    """
    texts = [text(THE, 100 + row // 2) for row in range(500)]
    labelled = examples(texts, np.arange(500) // 2 % 2)
    result = distillation_examples(labelled, examples([text(THE)], [-1]), pieces=False, seed=0)
    of_label = result.targets[np.arange(500), labelled.labels]
    assert of_label == pytest.approx(np.full(500, 0.75), abs=0.1)
    seen = build_teacher(seed=0).fit(occurrences(texts, 500), labelled.labels).predict_proba(occurrences(texts, 500))
    assert (seen[np.arange(500), labelled.labels] > 0.85).all()  # the words do tell the labels


def test_each_piece_is_part_of_its_text():
    random = np.random.default_rng(0)
    texts = [text(*random.integers(4, 500, length)) for length in (1, 2, 5, 60, 400) * 40]
    labelled, unlabelled = examples(texts[:150], np.arange(150) % 2), examples(texts[150:], [-1] * 50)
    result = distillation_examples(labelled, unlabelled, pieces=True, seed=1)
    assert len(result) == 400
    for whole, piece, segments in zip(texts, result.ids[200:], result.segments[200:], strict=True):
        assert (piece[0], piece[-1]) == (2, 3) and len(segments) == len(piece) and not segments.any()
        assert min(SHORTEST_PIECE, len(whole) - 2) <= len(piece) - 2 <= LONGEST_PIECE
        assert " ".join(map(str, piece[1:-1])) in " ".join(map(str, whole[1:-1]))
    assert len({len(piece) for piece in result.ids[200:]}) > 10


def test_pieces_have_3_to_80_tokens_as_many_below_as_above_their_geometric_mean():
    labelled = examples([text(*range(4, 204))] * 4000, np.arange(4000) % 2)
    result = distillation_examples(labelled, examples([], []), pieces=True, seed=0)
    lengths = np.array([len(piece) - 2 for piece in result.ids[4000:]])
    assert (lengths.min(), lengths.max()) == (SHORTEST_PIECE, LONGEST_PIECE) == (3, 80)
    assert (lengths < (3 * 81) ** 0.5).mean() == pytest.approx(0.5, abs=0.03)


def test_the_same_seed_gives_the_same_targets_and_pieces():
    labelled, unlabelled = labelled_texts(), examples([text(THE, FILM, GOOD, NOT, BAD)] * 9, [-1] * 9)
    first, same, other = (distillation_examples(labelled, unlabelled, True, seed) for seed in (3, 3, 4))
    assert (first.targets == same.targets).all() and all(map(np.array_equal, first.ids, same.ids))
    assert not all(map(np.array_equal, first.ids, other.ids))
