"""The logit lens: worked out by hand on a model of one number per token, and against passes of cut-off models."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import nn

from tests import tiny
from tests.adapters.test_language_model import network
from tests.adapters.tiny_networks import byte_pairs
from tests.analysis.test_value_norms import FORMS, checkpoint, checkpoint_of
from tests.analysis.toy import toy
from tests.explorer.inside_packets import classifier, translation
from tests.tiny_translation import SOURCE, translation_checkpoint
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.decoding import log_probabilities, special_ids
from viz_core.analysis.explain import encode, explain
from viz_core.analysis.inside.logit_lens import class_lens, text_lens, token_lens
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.models.bag import Bag
from viz_core.models.baseline_configs import BagConfig
from viz_core.records import Failure, Message, show_whitespace


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


@pytest.mark.parametrize("family", ["GPT2", "Llama", "Phi"])
def test_next_tokens_of_a_text_are_what_the_library_reads_off_its_hidden_states(family):
    net = network(family)
    model = adapt(net, byte_pairs(max_tokens=40), family)
    encoding = encode(model, "cat sat cat é")
    ids = torch.from_numpy(encoding.ids.copy())
    with torch.no_grad():
        output = net(input_ids=ids[None], output_hidden_states=True)
        *before, _ = output.hidden_states  # the last one is normalised
        norm = getattr(net.base_model, {"GPT2": "ln_f", "Llama": "norm", "Phi": "final_layernorm"}[family])
        expected = [net.get_output_embeddings()(norm(state[0])) for state in before] + [output.logits[0]]
    lens = text_lens(model, encoding, 2, 3)
    assert (lens.start, lens.positions, len(lens.likeliest)) == (2, len(ids), 4)
    for likeliest, probabilities, ranks, logits in zip(
        lens.likeliest, lens.probabilities, lens.ranks, expected, strict=True
    ):
        chances = log_probabilities(logits, special_ids(model.model)).exp()[2:5]
        assert likeliest == tuple(show_whitespace(model.text_encoder.token(int(i))) for i in chances.argmax(-1))
        of_next = chances.gather(-1, ids[3:6, None])
        assert_allclose(probabilities, of_next[:, 0], atol=1e-5)
        assert ranks.tolist() == (1 + (chances > of_next).sum(-1)).tolist()
    assert lens.outputs == tuple(show_whitespace(model.text_encoder.token(int(i))) for i in ids[3:6])
    whole = text_lens(model, encoding)
    assert whole.outputs[-1] == whole.likeliest[-1][-1], "the end of the text is followed by the likeliest token"
    assert_allclose(whole.window(2, 3).probabilities, lens.probabilities, atol=1e-6)


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
