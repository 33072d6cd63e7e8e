"""Value-weighted attention: worked out by hand, and against the sum that it decomposes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests import tiny
from tests.analysis.toy import CLS, SEP, toy
from tests.tiny_translation import SOURCE, translation_checkpoint
from viz_core.analysis.explain import explain
from viz_core.analysis.selection import attention_map, token_weights, translation_map
from viz_core.analysis.translation.changes import TranslationChanges, changes_hook
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.analysis.value_norms import has_value_norms, value_norms, value_weighted, value_weighted_translation
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.models.baseline_configs import RecurrentConfig
from viz_core.models.recurrent import Recurrent
from viz_core.records import Failure, Metrics
from viz_core.tasks import get_task

FORMS = {
    "pre": dict(norm="pre"),
    "post": dict(norm="post"),
    "mean": dict(pooling="mean"),
    "sinusoidal": dict(positions="sinusoidal"),
    "rotary": dict(positions="rotary"),
    "stem": dict(stem="convolution"),
    "overlap": dict(overlap=True),
    "one head": dict(layers=1, heads=1),
}


def checkpoint_of(model, task: str = "imdb") -> Checkpoint:
    settings = Settings(task, model.config)
    return Checkpoint("tiny", get_task(task), settings, model, tiny.text_encoder(task), Metrics({}))


def checkpoint(task: str = "imdb", **form) -> Checkpoint:
    text = tiny.text_encoder(task)
    model = tiny.encoder(vocabulary=text.vocabulary, max_tokens=text.max_tokens, **form)
    return checkpoint_of(model, task)


class Attended:
    """What a module of attention computes: its values `(H, K, d)`, and its output `(Q, D)` without the bias."""

    def __init__(self, attention) -> None:
        self.attention, self.values, self.output = attention, None, None
        attention.value.register_forward_hook(self._keep_values)
        attention.output.register_forward_hook(self._keep_output)

    def _keep_values(self, _, __, output) -> None:
        H = self.attention.heads
        self.values = output[0].view(output.shape[1], H, -1).transpose(0, 1).numpy()

    def _keep_output(self, _, __, output) -> None:
        self.output = (output[0] - self.attention.output.bias).numpy()

    def vectors(self) -> np.ndarray:
        """f(x) `(H, K, D)`, a head and a key after the other."""
        _, K, d = self.values.shape
        weight = self.attention.output.weight.detach().numpy()  # (D, D), outputs first
        rows = [
            [weight[:, head * d : (head + 1) * d] @ self.values[head, key] for key in range(K)]
            for head in range(self.attention.heads)
        ]
        return np.array(rows)


def test_norms_by_hand():
    """The toy's values are a number per token: good 3, bad -2, [CLS] and [SEP] 0; the head attends uniformly."""
    text = tiny.text_encoder("imdb")
    ids = text.encode("good bad").ids.tolist()
    assert (ids[0], ids[-1]) == (CLS, SEP)
    model = checkpoint_of(toy({ids[1]: 3.0, ids[2]: -2.0}))
    explanation = explain(model, "good bad")
    norms = value_norms(model, explanation.encoding)
    assert_allclose(norms, [[[0, 3, 2, 0]]], atol=1e-6)
    weighted = value_weighted(explanation, norms)
    assert_allclose(weighted.attention[0, 0], np.tile([0, 0.75, 0.5, 0], (4, 1)), atol=1e-6)
    assert (explanation.measure, weighted.measure) == ("weights", "norms")


@pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
def test_norms_are_those_of_the_summands_of_the_attention(form):
    """The output of the attention is the sum of α f(x) over heads and keys, and each norm is that of a summand."""
    model = checkpoint("imdb", **form)
    modules = [Attended(layer.attention) for layer in model.model.layers]
    explanation = explain(model, "not a good film with a bad story")
    transformed = np.stack([module.vectors() for module in modules])  # (L, H, K, D)
    summands = explanation.attention[..., None] * transformed[:, :, None]  # (L, H, Q, K, D)
    outputs = np.stack([module.output for module in modules])
    assert_allclose(summands.sum((1, 3)), outputs, atol=1e-5)
    weighted = value_weighted(explanation, value_norms(model, explanation.encoding))
    assert_allclose(weighted.attention, np.linalg.norm(summands, axis=-1), atol=1e-5)


@pytest.mark.parametrize("changes", [TranslationChanges(), TranslationChanges(frozenset({(0, 1)}), frozenset({3}))])
def test_norms_of_a_translation(changes):
    model = translation_checkpoint(end=3.0)
    decoder, encoder = model.model.decoder_layers, model.model.encoder_layers
    modules = {
        "self": [Attended(layer.attention) for layer in encoder],
        "causal": [Attended(layer.attention) for layer in decoder],
        "cross": [Attended(layer.cross_attention) for layer in decoder],
    }
    source = model.text_encoder.encode(SOURCE)
    translation = explain_translation(model, source, [5, 9, 7, 3], changes_hook(model, source, changes))
    weighted = value_weighted_translation(translation)
    for kind, attentions in modules.items():
        transformed = np.stack([module.vectors() for module in attentions])
        expected = translation.attention[kind] * np.linalg.norm(transformed, axis=-1)[:, :, None]
        assert_allclose(weighted.attention[kind], expected, atol=1e-5)
    assert translation_map(weighted, "cross", 0, 0).title.key == "analysis.title_value_weighted"


def test_maps_say_what_is_measured():
    model = checkpoint("afqmc")
    explanation = explain(model, "花呗怎么还", "借呗如何还款")
    weighted = value_weighted(explanation, value_norms(model, explanation.encoding))
    map_, row = attention_map(weighted, 1, 0), token_weights(weighted, 1, 0)
    assert (map_.measure, row.measure) == ("norms", "norms")
    assert map_.title.values["title"] == attention_map(explanation, 1, 0).title
    assert_allclose(map_.weights[0], row.weights)


def test_a_model_without_output_projection_is_refused():
    text = tiny.text_encoder("imdb")
    config = RecurrentConfig(
        vocabulary=text.vocabulary, max_tokens=16, width=8, bidirectional=True, reading="attention"
    )
    model = checkpoint_of(Recurrent(config).eval())
    assert not has_value_norms(model)
    with pytest.raises(Failure) as failure:
        value_norms(model, explain(model, "a good film").encoding)
    assert failure.value.message.key == "analysis.no_value_norms"
