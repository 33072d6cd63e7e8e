"""Pieces of texts: the same tokens of the student and characters of the text."""

import numpy as np
import pytest

from viz_core.tasks import get_task
from viz_core.training.prepare import prepare
from viz_core.training.teacher import LONGEST, SHORTEST, draw_pieces, piece_ids, piece_texts


def test_a_piece_by_hand():
    row = np.array([2, 10, 11, 12, 13, 3])
    assert piece_ids([row, row], [(2, 4), (1, 5)])[0].tolist() == [2, 11, 12, 3]
    assert piece_ids([row, row], [(2, 4), (1, 5)])[1].tolist() == row.tolist()


def test_each_piece_is_part_of_its_text():
    random = np.random.default_rng(0)
    ids = [np.array([2, *random.integers(4, 500, length), 3]) for length in (1, 2, 5, 60, 400) * 40]
    pieces = draw_pieces(ids, seed=1)
    for row, (start, end) in zip(ids, pieces, strict=True):
        assert 1 <= start < end <= len(row) - 1
        assert min(SHORTEST, len(row) - 2) <= end - start <= LONGEST
    assert len({end - start for start, end in pieces}) > 10


def test_pieces_have_3_to_80_tokens_as_many_below_as_above_their_geometric_mean():
    lengths = np.array([end - start for start, end in draw_pieces([np.arange(202)] * 4000, seed=0)])
    assert (lengths.min(), lengths.max()) == (SHORTEST, LONGEST) == (3, 80)
    assert (lengths < (3 * 81) ** 0.5).mean() == pytest.approx(0.5, abs=0.03)


def test_the_seed_determines_the_pieces():
    ids = [np.arange(60)] * 9
    assert draw_pieces(ids, 3) == draw_pieces(ids, 3) != draw_pieces(ids, 4)


def test_the_text_of_a_piece_is_read_as_its_tokens():
    task = get_task("imdb")
    prepared, texts = prepare(task, "sample"), list(task.read("train", "sample")["text"])
    pieces = draw_pieces(prepared.train.ids, seed=0)
    cut = piece_texts(texts, pieces, prepared.text)
    assert all(piece in text for piece, text in zip(cut, texts, strict=True))
    again, _ = prepared.text.ids(cut)
    assert all(map(np.array_equal, again, piece_ids(prepared.train.ids, pieces)))


def test_markup_and_punctuation_inside_a_piece_stay_in_its_text():
    encoder = prepare(get_task("imdb"), "sample").text
    assert piece_texts(["The film!<br />It is (not) good."], [(2, 6)], encoder) == ["film!<br />It is (not"]
