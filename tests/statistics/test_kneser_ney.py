"""The n-gram model, against results by hand and against the formula over dictionaries."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.statistics.kneser_ney import FALLBACK, KneserNey

CLS, A, B, SEP = range(4)
TEXTS = [np.array(text) for text in ([CLS, A, B, SEP], [CLS, A, B, SEP], [CLS, A, A, SEP])]


def test_three_orders_by_hand():
    """No order has n-grams of all counts from 1 to 4, so the discounts are 0.5, 1 and 1.5.

    Distinct tokens before A: CLS, A; before B: A; before SEP: A, B. Of these 5 the discounts 1 + 0.5 + 1 leave half:
    p(A) = p(SEP) = (2 - 1) / 5 + 0.5 / 4 = 0.325, p(B) = 0.5 / 5 + 0.5 / 4 = 0.225, p(CLS) = 0.5 / 4.

    Order 2: CLS A is at the beginning of 3 texts; before A B is CLS alone, before A A too, before A SEP is A alone.
    p(A | CLS) = 1.5 / 3 + 0.5 × 0.325 = 0.6625; p(SEP | B) = 0.5 + 0.5 × 0.325 = 0.6625;
    p(B | A) = 0.5 / 3 + 0.5 × 0.225 = 0.279167.

    Order 3: CLS A B occurs twice, CLS A A once: p(B | CLS A) = 1 / 3 + 1.5 / 3 × 0.279167 = 0.472917.
    A B SEP occurs twice: p(SEP | A B) = 1 / 2 + 1 / 2 × 0.6625 = 0.83125.
    """
    model = KneserNey.fit(TEXTS, 4, order=3)
    assert model.distribution([]) == pytest.approx([0.125, 0.325, 0.225, 0.325])
    expected = np.array([0.6625, 1 / 3 + (0.5 / 3 + 0.1125) / 2, 0.83125])
    assert np.exp(model.log_probabilities(TEXTS[0])) == pytest.approx(expected)


def test_discounts_by_hand():
    """Order 1: 4, 2, 1 and 1 tokens occur once, twice, 3 and 4 times, so Y = 4 / (4 + 2 × 2) = 0.5.

    D1 = 1 - 2 × 0.5 × 2/4 = 0.5, D2 = 2 - 3 × 0.5 × 1/2 = 1.25, D3 = 3 - 4 × 0.5 × 1/1 = 1. Together they take
    4 × 0.5 + 2 × 1.25 + 2 × 1 = 6.5 of 15, of which each of the 10 tokens has 0.65.
    """
    model = KneserNey.fit([np.array([0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 7, 7, 8, 8, 8, 8])], 10, order=1)
    expected = np.array([0, 0.5, 0.5, 0.5, 0.5, 0.75, 0.75, 2, 3, 0]) + 0.65
    assert model.distribution([]) * 15 == pytest.approx(expected)
    assert (model.distribution([3, 8]) == model.distribution([])).all(), "order 1 has no context"


def naive(texts: list[list[int]], vocabulary: int, order: int):
    """p(token | context) by recursion over dictionaries."""
    counts: list[Counter] = [Counter() for _ in range(order + 1)]
    for n in range(1, order + 1):
        before = defaultdict(set)
        for number, text in enumerate(texts):
            for end in range(max(n, 2), len(text) + 1):
                start = end - n
                # With the text and the place each occurrence is distinct.
                neighbour = text[start - 1] if n < order and start else (number, start)
                before[tuple(text[start:end])].add(neighbour)
        counts[n] = Counter({gram: len(neighbours) for gram, neighbours in before.items()})

    def discount(n: int, count: int) -> float:
        of_count = Counter(counts[n].values())
        estimates = [*FALLBACK]
        if all(of_count[i] for i in (1, 2, 3, 4)):
            Y = of_count[1] / (of_count[1] + 2 * of_count[2])
            fitted = [i - (i + 1) * Y * of_count[i + 1] / of_count[i] for i in (1, 2, 3)]
            estimates = fitted if min(fitted) > 0 else estimates
        return estimates[min(count, 3) - 1] if count else 0

    def probability(token: int, context: tuple[int, ...], n: int) -> float:
        if n == 0:
            return 1 / vocabulary
        if n > len(context) + 1:
            return probability(token, context, n - 1)
        last = context[len(context) - n + 1 :]
        followers = {gram[-1]: count for gram, count in counts[n].items() if gram[:-1] == last}
        lower = probability(token, context, n - 1)
        if not followers:
            return lower
        total, taken = sum(followers.values()), sum(discount(n, count) for count in followers.values())
        count = followers.get(token, 0)
        return (count - discount(n, count) + taken * lower) / total

    return lambda token, context: probability(token, tuple(context), order)


tokens = st.lists(st.integers(1, 3), max_size=25)
corpora = st.lists(tokens.map(lambda text: [0, *text, 4]), min_size=1, max_size=4)


@given(st.sampled_from([1, 3, 5]), corpora, tokens)
def test_probabilities_are_those_of_the_formula(order, texts, other):
    model, formula = KneserNey.fit([np.array(text) for text in texts], 6, order), naive(texts, 6, order)
    for text in (texts[0][:12], [0, *other[:10], 5]):
        expected = np.array([formula(text[end], text[:end]) for end in range(1, len(text))])
        np.testing.assert_allclose(np.exp(model.log_probabilities(np.array(text))), expected, rtol=1e-12)


@given(st.integers(1, 6), corpora, tokens)
def test_a_distribution_is_one_after_any_context(order, texts, context):
    model = KneserNey.fit([np.array(text) for text in texts], 6, order)
    for tokens_before in ([], [0], [0, *context], [5, *context], texts[0][:4]):
        distribution = model.distribution(tokens_before)
        assert distribution.sum() == pytest.approx(1, abs=1e-12) and distribution.min() > 0
    logs = model.log_probabilities(np.array([0, *context, 5]))
    assert logs[-1] == np.log(model.distribution([0, *context])[5]) and len(logs) == len(context) + 1


def test_ngrams_do_not_cross_texts():
    model = KneserNey.fit(TEXTS, 4, order=3)
    assert (model.distribution([SEP]) == model.distribution([])).all(), "nothing follows the last token"
    assert (model.distribution([SEP, CLS]) == model.distribution([CLS])).all()


def test_texts_of_one_length_together_are_as_one_by_one():
    model = KneserNey.fit(TEXTS, 4, order=3)
    together = model.log_probabilities(np.stack(TEXTS))
    assert (together == [model.log_probabilities(text) for text in TEXTS]).all()


def test_perplexity_approaches_the_entropy_of_its_source():
    """Each token depends on the two before: order 3 knows the source up to 1%, order 1 does not."""
    random = np.random.default_rng(0)
    source = random.dirichlet(np.full(4, 0.3), size=(5, 5))  # after any two of 5 tokens one of 1 to 4
    texts = np.zeros((60, 1002), int)  # of which two begin each
    for end in range(2, texts.shape[1]):
        chances = source[texts[:, end - 2], texts[:, end - 1]].cumsum(axis=1)[:, :-1]
        texts[:, end] = 1 + (random.random((len(texts), 1)) > chances).sum(axis=1)
    held_out = texts[40:]
    entropy = -np.log(source[held_out[:, :-2], held_out[:, 1:-1], held_out[:, 2:] - 1]).mean()
    first, third = (
        -KneserNey.fit([*texts[:40]], 5, order).log_probabilities(held_out)[:, 1:].mean() for order in (1, 3)
    )
    assert entropy < third < 1.01 * entropy and first > 1.2 * entropy


def test_what_cannot_be_fitted_is_refused():
    for texts, order in (([[0], [0]], 5), ([[0, 1]], 0)):
        with pytest.raises(ValueError, match="nothing to predict"):
            KneserNey.fit([np.array(text) for text in texts], 4, order)
    with pytest.raises(ValueError, match="ids from 0 to 4 in a vocabulary of 4"):
        KneserNey.fit([np.array([0, 4])], 4)
