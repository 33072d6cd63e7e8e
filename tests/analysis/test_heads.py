"""Head statistics on one input, computed by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.rendering import translations
from viz_core.analysis.heads.statistics import given_statistics, head_statistics, translation_statistics
from viz_core.records import Encoding, Explanation, Generation, HeadStatistics


def explanation(attention, special: list[bool] | None = None) -> Explanation:
    """A record of `(L, H, T, T)`; special tokens at both ends by default."""
    attention = np.asarray(attention, np.float32)
    T = attention.shape[-1]
    attention.flags.writeable = False
    encoding = Encoding(
        ("",),
        ("x",) * T,
        np.full(T, 4),
        np.zeros(T, int),
        np.zeros((T, 2), int),
        np.arange(T),
        np.arange(T) % max(T - 1, 1) == 0 if special is None else np.array(special),
        np.zeros(T, bool),
    )
    return Explanation("made", "imdb", encoding, ("negative", "positive"), np.array([0.5, 0.5]), 0.5, attention, "cls")


def single_head(attention, special: list[bool] | None = None) -> dict[str, float]:
    """The statistics of a single head that are numbers."""
    statistics = vars(head_statistics(explanation([[attention]], special)))
    return {name: values.item() for name, values in statistics.items() if np.ndim(values) == 2}


def test_three_tokens_by_hand():
    """[CLS] x [SEP]: a row on two keys has entropy ln 2, a row on a single key 0, a uniform row ln 3."""
    statistics = single_head([[0.5, 0.5, 0], [0, 0, 1], [1 / 3, 1 / 3, 1 / 3]])
    assert statistics == pytest.approx(
        {
            "entropy": (np.log(2) / np.log(3) + 0 + 1) / 3,
            "distance": (0.5 + 1 + (2 + 1) / 3) / 3,  # [CLS] to x; x to [SEP]; [SEP] to both others
            "cls": (0.5 + 0 + 1 / 3) / 3,
            "sep": (0 + 1 + 1 / 3) / 3,
            "previous": (0 + 1 / 3) / 2,
            "next": (0.5 + 1) / 2,
            "self": (0.5 + 0 + 1 / 3) / 3,
        }
    )


def test_a_uniform_head_for_comparison_by_hand():
    """[CLS] x [SEP] y [SEP]: a fifth on each key, two of which are [SEP]."""
    record = explanation(np.tile([0.1, 0.2, 0.3, 0.15, 0.25], (1, 2, 5, 1)), [True, False, True, False, True])
    assert head_statistics(record).uniform == pytest.approx(
        {"entropy": 1, "cls": 0.2, "sep": 0.4, "previous": 0.2, "next": 0.2, "self": 0.2, "distance": 1.6}
    )


def test_a_continued_text_is_measured_up_to_where_the_model_wrote():
    """Given x y x, it wrote y: of the given ones only the second x has something that followed an earlier x."""
    weights = np.array([[1, 0, 0, 0], [0.4, 0.6, 0, 0], [0.1, 0.7, 0.2, 0], [0, 0, 0.9, 0.1]])
    record = explanation([[weights]], [False] * 4)
    text = replace(record, encoding=replace(record.encoding, ids=np.array([4, 5, 4, 5])), kind="causal")
    statistics = given_statistics(Generation(text, (None,) * 4, 3, False))
    assert statistics.induction.item() == pytest.approx(0.7) and statistics.received.shape == (1, 1, 3)
    assert statistics.previous.item() == pytest.approx((0.4 + 0.7) / 2)
    assert statistics.uniform["induction"] == pytest.approx(1 / 3)
    assert head_statistics(text).induction.item() == pytest.approx((0.7 + 0.9) / 2), "of the whole text"


def test_weight_received_by_each_token():
    received = head_statistics(explanation([[[[0.5, 0.5, 0], [0, 0, 1], [0.25, 0.25, 0.5]]]])).received
    np.testing.assert_allclose(received, [[[0.25, 0.25, 0.5]]])


def test_the_same_token_of_the_other_text():
    """[CLS] a [SEP] b a [SEP]: only a occurs in both texts."""
    record = explanation(
        np.tile([0.1, 0.2, 0.05, 0.15, 0.3, 0.2], (1, 2, 6, 1)), [True, False, True, False, False, True]
    )
    pair = replace(record.encoding, ids=np.array([2, 7, 3, 8, 7, 3]), segments=np.array([0, 0, 0, 1, 1, 1]))
    np.testing.assert_allclose(head_statistics(replace(record, encoding=pair)).same, [[(0.3 + 0.2) / 2] * 2])
    assert head_statistics(record).same is None


def test_all_separators_count_together_without_the_first_token():
    weights = np.tile([0.1, 0.2, 0.3, 0.15, 0.25], (5, 1))
    statistics = single_head(weights, [True, False, True, False, True])
    assert (statistics["cls"], statistics["sep"]) == pytest.approx((0.1, 0.3 + 0.25))


def test_all_punctuation_counts_together():
    """[CLS] a , b . [SEP]"""
    record = explanation(np.tile([0.1, 0.2, 0.05, 0.15, 0.3, 0.2], (1, 2, 6, 1)))
    marked = replace(record, encoding=replace(record.encoding, tokens=("[CLS]", "a", ",", "b", ".", "[SEP]")))
    statistics = head_statistics(marked)
    np.testing.assert_allclose(statistics.punctuation, [[0.05 + 0.3] * 2], rtol=1e-6)
    assert statistics.uniform["punctuation"] == pytest.approx(2 / 6)
    assert head_statistics(record).punctuation is None


@pytest.mark.parametrize("T", [2, 3, 64, 512])
def test_uniform_attention_has_maximal_entropy(T):
    statistics = single_head(np.full((T, T), 1 / T))
    assert statistics["entropy"] == pytest.approx(1, abs=1e-6)
    assert statistics["distance"] == pytest.approx((T * T - 1) / (3 * T), rel=1e-5)  # mean of |i - j| over a T×T grid


@pytest.mark.parametrize("T", [1, 2, 7])
def test_self_attention_to_the_token_itself_has_no_entropy_and_no_distance(T):
    statistics = single_head(np.eye(T))
    assert (str(statistics["entropy"]), str(statistics["distance"])) == ("0.0", "0.0")  # not -0.0
    assert statistics["cls"] == pytest.approx(1 / T) and statistics["self"] == pytest.approx(1)


def test_every_head_has_its_own_statistics():
    last = np.zeros((3, 3))
    last[:, 2] = 1
    statistics = head_statistics(
        explanation([[np.eye(3), last], [last, np.full((3, 3), 1 / 3)], [np.eye(3), np.eye(3)]])
    )
    np.testing.assert_allclose(statistics.distance, [[0, 1], [1, 8 / 9], [0, 0]], rtol=1e-6)
    np.testing.assert_allclose(statistics.entropy, [[0, 0], [0, 1], [0, 0]], rtol=1e-6)
    np.testing.assert_allclose(statistics.sep, [[1 / 3, 1], [1, 1 / 3], [1 / 3, 1 / 3]], rtol=1e-6)


@given(arrays(np.float32, st.integers(1, 9).map(lambda T: (2, 3, T, T)), elements=st.floats(-60, 60, width=32)))
def test_bounds_hold_for_any_attention(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    attention = powers / powers.sum(-1, keepdims=True)
    statistics, T = head_statistics(explanation(attention)), attention.shape[-1]
    single = {"sep", "previous", "next"} if T == 1 else set()
    for name, upper_bound in UPPER_BOUNDS.items():
        values = getattr(statistics, name)
        if name in single:
            assert values is None
            continue
        assert (values.shape, values.dtype) == ((2, 3), np.float32)
        assert ((values >= 0) & (values <= upper_bound(T))).all()
    np.testing.assert_allclose(statistics.received.sum(-1), 1, rtol=1e-5)


UPPER_BOUNDS = {
    "entropy": lambda T: 1,
    "distance": lambda T: (T - 1) * (1 + 1e-6),
    "cls": lambda T: 1,
    "sep": lambda T: 1,
    "previous": lambda T: 1,
    "next": lambda T: 1,
    "self": lambda T: 1,
}


def test_numbers_are_read_only():
    statistics = head_statistics(explanation(np.full((1, 1, 2, 2), 0.5)))
    assert isinstance(statistics, HeadStatistics)
    for values in filter(lambda values: isinstance(values, np.ndarray), vars(statistics).values()):
        with pytest.raises(ValueError, match="read-only"):
            values[...] = 0


def statistics_of(kind: str, weights) -> HeadStatistics:
    """Of a translation of a word: `[CLS] x [SEP]` (S = 3) -> `[CLS] a b` (T = 3), with one head of this attention."""
    translation = translations.translation(("去",), ("a", "b"), (0, 0), layers=1, heads=1)
    attention = {**translation.attention, kind: np.array([[weights]], np.float32)}
    return translation_statistics(replace(translation, attention=attention), kind)


def test_causal_attention_is_uniform_if_each_query_attends_alike_to_all_tokens_so_far():
    statistics = statistics_of("causal", [[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]])
    assert statistics.entropy.item() == pytest.approx(1)
    assert statistics.distance.item() == pytest.approx((0 + 0.5 + 1) / 3)
    assert statistics.first.item() == pytest.approx((0.5 + 1 / 3) / 2) and statistics.cls is statistics.sep is None
    assert statistics.previous.item() == pytest.approx((0.5 + 1 / 3) / 2) and statistics.next is None


def test_entropy_of_causal_attention_by_hand():
    """The first query has no choice; the second has an entropy of 0.811 bit of 1, the third of 1 bit of 1.585."""
    statistics = statistics_of("causal", [[1, 0, 0], [0.25, 0.75, 0], [0, 0.5, 0.5]])
    assert statistics.entropy.item() == pytest.approx((0.8112781 + 1 / 1.5849625) / 2)


def test_cross_attention_by_hand():
    """3 queries over 3 keys, [CLS] x [SEP]; positions of different sentences have no distance."""
    statistics = statistics_of("cross", [[0.5, 0.5, 0], [0, 0, 1], [1 / 3, 1 / 3, 1 / 3]])
    assert statistics.entropy.item() == pytest.approx((1 / 1.5849625 + 0 + 1) / 3)
    assert (statistics.cls.item(), statistics.sep.item()) == pytest.approx((5 / 18, 4 / 9))
    assert statistics.distance is statistics.previous is statistics.next is statistics.same is statistics.self is None
    np.testing.assert_allclose(statistics.received, [[[5 / 18, 5 / 18, 4 / 9]]], rtol=1e-6)


@pytest.mark.parametrize("kind", ["self", "causal", "cross"])
def test_uniform_attention_of_every_kind_has_maximal_entropy(kind):
    translation = translations.of_length(12, 7, layers=1, heads=1)
    allowed = translation.attention[kind] > 0
    uniform = (allowed / allowed.sum(-1, keepdims=True)).astype(np.float32)
    statistics = translation_statistics(replace(translation, attention={**translation.attention, kind: uniform}), kind)
    assert statistics.entropy.item() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("kind", ["self", "causal", "cross"])
def test_the_uniform_head_has_the_statistics_of_uniform_attention(kind):
    record = translations.translation()
    queries, keys = (len(side.tokens) for side in record.sides(kind))
    mask = np.tri(queries, keys) if kind == "causal" else np.ones((queries, keys))
    attention = (mask / mask.sum(-1, keepdims=True)).astype(np.float32)[None, None]
    statistics = translation_statistics(replace(record, attention={**record.attention, kind: attention}), kind)
    measured = {name: values.item() for name, values in vars(statistics).items() if np.ndim(values) == 2}
    assert statistics.uniform == pytest.approx(measured, rel=1e-5) and set(measured) >= {
        "entropy",
        "first" if kind == "causal" else "cls",
    }


def test_a_single_word_without_a_choice_has_no_entropy():
    translation = translations.translation((), ("a",), (0,), layers=1, heads=1, complete=False)
    assert translation.attention["causal"].shape == (1, 1, 1, 1)
    assert str(translation_statistics(translation, "causal").entropy.item()) == "0.0"
