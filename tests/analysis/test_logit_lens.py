"""The logit lens: worked out by hand on a model of one number per token, and against passes of cut-off models."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import nn

from tests import tiny
from tests.analysis.test_value_norms import FORMS, checkpoint, checkpoint_of
from tests.analysis.toy import toy
from tests.explorer.inside_packets import classifier, inside_record, translation
from tests.tiny_translation import SOURCE, translation_checkpoint
from viz_core.analysis.explain import encode, explain
from viz_core.analysis.inside.logit_lens import CLASSES, class_lens, token_lens
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.models.bag import Bag
from viz_core.models.baseline_configs import BagConfig
from viz_core.records import Failure, Message


@pytest.mark.parametrize(
    ("pooling", "before", "after"), [("cls", 0.0, (3 - 2) / 4), ("mean", (3 - 2) / 4, 2 * (3 - 2) / 4)]
)
def test_log_odds_by_hand(pooling, before, after):
    """good is 3 and bad -2, [CLS] and [SEP] are 0. The layer adds the mean of all four tokens to each of them."""
    text = tiny.text_encoder("imdb")
    good, bad = text.encode("good bad").ids[1:3].tolist()
    lens = class_lens(checkpoint_of(toy({good: 3.0, bad: -2.0}, pooling)), text.encode("good bad"))
    assert_allclose(lens.logits, [[0, before], [0, after]], atol=1e-6)
    assert_allclose(lens.probabilities[:, 1], [1 / (1 + np.exp(-before)), 1 / (1 + np.exp(-after))], atol=1e-6)


@pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
def test_a_row_is_the_prediction_of_the_model_without_the_later_layers(form):
    model = checkpoint("imdb", **form)
    text = "not a good film with a bad story"
    encoding, layers = encode(model, text), model.model.layers
    lens = class_lens(model, encoding)
    assert_allclose(lens.probabilities[-1], explain(model, text).probabilities, atol=1e-5)
    for count, row in enumerate(lens.logits[1:], 1):
        model.model.layers = layers[:count]
        inputs = [torch.from_numpy(np.array(values))[None] for values in (encoding.ids, encoding.segments)]
        with torch.inference_mode():
            logits = model.model(*inputs, torch.ones_like(inputs[0], dtype=torch.bool)).logits[0]
        assert_allclose(row, logits.numpy(), atol=1e-5)


def test_next_tokens_after_every_layer_of_the_decoder():
    model = translation_checkpoint(end=3.0)
    source = model.text_encoder.encode(SOURCE)
    translated = explain_translation(model, source, [5, 9, 7, 3])
    lens = token_lens(model, translated)
    assert (lens.read, lens.outputs) == (translated.target.labels, translated.outputs)
    assert lens.probabilities.shape == lens.ranks.shape == (3, 4) and len(lens.likeliest) == 3
    assert_allclose(lens.probabilities[-1], [step.output.probability for step in translated.steps], atol=1e-5)
    assert lens.ranks[-1].tolist() == [step.rank for step in translated.steps]
    assert lens.likeliest[-1] == tuple(step.candidates[0].token for step in translated.steps)
    decoder = model.model.decoder_layers
    model.model.decoder_layers = nn.ModuleList(decoder[:1])
    shorter = explain_translation(model, source, [5, 9, 7, 3])
    assert_allclose(lens.probabilities[1], [step.output.probability for step in shorter.steps], atol=1e-5)


def test_the_likeliest_tokens_of_a_next_token_model():
    lens, prediction = class_lens(*classifier("next")), inside_record("next").prediction
    assert lens.labels == prediction.labels[:CLASSES] and lens.logits.shape == (3, CLASSES)
    assert_allclose(lens.logits[-1], prediction.logits[:CLASSES], atol=1e-5)
    assert_allclose(lens.probabilities[-1], prediction.probabilities[:CLASSES], atol=1e-5)


def test_a_model_without_layers_or_without_a_classifier_is_refused():
    text = tiny.text_encoder("imdb")
    bag = checkpoint_of(Bag(BagConfig(vocabulary=text.vocabulary, max_tokens=16, width=8)).eval())
    for lens, inputs, key, name in (
        (class_lens, (bag, encode(bag, "a good film")), "no_layers", "imdb/tiny"),
        (class_lens, (translation()[0], classifier("pre")[1]), "no_layers", "tatoeba/tiny"),
        (token_lens, (classifier("pre")[0], translation()[1]), "no_layers", "afqmc/tiny"),
        (class_lens, classifier("bare"), "no_classifier", "tiny"),
    ):
        with pytest.raises(Failure) as failure:
            lens(*inputs)
        assert failure.value.message == Message(f"lens.{key}", {"name": name})
