"""The record of a head equals what the model computes, for every configuration that ships."""

import numpy as np
import pytest
import torch
from torch import nn

from tests.explorer.inside_packets import CONFIGURATIONS, KINDS, classifier, inside_record, translation
from tests.steps import layer_norm, softmax
from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.analysis.inside.inside import inside
from viz_core.analysis.inside.passes import Selected
from viz_core.analysis.inside.steps import WINDOW, window_start
from viz_core.analysis.whatif import Changes, predict_with_changes
from viz_core.models.protocol import on_weights
from viz_core.records import Failure

EVERYTHING = HeadChanges(True, {(1, 2): 0.5}, 0.7, frozenset([3]), False, 1.5)
CHANGES = {
    "original": None,
    "everything": EVERYTHING,
    "everywhere": HeadChanges(True, temperature=2.0, everywhere=True),
}


def assert_close(ours: np.ndarray, expected: np.ndarray, message: str = "") -> None:
    """Equal to 1e-5 of the largest number, which float32 rounds to 1e-7."""
    atol = 1e-5 * max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(ours, expected, rtol=0, atol=atol, err_msg=message)


def module_outputs(model: nn.Module, run) -> dict[str, np.ndarray]:
    """What each module of the model computes in a pass, by its name, without the axis of the batch."""
    outputs = {}

    def hook(name):
        def record(module, inputs, output):
            outputs[name] = output[0] if isinstance(output, tuple) else output
            outputs[f"{name} reads"] = inputs[0]

        return record

    handles = [module.register_forward_hook(hook(name)) for name, module in model.named_modules() if name]
    try:
        with torch.inference_mode():
            run()
    finally:
        for handle in handles:
            handle.remove()
    return {name: output[0].numpy() for name, output in outputs.items()}


def classify(name: str) -> dict[str, np.ndarray]:
    checkpoint, encoding = classifier(name)
    ids, segments = (torch.tensor(values)[None] for values in (encoding.ids, encoding.segments))
    return module_outputs(
        checkpoint.model, lambda: checkpoint.model(ids, segments, torch.ones_like(ids, dtype=torch.bool))
    )


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_step_of_a_classifier_is_that_of_torch(name):
    checkpoint, encoding = classifier(name)
    model, torchs = checkpoint.model, classify(name)
    number = model.config.layers - 1
    record, layer = inside_record(name, layer=number, head=model.config.heads - 1), f"layers.{number}"
    token, attention = 1, f"{layer}.attention"
    columns = slice(-(model.config.width // model.config.heads), None)
    compared = {
        f"{attention} reads": record.query.read,
        "embedding": record.query.embedded,
        f"{attention}.output": record.of_layer.projected,
        f"{attention}.output reads": record.of_layer.contexts.ravel(),
        f"{layer}.feedforward.0 reads": record.of_layer.read,
        f"{layer}.feedforward.0": record.of_layer.hidden,
        f"{layer}.feedforward.1": record.of_layer.activated,
        f"{layer}.feedforward.3": record.of_layer.feedforward,
        layer: record.of_layer.output,
        f"{layer} reads": record.query.stream,
    }
    for point, ours in compared.items():
        assert_close(ours, torchs[point][token], point)
    for projection, ours in (("key", record.of_head.keys), ("value", record.of_head.values)):
        assert_close(ours, torchs[f"{attention}.{projection}"][:, columns])
    assert_close(record.of_head.query, torchs[f"{attention}.query"][token, columns])
    assert_close(record.window, torchs[f"{layer} reads"])
    assert_close(record.prediction.pooled, torchs["classifier reads"])
    assert_close(record.prediction.logits, torchs["classifier"])
    if model.stem is not None:
        assert_close(record.query.stem, torchs["stem"][token])
        assert_close(
            layer_norm(record.query.embedded + record.query.convolved, *record.norms["stem"], record.epsilon),
            record.query.stem,
        )
    assert_close(record.query.streams[-1], record.query.stream)
    assert tuple(record.query.parts)[:3] == ("token", "position", "segment")
    assert_close(sum(record.query.parts.values()), record.query.sum)


@pytest.mark.parametrize("kind", KINDS)
def test_every_step_of_a_translation_is_that_of_torch(kind):
    checkpoint, translated = translation()
    source, target = (torch.tensor(side.ids)[None] for side in (translated.source, translated.target))
    torchs = module_outputs(
        checkpoint.model, lambda: checkpoint.model(source, torch.ones_like(source, dtype=torch.bool), target)
    )
    record = inside_record(kind, layer=1, head=1)
    layer = f"{'encoder' if kind == 'self' else 'decoder'}_layers.1"
    attention = f"{layer}.{'cross_attention' if kind == 'cross' else 'attention'}"
    width = len(record.of_head.query)
    assert_close(record.of_head.query, torchs[f"{attention}.query"][1, width : 2 * width])
    assert_close(record.query.read, torchs[f"{attention}.query reads"][1])
    assert_close(record.of_layer.projected, torchs[f"{attention}.output"][1])
    assert_close(record.of_layer.feedforward, torchs[f"{layer}.feedforward.3"][1])
    assert_close(record.of_layer.output, torchs[layer][1])
    if kind == "cross":
        assert_close(record.key.read, torchs["encoder_norm"][1])
    assert_close(record.prediction.pooled, torchs["decoder_norm"][record.prediction.position])


@pytest.mark.parametrize("name", [*CONFIGURATIONS, *KINDS])
@pytest.mark.parametrize("changes", CHANGES)
def test_each_step_follows_from_the_step_before(name, changes):
    record = inside_record(name, CHANGES[changes])
    head, layer, prediction = record.of_head, record.of_layer, record.prediction
    assert_close(head.products.sum(1), head.scores)
    assert_close(softmax(head.masked), head.weights)
    assert_close(head.weights @ head.values, head.context)
    assert_close(layer.contexts[record.head], head.context)
    assert_close(layer.parts.sum(0) + layer.b_output, layer.projected)
    assert_close(record.query.stream + layer.projected, layer.added)
    assert_close(prediction.w_classifier @ prediction.pooled + prediction.b_classifier, prediction.logits)
    if record.norm == "pre":
        assert_close(layer.before + layer.feedforward, layer.output)
        assert_close(layer.normed, layer.added)
    else:
        assert_close(layer_norm(layer.added, *record.norms["attention"], record.epsilon), layer.normed)
    if "embedding" in record.norms and name not in KINDS:
        normed = layer_norm(record.query.sum, *record.norms["embedding"], record.epsilon)
        assert_close(normed, record.query.embedded)
    if changes == "original":
        reachable = np.isfinite(head.masked)
        assert_close(head.masked[reachable], head.scaled[reachable])
        assert record.unchanged is None


@pytest.mark.parametrize("name", [*CONFIGURATIONS, *KINDS])
def test_without_the_changes_it_is_the_original(name):
    original, changed = inside_record(name), inside_record(name, EVERYTHING)
    assert_close(changed.unchanged.weights, original.of_head.weights)
    assert_close(changed.unchanged.context, original.of_head.context)
    assert changed.unchanged.entropy == pytest.approx(original.of_head.entropy)
    before = dict(zip(changed.prediction.labels, changed.unchanged.probabilities, strict=True))
    for label, probability in zip(original.prediction.labels, original.prediction.probabilities, strict=True):
        assert before[label] == pytest.approx(probability, abs=1e-6)
    assert (
        changed.prediction.labels[changed.unchanged.predicted]
        == original.prediction.labels[original.prediction.predicted]
    )


def test_a_masked_key_changes_the_prediction_as_an_edited_row_of_what_if_does():
    """What-if edits the weights, this the scores: the same rows give the same prediction."""
    checkpoint, encoding = classifier("pre")
    record = inside_record("pre", HeadChanges(masked=frozenset([2])), layer=1)
    rows = {}

    def record_rows(layer, weights):
        if layer == 1:
            rows.update(enumerate(weights[0, 0].numpy().copy()))
        return weights

    ids, segments = (torch.tensor(values)[None] for values in (encoding.ids, encoding.segments))
    with torch.inference_mode():
        checkpoint.model(ids, segments, torch.ones_like(ids, dtype=torch.bool), hook=on_weights(record_rows))
    edited = {}
    for query, weights in rows.items():
        weights[2] = 0
        edited[1, 0, query] = weights / weights.sum()
    (expected,) = predict_with_changes(checkpoint, encoding, [Changes(rows=edited)])
    np.testing.assert_allclose(record.prediction.probabilities, expected, atol=1e-5)


def test_values_of_zero_are_a_masked_head():
    checkpoint, encoding = classifier("pre")
    record = inside_record("pre", HeadChanges(values=0.0), layer=1, head=1)
    (expected,) = predict_with_changes(checkpoint, encoding, [Changes(masked=frozenset([(1, 1)]))])
    np.testing.assert_allclose(record.prediction.probabilities, expected, atol=1e-5)


def test_the_window_contains_the_key():
    assert [window_start(key, 512) for key in (0, 100, 511)] == [0, 100 - WINDOW // 2, 512 - WINDOW]
    assert window_start(9, 10) == 0


@pytest.mark.parametrize(
    "selected, key",
    [
        (Selected("cross", 0, 0, 0, 0), "inside.unknown_kind"),
        (Selected("self", 2, 0, 0, 0), "analysis.whatif_unknown_head"),
        (Selected("self", 0, -1, 0, 0), "analysis.whatif_unknown_head"),
        (Selected("self", 0, 0, 99, 0), "inside.unknown_token"),
        (Selected("self", 0, 0, 0, -1), "inside.unknown_token"),
    ],
)
def test_what_does_not_exist_is_refused(selected, key):
    with pytest.raises(Failure) as failure:
        inside(*classifier("pre"), selected)
    assert failure.value.message.key == key
