"""Comparison with a reference in the browser: alignment and differences as viz_core/analysis/difference.py has them."""

from dataclasses import replace

import numpy as np
import pytest

from tests.explorer import examples
from tests.explorer.javascript import ask
from viz_core.analysis import difference
from viz_core.explorer.packed_weights import STEPS
from viz_core.records import Encoding, Explanation


def test_the_browser_aligns_as_the_server_does():
    """Random texts of few words, so that many are equal, some move and some are replaced."""
    random, pairs, kinds = np.random.default_rng(0), [], set()
    for letters in [2, 3, 4, 5, 6] * 4:
        before, after = (" ".join(random.choice([*"abcdef"[:letters]], random.integers(1, 14))) for _ in range(2))
        pairs.append([examples.encode_by_spaces(*texts) for texts in ((before, after), (after, before))])
        put_in = [random.choice([word, word.upper() * 2]) for word in before.split()]
        pairs.append([examples.encode_by_spaces(text) for text in (before, " ".join(put_in))])
    answers = ask("aligned", pairs=[[units(encoding) for encoding in pair] for pair in pairs])
    for encodings, aligned in zip(pairs, answers, strict=True):
        expected, moved, replaced = difference.align(*encodings)
        common = [[reference, unit] for unit, reference in enumerate(aligned["referenceOf"]) if reference >= 0]
        assert common == expected.tolist()
        assert [aligned["moved"][unit] for _, unit in common] == moved.tolist()
        assert [aligned["same"][unit] < 0 for _, unit in common] == replaced.tolist()
        kinds |= {*zip(moved.tolist(), replaced.tolist(), strict=True)}
    assert kinds == {(False, False), (True, False), (False, True)}


def units(encoding: Encoding) -> dict:
    groups = np.where(encoding.special, -1, encoding.segments)
    labels, segments = encoding.tokens, encoding.segments.tolist()
    return {"count": len(labels), "labels": labels, "segments": segments, "groups": groups.tolist()}


def explanation(*texts: str, seed: int = 0) -> Explanation:
    """Random attention of two heads over these words."""
    encoding = examples.encode_by_spaces(*texts)
    tokens = len(encoding.tokens)
    weights = np.random.default_rng(seed).dirichlet(np.full(tokens, 0.4), (1, 2, tokens)).astype(np.float32)
    return replace(examples.explanation(encoding, layers=1, heads=2), attention=weights)


BEFORE, AFTER = explanation("a good film it was"), explanation("it was not a film", seed=1)


def difference_map(head: int = 0, special: str = "shown") -> dict:
    before, after = (examples.pack_example(inputs) for inputs in (BEFORE, AFTER))
    return ask("difference", before=before, after=after, head=head, special=special)


@pytest.mark.parametrize("head", [0, 1])
def test_differences_are_those_of_the_server(head):
    comparison = difference.compare(BEFORE, AFTER)
    expected = difference.attention_difference(comparison, 0, head)
    map_ = difference_map(head)
    tokens = len(AFTER.encoding.tokens)
    weights = np.reshape(np.array(map_["weights"], float), (tokens, tokens))
    common = comparison.pairs[:, 1]
    np.testing.assert_allclose(weights[np.ix_(common, common)], expected.weights, atol=2 / STEPS)
    new = np.flatnonzero(comparison.changed_after)
    assert AFTER.encoding.tokens[new[0]] == "not" and len(new) == 1
    assert np.isnan(weights[new]).all() and np.isnan(weights[:, new]).all(), "not in both inputs"
    assert map_["largest"] == pytest.approx(np.abs(expected.weights).max(), abs=2 / STEPS)
    assert map_["mean"] == pytest.approx(difference.mean_absolute_difference(comparison)[0, head], abs=2 / STEPS)


def test_a_replaced_word_is_compared_by_position_as_on_the_server():
    before, after = explanation("the acting is superb"), explanation("the acting is awful", seed=1)
    expected = difference.attention_difference(difference.compare(before, after), 0, 0).weights
    packed = {"before": examples.pack_example(before), "after": examples.pack_example(after)}
    map_ = ask("difference", **packed, head=0, special="shown")
    assert map_["cells"] == expected.size == 6 * 6, "nothing is grey"
    np.testing.assert_allclose(map_["weights"], expected.ravel(), atol=2 / STEPS)


def test_hidden_tokens_are_left_out_of_differences():
    map_ = difference_map(special="hidden")
    assert len(map_["queries"]) == 5 and map_["cells"] == 4 * 4, "it was a film"
