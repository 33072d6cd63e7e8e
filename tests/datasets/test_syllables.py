"""Random sequences that occur twice."""

import numpy as np

from viz_core.datasets.syllables import SPLITS, SYLLABLES, make_rows


def period(text: str) -> int:
    """How many syllables the second half of a text repeats."""
    words = text.split()
    return next(n for n in range(len(words) // 2, 0, -1) if words[-n:] == words[-2 * n : -n])


def test_every_text_is_a_beginning_and_a_sequence_twice():
    for split, (count, periods) in SPLITS.items():
        texts = make_rows(split)["text"]
        assert len(texts) == count and {period(text) for text in texts[:500]} <= set(periods)
        beginnings = {len(text.split()) - 2 * period(text) for text in texts[:500]}
        assert beginnings == set(range(7)), "no place in a text says where the sequence begins"
    assert len(set(SYLLABLES)) == 64 and set(" ".join(make_rows("validation")["text"]).split()) == set(SYLLABLES)


def test_no_held_out_period_occurs_in_training():
    train, validation, test = (set(SPLITS[split][1]) for split in ("train", "validation", "test"))
    assert max(train) < min(validation | test)


def test_a_split_is_always_the_same_and_shares_no_text_with_another():
    train, validation, test = (make_rows(split) for split in ("train", "validation", "test"))
    assert validation.equals(make_rows("validation"))
    texts = np.concatenate([frame["text"] for frame in (train, validation, test)])
    assert len(set(texts)) == len(texts)
    for split in ("duplicates", "unlabelled"):
        assert make_rows(split).columns.tolist() == ["text"] and make_rows(split).empty
