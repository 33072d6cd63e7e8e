"""The n-gram classifier that says what unlabelled texts mean."""

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
    distillation_examples,
    occurrences,
    teacher,
)

GOOD, BAD, NOT, FILM, THE = range(4, 9)


def row(*tokens: int) -> np.ndarray:
    return np.array([2, *tokens, 3], np.int32)


def examples(rows: list[np.ndarray], labels) -> Examples:
    return Examples(rows, [np.zeros(len(one), np.int8) for one in rows], np.asarray(labels))


def labelled(times: int = 20) -> Examples:
    """Good and not bad are 1; bad and not good are 0."""
    rows = [row(THE, FILM, GOOD), row(NOT, BAD, FILM), row(THE, FILM, BAD), row(NOT, GOOD, FILM)]
    return examples(rows * times, [1, 1, 0, 0] * times)


def test_ratios_by_hand():
    """Column 0: p = 1 + 2, q = 1; column 1: p = 1, q = 1 + 1; |p| = 4, |q| = 3."""
    found = NaiveBayesRatios().fit(csr_matrix([[1, 0], [1, 0], [0, 1]], dtype=np.float32), np.array([1, 1, 0]))
    assert found.ratios_ == pytest.approx([math.log((3 / 4) / (1 / 3)), math.log((1 / 4) / (2 / 3))])
    weighted = found.transform(csr_matrix([[0, 1], [1, 1]], dtype=np.float32)).toarray()
    assert weighted == pytest.approx(np.array([[0, found.ratios_[1]], found.ratios_]))


def test_occurrences_are_of_one_two_and_three_tokens_in_two_labelled_texts():
    found = occurrences([row(4, 5, 6), row(4, 5, 7), row(5, 4, 6), row(4, 5, 6)], labelled=3).toarray()
    # In two of the first three: 4, 5, 6 and "4 5"; "4 5 6" is in two texts, but only one of them is labelled.
    assert found.shape == (4, 4) and set(np.unique(found)) == {0, 1}
    assert found.sum(1).tolist() == [4, 3, 3, 4]


def test_a_token_that_comes_twice_occurs_once():
    assert occurrences([row(4, 4, 4), row(4, 4)], labelled=2).toarray().tolist() == [[1, 1], [1, 1]]  # 4 and "4 4"


def test_the_teacher_reads_pairs_of_tokens():
    """No single token tells: each occurs as often in either class."""
    known = labelled()
    found = occurrences(known.ids, len(known))
    says = teacher(seed=0).fit(found, known.labels).predict_proba(found)[:, 1]
    assert ((says > 0.5) == known.labels).all()


def test_targets_of_labelled_texts_are_half_their_label():
    known, unknown = labelled(), examples([row(THE, FILM, BAD), row(NOT, BAD, FILM)], [-1, -1])
    result = distillation_examples(known, unknown, pieces=False, seed=0)
    assert len(result) == 82 and result.targets.dtype == np.float32
    assert result.targets.sum(1) == pytest.approx(np.ones(82))
    right = result.targets[np.arange(80), known.labels]
    assert (right > 0.5).all() and (right < 1).all()
    assert result.labels.tolist() == [*known.labels, 0, 1]


def test_a_wrong_label_is_not_believed_alone():
    """The teacher of a labelled text has not seen it: among forty equals, one with the other label gets about one half."""
    known = labelled()
    known.labels[0] = 0
    assert 0.3 < distillation_examples(known, examples([row(FILM)], [-1]), pieces=False, seed=0).targets[0, 0] < 0.75


def test_a_piece_of_every_text_is_in_it():
    random = np.random.default_rng(0)
    rows = [row(*random.integers(4, 500, length)) for length in (1, 2, 5, 60, 400) * 40]
    known, unknown = examples(rows[:150], np.arange(150) % 2), examples(rows[150:], [-1] * 50)
    result = distillation_examples(known, unknown, pieces=True, seed=1)
    assert len(result) == 400
    for whole, piece, kinds in zip(rows, result.ids[200:], result.segments[200:], strict=True):
        assert (piece[0], piece[-1]) == (2, 3) and len(kinds) == len(piece) and not kinds.any()
        assert min(SHORTEST_PIECE, len(whole) - 2) <= len(piece) - 2 <= LONGEST_PIECE
        assert " ".join(map(str, piece[1:-1])) in " ".join(map(str, whole[1:-1]))
    assert len({len(piece) for piece in result.ids[200:]}) > 10


def test_the_same_seed_teaches_the_same():
    known, unknown = labelled(), examples([row(THE, FILM, GOOD, NOT, BAD)] * 9, [-1] * 9)
    one, same, other = (distillation_examples(known, unknown, True, seed) for seed in (3, 3, 4))
    assert (one.targets == same.targets).all() and all(map(np.array_equal, one.ids, same.ids))
    assert not all(map(np.array_equal, one.ids, other.ids))
