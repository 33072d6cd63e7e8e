"""The arithmetic of word alignment, by hand."""

import numpy as np
import pytest

from viz_core.analysis.translation import alignment
from viz_core.analysis.translation.alignment import LinkCounts
from viz_core.records import AlignedPair
from viz_core.text.building import build_translation_tokenizer
from viz_core.text.tokenizer import TextEncoder

# Three source words, three target words: 0-0 and 2-2 are sure, 1-1 is possible.
PAIR = AlignedPair(("a", "b", "c"), ("x", "y", "z"), frozenset({(0, 0), (2, 2)}), frozenset({(0, 0), (1, 1), (2, 2)}))
WORDS = np.arange(3), np.arange(3)


def counts(*sources: list[int], pairs: int = 1) -> LinkCounts:
    """Of methods that link the target words to these source words, in every pair."""
    return alignment.count_links([np.array(sources)] * pairs, [WORDS] * pairs, [PAIR] * pairs)


def test_error_rate_precision_and_recall_by_hand():
    """Links 0-0, 1-1 and 1-2: of |A| = 3 links a single link is sure and two are possible, and |S| = 2."""
    measured = counts([0, 1, 1])
    assert [int(part[0, 0]) for part in (measured.links, measured.sure, measured.possible)] == [3, 1, 2]
    assert measured.error_rates() == pytest.approx([1 - (1 + 2) / (3 + 2)])
    assert measured.precisions() == pytest.approx([2 / 3])
    assert measured.recalls() == pytest.approx([1 / 2])


def test_the_links_made_by_hand_have_no_error_and_wrong_links_nothing_else():
    assert counts([0, 1, 2], [1, 0, 1]).error_rates().tolist() == [0, 1]


def test_counts_are_added_up_over_pairs_and_not_averaged():
    """A pair with links 0-0, 1-1, 2-2, and one of which only 0-0 is aligned by hand."""
    other = AlignedPair(("a", "b", "c"), ("x", "y", "z"), frozenset({(0, 0)}), frozenset({(0, 0)}))
    links = [np.array([[0, 1, 2]])] * 2
    measured = alignment.count_links(links, [WORDS] * 2, [PAIR, other])
    assert measured.error_rates() == pytest.approx([1 - (2 + 1 + 3 + 1) / (3 + 3 + 2 + 1)])


def test_words_are_linked_once_if_several_of_their_tokens_are():
    """Two characters of the first word, each with the same target word: a single link."""
    words = np.array([0, 0, 1, 2]), np.array([0, 0, 1])
    measured = alignment.count_links([np.array([[0, 1, 3]])], [words], [PAIR])
    assert measured.links.tolist() == [[2]] and measured.sure.tolist() == [[1]], "0-0 and 2-1"


def test_tokens_belong_to_words_by_their_place_in_the_text():
    text = TextEncoder(build_translation_tokenizer(["我们明天去学校。 We don't go."] * 2, 20))
    source, target = ("我们", "明天", "去", "学校", "。"), ("We", "don't", "go", ".")
    assert alignment.words_of_tokens(text.encode(" ".join(source)), source).tolist() == [0, 0, 1, 1, 2, 3, 3, 4]
    assert alignment.words_of_tokens(text.encode(" ".join(target)), target).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "targets, sources, expected", [(3, 3, [0, 1, 2]), (4, 2, [0, 0, 1, 1]), (2, 6, [1, 4]), (1, 1, [0])]
)
def test_the_diagonal_links_tokens_at_the_same_share_of_their_sentence(targets, sources, expected):
    assert alignment.diagonal(targets, sources).tolist() == expected


def test_an_interval_of_equal_pairs_is_the_error_rate_itself():
    assert counts([0, 1, 1], pairs=5).intervals() == pytest.approx(np.full((1, 2), 0.4))


def test_an_interval_covers_the_resamples_of_unequal_pairs():
    """Of two pairs, of which a method aligns the first as by hand and the second not at all: a resample has each of
    them twice with probability 1/4."""
    links = [np.array([[0, 1, 2]]), np.array([[1, 0, 1]])]
    measured = alignment.count_links(links, [WORDS] * 2, [PAIR] * 2)
    assert measured.error_rates() == pytest.approx([0.5])
    assert measured.intervals().tolist() == [[0, 1]]


def test_the_gain_over_a_baseline_is_paired():
    """In every pair the method is better by the same amount: no doubt, however much the pairs differ."""
    better, worse = counts([0, 1, 2], pairs=4), counts([0, 1, 1], pairs=4)
    assert better.gain_over(worse) == pytest.approx((0.4, 0.4, 0.4))
    assert worse.gain_over(better) == pytest.approx((-0.4, -0.4, -0.4))


def test_a_method_is_selected_on_the_other_pairs():
    """The first method is perfect in three pairs and wrong in the last, the second perfect in the last only: without
    it the first is the best by far, with it as well, so that the last pair counts as wrong."""
    perfect, wrong = [0, 1, 2], [1, 0, 1]
    links = [np.array([perfect, wrong])] * 3 + [np.array([wrong, perfect])]
    measured = alignment.count_links(links, [WORDS] * 4, [PAIR] * 4)
    selected = measured.select_on_other_pairs()
    assert selected.sure.tolist() == [[2, 2, 2, 0]]
    # The other way round with a pair each: on the other pair the other method is the best.
    measured = alignment.count_links(links[-2:], [WORDS] * 2, [PAIR] * 2)
    assert measured.select_on_other_pairs().error_rates().tolist() == [1]
