"""The browser's arithmetic, compared with viz_core/analysis/selection.py on explanations."""

from itertools import product

import numpy as np
import pytest

from tests.explorer import examples
from tests.explorer.javascript import ask
from viz_core.analysis import selection

EXPLANATIONS = {
    "review": examples.review(layers=1, heads=2),
    "pair": examples.pair(layers=1, heads=2),
    "hostile": examples.hostile(layers=1, heads=2),
}
CASES = list(product(selection.SPECIAL_CHOICES, selection.BLOCKS, ("token", "word")))


@pytest.fixture(scope="module", params=EXPLANATIONS)
def explanation_and_cuts(request):
    """An explanation with what the browser computes from one of its heads, `[exact, as sent][case]`."""
    explanation = EXPLANATIONS[request.param]
    exact, data = explanation.attention[0, 1].ravel().tolist(), examples.pack_example(explanation)
    return explanation, ask("cuts", bytes=data, exact=exact, layer=0, head=1, cases=CASES)


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
