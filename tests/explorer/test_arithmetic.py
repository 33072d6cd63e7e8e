"""The browser's arithmetic: worked out by hand, and compared with viz_core/analysis/selection.py on explanations."""

from itertools import product

import numpy as np
import pytest

from tests.explorer import examples
from viz_core.analysis import selection
from viz_core.explorer.packed_weights import STEPS, fixed_point

pytestmark = pytest.mark.browser

# [CLS] a b [SEP] c [SEP], where `a b` is a single word; the pair is `ab` and `c`.
INPUT = {
    "tokens": 6,
    "labels": ["[CLS]", "a", "b", "[SEP]", "c", "[SEP]"],
    "groups": [-1, 0, 0, -1, 1, -1],
    "segments": [0, 0, 0, 0, 1, 1],
    "words": [0, 1, 1, 2, 3, 4],
    "wordLabels": ["[CLS]", "ab", "[SEP]", "c", "[SEP]"],
}
WEIGHTS = np.array(
    [
        [0.5, 0.1, 0.1, 0.1, 0.1, 0.1],
        [0.2, 0.2, 0.2, 0.2, 0.1, 0.1],
        [0, 0.4, 0.4, 0, 0.2, 0],
        [1, 0, 0, 0, 0, 0],
        [0, 0.1, 0.3, 0, 0.6, 0],
        [0, 0, 0, 0, 0, 1],
    ],
    np.float32,
)


def by_hand(js, body, unit="token", special="shown", block="all"):
    return js(
        f"const u = units.unitsOfSides(input, unit), map = attention.attentionMap(weights, u, special, block); {body}",
        input=INPUT,
        weights=WEIGHTS.ravel(),
        unit=unit,
        special=special,
        block=block,
    )


def test_words_are_runs_of_tokens(js):
    units = js(
        "const { of, first, size, ...u } = units.unitsOf(input, 'word'); return { ...u, of, first, size }", input=INPUT
    )
    assert units == {
        "count": 5,
        "labels": INPUT["wordLabels"],
        "groups": [-1, 0, -1, 1, -1],
        "segments": [0, 0, 0, 1, 1],
        "of": [0, 1, 1, 2, 3, 4],
        "first": [0, 1, 3, 4, 5],
        "size": [1, 2, 1, 1, 1],
    }
    tokens = js("const { of, size } = units.unitsOf(input, 'token'); return [of, size]", input=INPUT)
    assert tokens == [[0, 1, 2, 3, 4, 5], [1] * 6]


def test_a_block_by_hand(js):
    cut = by_hand(js, "return map", special="hidden", block="ab")
    assert (cut["queries"], cut["keys"]) == ([1, 2], [4]) and cut["weights"] == pytest.approx([0.1, 0.2])
    assert cut["rowOf"] == [-1, 0, 1, -1, -1, -1] and cut["columnOf"] == [-1, -1, -1, -1, 0, -1]
    assert cut["largest"] == pytest.approx(0.2)


def test_rows_without_weight_stay_zero(js):
    assert by_hand(js, "return map.weights", special="renormalised", block="ab") == [1, 1]
    whole = np.reshape(by_hand(js, "return map.weights", special="renormalised"), (3, 3))
    np.testing.assert_allclose(whole, [[0.4, 0.4, 0.2], [0.4, 0.4, 0.2], [0.1, 0.3, 0.6]], atol=1e-6)
    nothing = js(
        "return attention.attentionMap(new Float32Array(4), units.unitsOfSides(input, 'token'), 'renormalised', 'all')",
        input={**INPUT, "tokens": 2, "groups": [0, 0]},
    )
    assert nothing["weights"] == [0, 0, 0, 0] and nothing["largest"] == 1, "nothing is divided by zero"


def test_a_word_sums_over_keys_and_averages_over_queries(js):
    assert by_hand(js, "return [...map.weights].slice(5, 10)", "word") == pytest.approx([0.1, 0.6, 0.1, 0.15, 0.05])


def test_weights_from_and_to_a_token(js):
    assert by_hand(js, "return attention.weightsOfUnit(map, 4, 'from', u)") == pytest.approx([0, 0.1, 0.3, 0, 0.6, 0])
    assert by_hand(js, "return attention.weightsOfUnit(map, 4, 'to', u)") == pytest.approx([0.1, 0.1, 0.2, 0, 0.6, 0])
    hidden = dict(special="hidden")
    assert by_hand(js, "return attention.weightsOfUnit(map, 0, 'from', u)", **hidden) == pytest.approx(
        [0, 0.1, 0.1, 0, 0.1, 0]
    )
    assert by_hand(js, "return attention.weightsOfUnit(map, 0, 'to', u)", **hidden) == [0] * 6
    scaled = by_hand(js, "return attention.weightsOfUnit(map, 0, 'from', u)", special="renormalised")
    assert scaled == pytest.approx([0, 1 / 3, 1 / 3, 0, 1 / 3, 0]), "[CLS] has no row in the map, but still attends"


def test_received_weights_count_every_token_of_a_word(js):
    received = "return attention.receivedWeights(map, u)"
    assert by_hand(js, received, "word")[3] == pytest.approx((0.1 + 0.1 + 0.2 + 0 + 0.6 + 0) / 6)
    assert by_hand(js, received, "word", "hidden", "ab") == pytest.approx([0, 0, 0, 0.15, 0]), "attention from A to B"


def test_the_mass_of_a_range_by_hand(js):
    assert by_hand(js, "return attention.blockMass(map, [1, 2], [1, 2], u)") == pytest.approx((0.4 + 0.8) / 2)
    assert by_hand(js, "return attention.blockMass(map, [0, 1], [1, 1], u)", "word") == pytest.approx(
        (0.2 + 0.4 + 0.8) / 3
    )
    assert by_hand(js, "return attention.blockMass(map, [0, 5], [0, 5], u)") == pytest.approx(1)


def test_what_rows_sum_to_by_hand(js):
    sums = "return attention.rangeOfSums(map)"
    assert by_hand(js, sums) == pytest.approx([1, 1])
    assert by_hand(js, sums, block="ab") == pytest.approx([0, 0.2])
    assert by_hand(js, sums, special="hidden") == pytest.approx([0.5, 1])
    assert by_hand(js, sums, "word", "hidden", "ab") == pytest.approx([0.15, 0.15])
    assert by_hand(js, sums, special="renormalised") == pytest.approx([1, 1])


def test_weights_are_sorted_with_their_cumulative_sums(js):
    rows = js(
        "return attention.sortByWeight(weights, [0, 1, 2, 4])", weights=np.array([0.1, 0.5, 0.1, 9, 0.3], np.float32)
    )
    assert [row["unit"] for row in rows] == [1, 4, 0, 2], "ties stay in the order of the text"
    assert [row["mass"] for row in rows] == pytest.approx([0.5, 0.8, 0.9, 1])
    holders = "return [0.5, 0.51, 0.8, 1].map((share) => attention.countHolding(rows, share))"
    assert js(holders, rows=rows) == [1, 2, 2, 4]
    assert js(holders, rows=[{**row, "mass": row["mass"] * 1e-3} for row in rows]) == [1, 2, 2, 4], (
        "a share of the total"
    )
    assert js("return attention.countHolding([], 0.8)") == 0


def test_means_of_heads_are_those_of_their_weights(js):
    heads = examples.review().attention[1]
    mean = js("return attention.meanWeights(heads)", heads=[fixed_point(head) for head in heads])
    np.testing.assert_allclose(np.reshape(mean, heads.shape[1:]), heads.mean(0), atol=1 / STEPS)


EXPLANATIONS = {
    "review": examples.review(layers=1, heads=2),
    "pair": examples.pair(layers=1, heads=2),
    "hostile": examples.hostile(layers=1, heads=2),
}
CASES = list(product(selection.SPECIAL_CHOICES, selection.BLOCKS, ("token", "word")))


@pytest.fixture(scope="module", params=EXPLANATIONS)
def explanation_and_cuts(js, request):
    """An explanation with what the browser computes from one of its heads, `[exact, as sent][case]`."""
    explanation = EXPLANATIONS[request.param]
    exact = explanation.attention[0, 1].ravel()
    cut = js(
        """const input = unpack.unpack(bytes), sent = attention.meanWeights([input.matrix(0, 1)]);
        return [exact, sent].map((weights) => cases.map(([special, block, unit]) => {
          const u = units.unitsOfSides(input, unit), map = attention.attentionMap(weights, u, special, block);
          return { map, labels: u.query.labels, groups: u.query.groups, cls: attention.weightsOfUnit(map, 0, "from", u),
            received: attention.receivedWeights(map, u) };
        }))""",
        bytes=examples.pack_example(explanation),
        exact=exact,
        cases=CASES,
    )
    return explanation, cut


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_maps_are_those_of_the_server(explanation_and_cuts, case):
    explanation, (exact, sent) = explanation_and_cuts
    special, block, unit = case
    map_, sent_map = exact[CASES.index(case)], sent[CASES.index(case)]["map"]
    expected = selection.attention_map(explanation, 0, 1, special, block, unit)
    np.testing.assert_allclose(np.reshape(map_["map"]["weights"], expected.weights.shape), expected.weights, atol=1e-6)
    if special != "renormalised":  # scaling up small sums also scales up the rounding error
        np.testing.assert_allclose(np.reshape(sent_map["weights"], expected.weights.shape), expected.weights, atol=2e-5)
    for side, (labels, groups) in {
        "queries": (expected.queries, expected.query_groups),
        "keys": (expected.keys, expected.key_groups),
    }.items():
        units = map_["map"][side]
        assert [map_["groups"][unit] for unit in units] == groups.tolist()
        if explanation is not EXPLANATIONS["hostile"]:  # its labels are also made printable
            assert tuple(map_["labels"][unit] for unit in units) == labels
    if expected.weights.size:
        assert map_["map"]["largest"] == pytest.approx(expected.weights.max() or 1, abs=1e-6)


@pytest.mark.parametrize(
    "special, unit, source", list(product(selection.SPECIAL_CHOICES, ("token", "word"), ("cls", "received")))
)
def test_single_weights_are_those_of_the_server(explanation_and_cuts, special, unit, source):
    explanation, cuts = explanation_and_cuts
    expected = selection.token_weights(explanation, 0, 1, unit, source, special)
    for cut, tolerance in zip(cuts, (1e-6, 2e-5 if special == "shown" else 6e-5), strict=True):
        result = cut[CASES.index((special, "all", unit))]
        np.testing.assert_allclose(
            [result[source][key] for key in result["map"]["keys"]], expected.weights, atol=tolerance
        )


def test_the_heat_map_says_what_its_rows_sum_to(open_explorer):
    pair = EXPLANATIONS["pair"]
    explorer = open_explorer(pair, {"head": "1.2"})
    note = explorer.view("heatmap").locator(".note")
    assert note.inner_text() == "Rows are queries, columns are keys; each row sums to 1."
    explorer.page.locator(".toolbar select").first.select_option("ab")
    explorer.frame()
    sums = selection.attention_map(pair, 0, 1, "shown", "ab", "token").weights.sum(1)
    assert f"rows sum to {sums.min():.2f}–{sums.max():.2f}." in note.inner_text()
