"""What-if for translations: masked heads, blocked source tokens, words that are fed to the decoder."""

import numpy as np
import pytest
import torch

from tests.tiny_translation import SOURCE, translation_checkpoint
from viz_core.analysis.translation.changes import TranslationChanges, changes_hook, probabilities_with_changes, word_id
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.analysis.translation.live import translate_stepwise
from viz_core.records import Failure
from viz_core.text.building import SEP

EVERY_HEAD = frozenset((layer, head) for layer in range(2) for head in range(2))


@pytest.fixture(scope="module")
def checkpoint():
    return translation_checkpoint(end=3.0)


@pytest.fixture(scope="module")
def source(checkpoint):
    return checkpoint.text_encoder.encode(SOURCE)


@pytest.fixture(scope="module")
def translation(checkpoint, source):
    return explain_translation(checkpoint, source, [step.output.id for step in translate_stepwise(checkpoint, source)])


def tokens(checkpoint, source, changes) -> list[int]:
    hook = changes_hook(checkpoint, source, changes)
    return [step.output.id for step in translate_stepwise(checkpoint, source, forced=changes.fed, hook=hook)]


def probabilities(translation) -> list[float]:
    return [step.output.probability for step in translation.steps]


def test_without_changes_the_probabilities_are_the_original(checkpoint, source, translation):
    assert changes_hook(checkpoint, source, TranslationChanges()) is None and not TranslationChanges()
    np.testing.assert_allclose(
        probabilities_with_changes(checkpoint, translation, TranslationChanges()), probabilities(translation), atol=1e-5
    )


def test_without_cross_attention_every_source_has_the_same_translation(checkpoint, source):
    changes, other = TranslationChanges(masked=EVERY_HEAD), checkpoint.text_encoder.encode("他昨天没有来")
    assert tokens(checkpoint, source, changes) == tokens(checkpoint, other, changes)
    assert tokens(checkpoint, source, TranslationChanges()) != tokens(checkpoint, other, TranslationChanges())


def test_a_masked_head_has_no_output_and_no_other_changes(checkpoint, source, translation):
    """As if the columns of the output projection that read this head were 0."""
    changes = TranslationChanges(masked=frozenset([(1, 0)]))
    masked = probabilities_with_changes(checkpoint, translation, changes)
    without = translation_checkpoint(end=3.0)
    with torch.no_grad():
        without.model.decoder_layers[1].cross_attention.output.weight[:, :8] = 0  # the first of two heads of width 8
    outputs = [step.output.id for step in translation.steps]
    expected = probabilities(explain_translation(without, source, outputs))
    np.testing.assert_allclose(masked, expected, atol=1e-5)
    assert np.abs(masked - probabilities(translation)).max() > 1e-3


def test_a_blocked_token_is_attended_to_by_nobody(checkpoint, source, translation):
    changes = TranslationChanges(blocked=frozenset([3, 4]))
    outputs = [step.output.id for step in translation.steps]
    changed = explain_translation(checkpoint, source, outputs, changes_hook(checkpoint, source, changes))
    for kind in ("self", "cross"):
        assert not changed.attention[kind][..., [3, 4]].any()
        np.testing.assert_allclose(changed.attention[kind].sum(-1), 1, atol=1e-5)
    left = np.delete(translation.attention["self"][0], [3, 4], axis=-1)  # the first layer: nothing came before it
    np.testing.assert_allclose(
        np.delete(changed.attention["self"][0], [3, 4], axis=-1), left / left.sum(-1, keepdims=True), atol=1e-5
    )
    np.testing.assert_allclose(
        probabilities_with_changes(checkpoint, translation, changes), probabilities(changed), atol=1e-5
    )


def test_a_wrong_word_changes_only_what_comes_after_it(checkpoint, source, translation):
    wrong = word_id(checkpoint, "school")
    changed = probabilities_with_changes(checkpoint, translation, TranslationChanges(fed={1: wrong}))
    outputs = [step.output.id for step in translation.steps]
    np.testing.assert_allclose(changed[:2], probabilities(translation)[:2], atol=1e-5)
    reading = explain_translation(checkpoint, source, [outputs[0], wrong, *outputs[2:]])
    np.testing.assert_allclose(changed[2:], probabilities(reading)[2:], atol=1e-5)
    assert tokens(checkpoint, source, TranslationChanges(fed={1: wrong}))[:2] == [outputs[0], wrong]


def test_a_word_is_a_single_token_of_the_vocabulary(checkpoint):
    assert checkpoint.text_encoder.token(word_id(checkpoint, " School ")) == "school"
    assert word_id(checkpoint, "[SEP]") == SEP
    for word in ("zebra", "we go", "s" * 100):
        with pytest.raises(Failure) as failure:
            word_id(checkpoint, word)
        assert failure.value.message.key == "translation.not_a_word" and len(failure.value.message.values["word"]) <= 40


@pytest.mark.parametrize(
    "changes, key",
    [
        (TranslationChanges(masked=frozenset([(2, 0)])), "analysis.whatif_unknown_head"),
        (TranslationChanges(masked=frozenset([(0, -1)])), "analysis.whatif_unknown_head"),
        (TranslationChanges(blocked=frozenset([10])), "analysis.whatif_unknown_token"),
        (TranslationChanges(blocked=frozenset(range(10))), "analysis.whatif_all_blocked"),
        (TranslationChanges(fed={0: 10_000}), "translation.unknown_word"),
        (TranslationChanges(fed={0: 1}), "translation.unknown_word"),
        (TranslationChanges(fed={-1: 5}), "translation.unknown_word"),
    ],
)
def test_changes_that_are_not_possible_are_refused(checkpoint, source, changes, key):
    with pytest.raises(Failure) as failure:
        changes_hook(checkpoint, source, changes)
    assert failure.value.message.key == key
