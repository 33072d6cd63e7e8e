"""Rows of a validation split from which duplicates were left out."""

import numpy as np

from pages.shared.corpus_rows import CorpusRows


def test_rows_are_found_by_their_numbers_not_by_their_positions():
    rows = CorpusRows("full", np.array([0, 2, 5]), (("a",), ("b",), ("c",)), np.array([0, 1, 0]))
    assert [rows.texts_of(number) for number in range(7)] == [("a",), (), ("b",), (), (), ("c",), ()]
