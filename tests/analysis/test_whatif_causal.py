"""What-if of a language model: its classes are the next tokens, and no change lets a query attend to later keys."""

from dataclasses import replace

import numpy as np
import pytest

from tests.adapters.test_language_model import network
from tests.adapters.tiny_networks import byte_pairs
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.control import head_control
from viz_core.analysis.explain import explain, explain_batch
from viz_core.analysis.heads.statistics import copying_head
from viz_core.analysis.whatif import Changes, attention_row, head_effects, outcomes
from viz_core.records import Failure, HeadStatistics

TEXT = "a cat sat"


@pytest.fixture(scope="module", params=["Llama", "GPT2"])
def model(request):
    return adapt(network(request.param), byte_pairs(max_tokens=40), request.param)


@pytest.fixture(scope="module")
def encoding(model):
    return model.text_encoder.encode(TEXT)


def test_without_changes_the_next_tokens_are_those_of_the_explanation(model, encoding):
    shown = explain(model, TEXT)
    (values,) = outcomes(model, encoding, [Changes()])
    assert values.shape == (270,) and values.sum() == pytest.approx(1) and values.argmax() == shown.label_ids[0]
    np.testing.assert_allclose(values[[*shown.label_ids]], shown.probabilities, atol=1e-6)


def test_without_a_token_as_if_it_had_not_been_written(model, encoding):
    left = encoding.ids != encoding.ids[2]
    shorter = replace(
        encoding.first(int(left.sum())), ids=encoding.ids[left], tokens=tuple(np.array(encoding.tokens)[left])
    )
    (expected,) = explain_batch(model, [shorter])
    (values,) = outcomes(model, encoding, [Changes(deleted=frozenset([2]))], classes=expected.label_ids)
    np.testing.assert_allclose(values, expected.probabilities, atol=1e-6)


def test_effects_and_controls_are_of_the_token_that_is_asked_for(model, encoding):
    token, masked = explain(model, TEXT).label_ids[1], Changes(masked=frozenset([(2, 1)]))
    values = outcomes(model, encoding, [Changes(), masked])[:, token]
    assert head_effects(model, encoding, token)[2, 1] == pytest.approx(values[1] - values[0], abs=1e-6)
    control = head_control(model, encoding, masked, token)
    assert (control.without, control.changed) == pytest.approx(values, abs=1e-6) and len(control.draws) == 11


def test_a_uniform_head_attends_alike_to_all_tokens_so_far(model, encoding):
    uniform = Changes(uniform=frozenset([(1, 0)]))
    for query in range(len(encoding.ids)):
        expected = np.where(np.arange(len(encoding.ids)) <= query, 1 / (query + 1), 0)
        np.testing.assert_allclose(attention_row(model, encoding, uniform, (1, 0, query)), expected, atol=1e-6)


def test_blocking_leads_to_no_later_token(model, encoding):
    """Where nothing is left before a query, it attends to nothing."""
    blocked = Changes(blocked=frozenset([0, 1]))
    row = attention_row(model, encoding, blocked, (1, 0, 3))
    before = attention_row(model, encoding, Changes(), (1, 0, 3))
    assert row.sum() == pytest.approx(1) and not row[[0, 1]].any() and not row[4:].any()
    first = attention_row(model, encoding, Changes(blocked=frozenset([0])), (0, 0, 1))
    np.testing.assert_allclose(first, np.arange(len(row)) == 1, atol=1e-6)
    assert not attention_row(model, encoding, blocked, (1, 0, 1)).any() and before[:2].any()


def test_the_weights_of_an_edited_row_are_those_that_count(model, encoding):
    """A row of its own weights changes nothing; another one does."""
    own, other = attention_row(model, encoding, Changes(), (1, 2, 3)), np.zeros(len(encoding.ids))
    other[0] = 1
    same, different, unchanged = outcomes(
        model, encoding, [Changes(rows={(1, 2, 3): own}), Changes(rows={(1, 2, 3): other}), Changes()]
    )
    np.testing.assert_allclose(same, unchanged, atol=1e-5)
    assert np.abs(different - unchanged).max() > 1e-4


def test_an_edited_row_cannot_have_later_tokens(model, encoding):
    later = np.zeros(len(encoding.ids))
    later[4] = 1
    with pytest.raises(Failure) as failure:
        outcomes(model, encoding, [Changes(rows={(0, 0, 3): later})])
    assert failure.value.message.key == "analysis.whatif_later_token" and failure.value.message.values["position"] == 4


def test_a_vocabulary_without_a_token_for_unknown_words(model, encoding):
    replaced = Changes(unknown=frozenset([1]))
    assert outcomes(model, encoding, [replaced]).shape == (1, 270)
    tokenizer = byte_pairs(max_tokens=40)
    tokenizer.unk_token = None
    with pytest.raises(Failure) as failure:
        outcomes(adapt(network("Llama"), tokenizer, "Llama"), encoding, [replaced])
    assert failure.value.message.key == "analysis.whatif_no_unknown"


def test_the_head_that_copies_has_most_weight_on_what_followed():
    weights = {"entropy": np.ones((2, 2)), "received": np.ones((2, 2, 3))}
    assert copying_head(HeadStatistics(**weights, induction=np.array([[0.1, 0.3], [0.6, 0.5]]))) == (1, 0)
    assert copying_head(HeadStatistics(**weights)) is None
