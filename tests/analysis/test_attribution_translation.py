"""Why this word of a translation, not that one: the methods on the source and the words before it."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.adapters.tiny_translators import network, pieces
from tests.tiny_translation import SOURCE, translation_checkpoint
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.attribution.faithfulness import faithfulness
from viz_core.analysis.attribution.integrated_gradients import integrated_gradients
from viz_core.analysis.attribution.methods import METHODS, attributions, gradient_attention, rollout
from viz_core.analysis.attribution.next_word import choices, explain_word
from viz_core.analysis.translation.changes import TranslationChanges, changes_hook
from viz_core.analysis.translation.explain_translation import source_tensors
from viz_core.analysis.translation.live import translate_text
from viz_core.models.batch import PAD
from viz_core.models.protocol import Hook
from viz_core.records import Candidate, Step

POSITION = 4


@pytest.fixture(scope="module", params=["ours", "t5", pytest.param("marian", marks=pytest.mark.slow)])
def model(request):
    if request.param == "ours":
        return translation_checkpoint()
    return adapt(network(request.param), pieces())


@pytest.fixture(scope="module")
def translation(model):
    return translate_text(model, SOURCE if model.name == "tiny" else "the cat sat on a mat.")


@torch.no_grad()
def logits(model, source, read, hook=None):
    """Of the word after those that the decoder reads."""
    ids, mask = source_tensors(source)
    return model.model(ids, mask, torch.from_numpy(np.array(read))[None], hook=hook).logits[0, -1].double()


def test_the_classes_are_the_word_and_its_other_candidates(model, translation):
    _, explanation = explain_word(model, translation, POSITION)
    step = translation.steps[POSITION]
    assert explanation.labels[0] == step.output.token and explanation.label_ids[0] == step.output.id
    assert sorted(explanation.label_ids) == sorted(candidate.id for candidate in step.candidates)
    encoding, S = explanation.encoding, len(translation.source.ids)
    assert encoding.labels == translation.source.labels + translation.target.labels[: POSITION + 1]
    assert encoding.special.tolist()[S:] == [True] + [False] * POSITION, "what begins a translation stays"


def test_a_word_that_was_not_expected_is_explained_too():
    unlikely = Step((Candidate(5, "we", 0.6), Candidate(6, "he", 0.3)), Candidate(9, "school", 0.01), 7)
    assert [word.token for word in choices(unlikely)] == ["school", "we", "he"]


def test_integrated_gradients_add_up_to_the_difference_of_the_logits(model, translation):
    """From a source and words of [PAD], markers aside, to the input: both by passes of the model itself."""
    view, explanation = explain_word(model, translation, POSITION)
    word, other = explanation.label_ids[:2]
    result = integrated_gradients(view.model, explanation.encoding, word, 256, against=other)
    source, read = translation.source, translation.target.ids[: POSITION + 1]
    pad = getattr(model.model, "blank", PAD)
    blank = replace(source, ids=np.where(source.special, source.ids, pad))
    whole = logits(model, source, read)
    without = logits(model, blank, [read[0], *[pad] * POSITION])
    difference = float((whole[word] - whole[other]) - (without[word] - without[other]))
    assert abs(difference) > 0.01 and result.difference == pytest.approx(difference, abs=1e-4)
    assert result.values.sum() == pytest.approx(difference, rel=0.01, abs=1e-3)


def test_a_removed_word_is_one_that_the_decoder_does_not_attend_to(model, translation):
    view, explanation = explain_word(model, translation, POSITION)
    word, other = explanation.label_ids[:2]
    removal, *_ = attributions(view, explanation, 0, 1)
    source, read, S = translation.source, translation.target.ids[: POSITION + 1], len(translation.source.ids)
    whole = logits(model, source, read)
    for place in range(1, POSITION + 1):

        def hide(point, scores, place=place):
            return scores.index_fill(-1, torch.tensor([place]), -math.inf) if point.kind == "causal" else scores

        left = logits(model, source, read, Hook(hide, {"scores"}))
        expected = float((whole[word] - whole[other]) - (left[word] - left[other]))
        assert removal.values[S + place] == pytest.approx(expected, abs=1e-4)
    assert removal.values[S] == 0 and np.abs(removal.values).max() > 0.01


def test_attention_goes_through_the_sub_layers_in_their_order(model, translation):
    _, explanation = explain_word(model, translation, POSITION)
    attention, S, P = explanation.attention, len(translation.source.ids), POSITION + 1
    np.testing.assert_allclose(attention.sum(-1), 1, atol=1e-5)
    own, causal, cross = (translation.attention[kind] for kind in ("self", "causal", "cross"))
    L = len(own)
    np.testing.assert_allclose(attention[:L, :, :S, :S], own, atol=1e-5)
    np.testing.assert_allclose(attention[L::2, :, S:, S:], causal[:, :, :P, :P], atol=1e-5)
    np.testing.assert_allclose(attention[L + 1 :: 2, :, S:, :S], cross[:, :, :P], atol=1e-5)
    assert rollout(attention)[-1].sum() == pytest.approx(1, abs=1e-5)


def test_without_cross_attention_the_source_says_nothing():
    deaf = translation_checkpoint()
    with torch.no_grad():
        for layer in deaf.model.decoder_layers:
            layer.cross_attention.output.weight.zero_()
    translation = translate_text(deaf, SOURCE)
    view, explanation = explain_word(deaf, translation, POSITION)
    S, results = len(translation.source.ids), {one.method: one for one in attributions(view, explanation, 0, 1)}
    for method in ("leave_one_out", "integrated_gradients", "gradient_attention"):
        assert np.abs(results[method].values[:S]).max() < 1e-5 < np.abs(results[method].values[S + 1 :]).max()


def test_every_method_scores_both_texts_and_faithfulness_is_of_the_two_words(model, translation):
    view, explanation = explain_word(model, translation, POSITION)
    results = attributions(view, explanation, 0, 1)
    assert tuple(result.method for result in results) == METHODS
    assert {(result.target, result.against) for result in results} == {explanation.labels[:2]}
    assert all(set(result.groups.tolist()) == {-1, 0, 1} for result in results)
    assert (np.abs([measure.values for measure in faithfulness(view, explanation, results)]) <= 1).all()


def test_the_changed_model_is_explained(model, translation):
    L, H = model.model.config.layers, model.model.config.heads
    masked = TranslationChanges(frozenset((layer, head) for layer in range(L) for head in range(H)))
    hook = changes_hook(model, translation.source, masked)
    view, explanation = explain_word(model, translation, POSITION, hook)
    relevance = gradient_attention(view.model, explanation.encoding, *explanation.label_ids[:2])
    assert np.abs(relevance[: len(translation.source.ids)]).max() == 0, "no head of the cross-attention is left"
