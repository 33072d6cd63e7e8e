"""Two sentences, by hand: mass across, the swapped pair put back in order, shuffled characters, words aligned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.analysis.pairs import alignment, pair_mass, restore_order, shuffles, swap_difference
from viz_core.records import Encoding, Explanation, Failure


def pair(attention, words=None) -> Explanation:
    """[CLS] a1 a2 [SEP] b1 [SEP] with the attention of one head, or of several."""
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


def test_mass_across_by_hand():
    found = pair_mass(pair([[HEAD], [np.full((6, 6), 1 / 6)]]))
    np.testing.assert_allclose(found.a_to_b, [[(0.5 + 0.3) / 2], [1 / 6]], rtol=1e-6)
    np.testing.assert_allclose(found.b_to_a, [[0.6], [2 / 6]], rtol=1e-6)
    assert (found.uniform_a_to_b, found.uniform_b_to_a) == (1 / 6, 2 / 6)


def test_words_are_aligned_by_hand():
    """As words of one token each, and as one word of x and y: summed as key, averaged as query."""
    found = alignment(pair([[HEAD]]), 0, 0)
    assert (found.queries, found.keys) == (("x", "y"), ("z",))
    np.testing.assert_allclose(found.weights, [[(0.5 + 0.2) / 2], [(0.3 + 0.4) / 2]], rtol=1e-6)
    together = alignment(pair([[HEAD]], [0, 1, 1, 2, 3, 4]), 0, 0)
    assert together.queries == ("xy",)
    np.testing.assert_allclose(together.weights, [[((0.5 + 0.3) / 2 + (0.2 + 0.4)) / 2]], rtol=1e-6)


def swapped(before: Explanation) -> tuple[Explanation, np.ndarray]:
    """[CLS] z [SEP] x y [SEP] with random attention, and where the tokens of the pair stand in it."""
    places = np.array([0, 3, 4, 5, 1, 2])
    encoding = replace(
        before.encoding,
        texts=("z", "xy"),
        tokens=("[CLS]", "z", "[SEP]", "x", "y", "[SEP]"),
        ids=np.array([2, 7, 3, 5, 6, 3]),
        segments=np.array([0, 0, 0, 1, 1, 1]),
        special=np.array([True, False, True, False, False, True]),
    )
    attention = np.random.default_rng(0).dirichlet(np.ones(6), (2, 2, 6)).astype(np.float32)
    return replace(before, encoding=encoding, attention=attention), places


def test_the_swapped_pair_is_put_back_in_order():
    """Each [SEP] goes with its sentence, so that the first one of the pair is the last of the swapped one."""
    before = pair(np.random.default_rng(1).dirichlet(np.ones(6), (2, 2, 6)))
    after, places = swapped(before)
    found = restore_order(before, after)
    for query in range(6):
        for key in range(6):
            np.testing.assert_array_equal(
                found.attention[:, :, query, key], after.attention[:, :, places[query], places[key]]
            )
    np.testing.assert_allclose(found.attention.sum(-1), 1, atol=1e-6)
    assert found.encoding is before.encoding
    difference = swap_difference(before, after, 1, 0).weights
    np.testing.assert_allclose(difference, found.attention[1, 0] - before.attention[1, 0], atol=1e-6)
    np.testing.assert_allclose(difference.sum(1), 0, atol=1e-6)


def test_swapping_twice_changes_nothing(tiny):
    before, after = (
        explain(tiny, *texts) for texts in (("花呗怎么还", "借呗如何还款"), ("借呗如何还款", "花呗怎么还"))
    )
    once = restore_order(before, after)
    assert not np.allclose(once.attention, before.attention), "positions and segments differ"
    np.testing.assert_array_equal(restore_order(after, once).attention, after.attention)


def test_pairs_that_were_cut_differently_are_refused(tiny):
    before, other = (explain(tiny, *texts) for texts in (("花呗怎么还", "借呗"), ("花呗", "怎么还")))
    with pytest.raises(Failure, match="pairs.cut"):
        restore_order(before, other)


def test_shuffled_characters_by_hand(tiny):
    """One character has one order; two have two, of which each shuffle shows one."""
    one = shuffles(tiny, explain(tiny, "花", "呗").encoding, 5)
    assert set(one.shuffled) == {"a", "b", "both"}
    for values in one.shuffled.values():
        np.testing.assert_allclose(values, one.original, atol=1e-6)
    before, turned = (explain(tiny, text, "花") for text in ("还款", "款还"))
    two = shuffles(tiny, before.encoding, 12)
    assert two.original == pytest.approx(before.probabilities[-1], abs=1e-6)
    both_orders = np.array([before.probabilities[-1], turned.probabilities[-1]])
    assert {int(np.abs(both_orders - value).argmin()) for value in two.shuffled["a"]} == {0, 1}
    assert np.abs(two.shuffled["a"][:, None] - both_orders).min(1).max() < 1e-6
    np.testing.assert_allclose(two.shuffled["b"], two.original, atol=1e-6)
    np.testing.assert_array_equal(two.shuffled["both"], shuffles(tiny, before.encoding, 12).shuffled["both"])
