"""Sentence-pair tests by hand: mass between sentences, swapped pairs, shuffled characters, word alignment."""

from dataclasses import replace

import numpy as np
import pytest

from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.analysis.pairs import alignment, pair_mass, restore_order, shuffles, swap_difference
from viz_core.records import Encoding, Explanation, Failure


def pair(attention, words=None) -> Explanation:
    """[CLS] a1 a2 [SEP] b1 [SEP] with the attention of one or several heads."""
    attention = np.asarray(attention, np.float32)
    special = np.array([True, False, False, True, False, True])
    encoding = Encoding(
        ("xy", "z"),
        ("[CLS]", "x", "y", "[SEP]", "z", "[SEP]"),
        np.array([2, 5, 6, 3, 7, 3]),
        np.array([0, 0, 0, 0, 1, 1]),
        np.array([[0, 0], [0, 1], [1, 2], [0, 0], [0, 1], [0, 0]]),
        np.arange(6) if words is None else np.array(words),
        special,
        np.zeros(6, bool),
    )
    return Explanation("made", "afqmc", encoding, ("different", "same"), np.array([0.5, 0.5]), 0.5, attention, "cls")


def row(**weights: float) -> list[float]:
    """A row of attention by the names of its keys: c x y s z t."""
    return [weights.get(name, 0.0) for name in "cxyszt"]


HEAD = [row(c=1), row(z=0.5, s=0.5), row(z=0.3, x=0.7), row(s=1), row(x=0.2, y=0.4, t=0.4), row(t=1)]


@pytest.fixture
def tiny(tmp_path):
    save_checkpoint(tmp_path, "afqmc")
    return checkpoints.load("afqmc", "tiny", tmp_path)


def test_mass_between_sentences_by_hand():
    result = pair_mass(pair([[HEAD], [np.full((6, 6), 1 / 6)]]))
    np.testing.assert_allclose(result.a_to_b, [[(0.5 + 0.3) / 2], [1 / 6]], rtol=1e-6)
    np.testing.assert_allclose(result.b_to_a, [[0.6], [2 / 6]], rtol=1e-6)
    assert (result.uniform_a_to_b, result.uniform_b_to_a) == (1 / 6, 2 / 6)


def test_word_alignment_by_hand():
    """First with a word per token, then with x and y as a word: summed as key, averaged as query."""
    result = alignment(pair([[HEAD]]), 0, 0)
    assert (result.queries, result.keys) == (("x", "y"), ("z",))
    np.testing.assert_allclose(result.weights, [[(0.5 + 0.2) / 2], [(0.3 + 0.4) / 2]], rtol=1e-6)
    together = alignment(pair([[HEAD]], [0, 1, 1, 2, 3, 4]), 0, 0)
    assert together.queries == ("xy",)
    np.testing.assert_allclose(together.weights, [[((0.5 + 0.3) / 2 + (0.2 + 0.4)) / 2]], rtol=1e-6)


def swap(before: Explanation) -> tuple[Explanation, np.ndarray]:
    """[CLS] z [SEP] x y [SEP] with random attention, and the positions of the pair's tokens in it."""
    positions = np.array([0, 3, 4, 5, 1, 2])
    encoding = replace(
        before.encoding,
        texts=("z", "xy"),
        tokens=("[CLS]", "z", "[SEP]", "x", "y", "[SEP]"),
        ids=np.array([2, 7, 3, 5, 6, 3]),
        segments=np.array([0, 0, 0, 1, 1, 1]),
        special=np.array([True, False, True, False, False, True]),
    )
    attention = np.random.default_rng(0).dirichlet(np.ones(6), (2, 2, 6)).astype(np.float32)
    return replace(before, encoding=encoding, attention=attention), positions


def test_the_order_of_the_swapped_pair_is_restored():
    """Each [SEP] stays with its sentence, so that the first [SEP] of the pair is the last of the swapped pair."""
    before = pair(np.random.default_rng(1).dirichlet(np.ones(6), (2, 2, 6)))
    after, positions = swap(before)
    result = restore_order(before, after)
    for query in range(6):
        for key in range(6):
            np.testing.assert_array_equal(
                result.attention[:, :, query, key], after.attention[:, :, positions[query], positions[key]]
            )
    np.testing.assert_allclose(result.attention.sum(-1), 1, atol=1e-6)
    assert result.encoding is before.encoding
    map_ = swap_difference(before, after, 1, 0)
    assert map_.signed, "drawn around 0, also where no weight has become smaller"
    difference = map_.weights
    np.testing.assert_allclose(difference, result.attention[1, 0] - before.attention[1, 0], atol=1e-6)
    np.testing.assert_allclose(difference.sum(1), 0, atol=1e-6)


def test_restoring_twice_changes_nothing(tiny):
    before, after = (
        explain(tiny, *texts) for texts in (("花呗怎么还", "借呗如何还款"), ("借呗如何还款", "花呗怎么还"))
    )
    once = restore_order(before, after)
    assert not np.allclose(once.attention, before.attention), "positions and segments differ"
    np.testing.assert_array_equal(restore_order(after, once).attention, after.attention)


def test_pairs_truncated_differently_are_rejected(tiny):
    before, other = (explain(tiny, *texts) for texts in (("花呗怎么还", "借呗"), ("花呗", "怎么还")))
    with pytest.raises(Failure, match="pairs.cut"):
        restore_order(before, other)


def test_shuffled_characters_by_hand(tiny):
    """A single character has a single order; two characters have two."""
    single = shuffles(tiny, explain(tiny, "花", "呗").encoding, 5)
    assert set(single.shuffled) == {"a", "b", "both"}
    for values in single.shuffled.values():
        np.testing.assert_allclose(values, single.original, atol=1e-6)
    before, turned = (explain(tiny, text, "花") for text in ("还款", "款还"))
    two = shuffles(tiny, before.encoding, 12)
    assert two.original == pytest.approx(before.probabilities[-1], abs=1e-6)
    both_orders = np.array([before.probabilities[-1], turned.probabilities[-1]])
    assert {int(np.abs(both_orders - value).argmin()) for value in two.shuffled["a"]} == {0, 1}
    assert np.abs(two.shuffled["a"][:, None] - both_orders).min(1).max() < 1e-6
    np.testing.assert_allclose(two.shuffled["b"], two.original, atol=1e-6)
    np.testing.assert_array_equal(two.shuffled["both"], shuffles(tiny, before.encoding, 12).shuffled["both"])
