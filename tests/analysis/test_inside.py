"""The record of a head equals what the model computes, for every configuration that ships."""

import numpy as np
import pytest
import torch
from torch import nn

from tests.analysis.test_value_norms import checkpoint_of
from tests.explorer.inside_packets import CONFIGURATIONS, ELSEWHERE, KINDS, classifier, inside_record, translation
from tests.steps import layer_norm, rms_norm, softmax
from tests.tiny import text_encoder
from viz_core.analysis.inside import steps
from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.analysis.inside.inside import inside, inside_translation
from viz_core.analysis.inside.passes import Selected
from viz_core.analysis.inside.steps import WINDOW, window_start
from viz_core.analysis.whatif import Changes, predict_with_changes
from viz_core.models.attention import Rotation
from viz_core.models.baseline_configs import RecurrentConfig
from viz_core.models.protocol import on_weights
from viz_core.models.recurrent import Recurrent
from viz_core.records import Failure, Message

EVERYTHING = HeadChanges(True, {(1, 2): 0.5}, 0.7, frozenset([3]), False, 1.5)
CHANGES = {
    "original": None,
    "everything": EVERYTHING,
    "everywhere": HeadChanges(True, temperature=2.0, everywhere=True),
}


def assert_close(ours: np.ndarray, expected: np.ndarray, message: str = "") -> None:
    """Equal to 1e-5 of the largest number, which float32 rounds to 1e-7."""
    atol = 1e-5 * np.abs(expected).max(initial=1.0)
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
    queries, keys, values = (torchs[f"{attention}.{name}"][:, columns] for name in ("query", "key", "value"))
    if model.config.positions == "rotary":
        turn = Rotation.of(torch.arange(len(keys)), keys.shape[1])
        queries, keys = (turn(torch.from_numpy(vectors))[0].numpy() for vectors in (queries, keys))
    assert_close(record.of_head.query, queries[token])
    assert_close(record.of_head.keys, keys)
    assert_close(record.of_head.values, values)
    assert_close(record.window, torchs[f"{layer} reads"])
    assert_close(record.prediction.pooled, torchs["classifier reads"])
    assert_close(record.prediction.logits, torchs["classifier"])
    read_out = token if model.config.pooling == "mean" else 0
    assert_close(record.prediction.streams[-1], torchs[layer][read_out])
    assert_close(record.prediction.lengths[-1], np.sqrt(np.square(torchs[layer]).sum(1)))
    if model.stem is not None:
        assert_close(record.query.stem, torchs["stem"][token])
        assert_close(
            layer_norm(record.query.embedded + record.query.convolved, *record.norms["stem"], record.epsilon),
            record.query.stem,
        )
    assert_close(record.query.streams[-1], record.query.stream)
    added = ("token", "segment") if model.config.positions == "rotary" else ("token", "position", "segment")
    assert tuple(record.query.parts)[: len(added)] == added
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
    attending = translated.attention["cross"][-1].mean(0)[:, 1].argmax()
    assert record.prediction.position == (attending if kind == "self" else 1)


OTHERWISE = {"parallel", "bounded", "joint"}  # what these compute is followed in tests/adapters/test_inside_rotary.py


@pytest.mark.parametrize("name", [*CONFIGURATIONS, *(name for name in ELSEWHERE if name not in OTHERWISE), *KINDS])
@pytest.mark.parametrize("changes", CHANGES)
def test_each_step_follows_from_the_step_before(name, changes):
    record = inside_record(name, CHANGES[changes])
    head, layer, prediction, norms = record.of_head, record.of_layer, record.prediction, record.norms

    def normalised(x: np.ndarray, name: str) -> np.ndarray:
        weight, bias = norms[name]
        return layer_norm(x, weight, bias, record.epsilon) if record.centred else rms_norm(x, weight, record.epsilon)

    assert_close(head.products.sum(1), head.scores)
    assert_close(softmax(head.masked), head.weights)
    assert_close(head.weights @ head.values, head.context)
    assert_close(layer.contexts[record.head], head.context)
    assert_close(layer.parts.sum(0) + layer.b_output, layer.projected)
    assert_close(record.query.stream + layer.projected, layer.added)
    classified = prediction.pooled if prediction.activated is None else prediction.activated
    if name != "bare":
        assert_close(prediction.w_classifier @ classified + prediction.b_classifier, prediction.logits)
    if record.norm == "pre":
        assert_close(normalised(record.query.stream, "attention"), record.query.read)
        assert_close(normalised(layer.before, "feedforward"), layer.read)
        assert_close(layer.before + layer.feedforward, layer.output)
        assert_close(layer.normed, layer.added)
    else:
        assert_close(normalised(layer.added, "attention"), layer.normed)
        assert_close(normalised(layer.before + layer.feedforward, "feedforward"), layer.output)
    if name == "cross":
        assert_close(normalised(record.key.stream, "source"), record.key.read)
    if "final" in norms and record.pooling != "mean":
        assert_close(normalised(prediction.streams[-1], "final"), prediction.pooled)
    if "embedding" in record.norms and name not in KINDS:
        normed = normalised(record.query.sum, "embedding")
        assert_close(normed, record.query.embedded)
    if changes != "everything":  # no score is edited
        reachable = np.isfinite(head.masked)
        scores = (head.scaled + (0 if head.bias is None else head.bias)) / (2 if changes == "everywhere" else 1)
        assert_close(head.masked[reachable], scores[reachable])
    assert (record.unchanged is None) == (changes == "original")


@pytest.mark.parametrize("name", [*CONFIGURATIONS, *KINDS])
def test_without_the_changes_it_is_the_original(name):
    original, changed = inside_record(name), inside_record(name, EVERYTHING)
    assert_close(changed.unchanged.weights, original.of_head.weights)
    assert_close(changed.unchanged.context, original.of_head.context)
    assert changed.unchanged.entropy == pytest.approx(original.of_head.entropy)
    before = dict(zip(changed.prediction.labels, changed.unchanged.probabilities, strict=True))
    for label, probability in zip(original.prediction.labels, original.prediction.probabilities, strict=True):
        assert before[label] == pytest.approx(probability, abs=1e-6)
    assert changed.prediction.position == original.prediction.position
    assert len(changed.unchanged.logits) == len(changed.prediction.labels)
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


def test_only_the_window_is_included(monkeypatch):
    """Of 15 tokens and a window of 4, the key 1 is in the first, and the key 8 in that from 6 on."""
    checkpoint, encoding = classifier("pre")
    whole = inside(checkpoint, encoding, Selected("self", 1, 0, 1, 8))
    monkeypatch.setattr(steps, "WINDOW", 4)
    for key, start in ((1, 0), (8, 6)):
        record, rows = inside(checkpoint, encoding, Selected("self", 1, 0, 1, key)), slice(start, start + 4)
        assert record.of_head.start == start
        assert_close(record.of_head.keys, whole.of_head.keys[rows])
        assert_close(record.of_head.values, whole.of_head.values[rows])
        assert_close(record.window, whole.window[rows])


def test_sizes_by_hand():
    """Two texts of six characters; [CLS], and [SEP] twice."""
    record, checkpoint = inside_record("pre"), classifier("pre")[0]
    sizes = {"L": 2, "H": 2, "G": 2, "Q": 15, "K": 15, "E": 8, "D": 8, "d": 4, "F": 16, "C": 2}
    whole = {"vocabulary": checkpoint.text_encoder.vocabulary, "parameters": checkpoint.model.config.parameters()}
    assert record.sizes == sizes | whole
    checkpoint, translated = translation()
    S, T = len(translated.source.ids), len(translated.target.ids)
    sizes = inside_record("cross").sizes
    assert (sizes["Q"], sizes["K"], sizes["S"], sizes["T"], sizes["E"]) == (T, S, S, T, 16) and S != T
    assert inside_record("narrow").sizes["E"] == 4


@pytest.mark.parametrize(
    "name, expected",
    [
        ("post", ("self", "post", "relu", "learned", "cls")),
        ("mean", ("self", "pre", "gelu", "learned", "mean")),
        ("sinusoidal", ("self", "pre", "gelu", "sinusoidal", "cls")),
        ("turning", ("self", "pre", "gelu", "rotary", "mean")),
        ("next", ("causal", "pre", "gelu_tanh", "learned", "last")),
        ("cross", ("cross", "pre", "gelu", "learned", None)),
    ],
)
def test_a_record_says_what_model_and_head_it_is_of(name, expected):
    record = inside_record(name, layer=1, head=1)
    assert (record.kind, record.norm, record.activation, record.positions, record.pooling) == expected
    assert (record.layer, record.head, record.query.index, record.key.index) == (1, 1, 1, 1)


def test_a_prediction_has_the_temperature_and_the_threshold_of_the_model():
    prediction = inside_record("pre").prediction
    assert (prediction.temperature, prediction.threshold) == (2.0, 0.4)
    probability = 1 / (1 + np.exp(-np.diff(prediction.logits)[0] / 2))
    assert prediction.probabilities[1] == pytest.approx(probability, abs=1e-6)
    assert prediction.predicted == (probability >= 0.4) and prediction.all_classes == 2
    assert inside_record("hidden").prediction.temperature is inside_record("cross").prediction.temperature is None
    assert inside_record("bare").prediction.predicted == -1


@pytest.mark.parametrize("name", ["next", "cross"])
def test_the_classes_of_a_model_that_writes_are_its_likeliest_tokens(name):
    checkpoint, prediction = (translation() if name in KINDS else classifier(name))[0], inside_record(name).prediction
    tokens = [checkpoint.text_encoder.token(i) for i in range(checkpoint.text_encoder.vocabulary)]
    assert prediction.all_classes == len(tokens) and set(prediction.labels) <= set(tokens)
    assert prediction.probabilities.tolist() == sorted(prediction.probabilities, reverse=True)
    assert prediction.predicted == 0


@pytest.mark.parametrize("changes, passes", [(None, 1), (EVERYTHING, 2)])
@pytest.mark.parametrize(
    "follow, inputs, kind, layers",
    [(inside, lambda: classifier("pre"), "self", 2), (inside_translation, translation, "cross", 4)],
)
def test_it_can_be_ended_before_each_pass_and_each_layer(follow, inputs, kind, layers, changes, passes):
    calls = []
    follow(*inputs(), Selected(kind, 0, 0, 1, 1), changes, lambda: calls.append("pass"), lambda: calls.append("layer"))
    assert calls == ["pass", *["layer"] * layers] * passes


@pytest.mark.parametrize(
    "selected, key, values",
    [
        (Selected("cross", 0, 0, 0, 0), "inside.unknown_kind", {"kind": "cross"}),
        (Selected("self", 2, 0, 0, 0), "analysis.whatif_unknown_head", {"layer": 3, "head": 1}),
        (Selected("self", 0, -1, 0, 0), "analysis.whatif_unknown_head", {"layer": 1, "head": 0}),
        (Selected("self", 0, 0, 99, 0), "inside.unknown_token", {"position": 100, "tokens": 15}),
        (Selected("self", 0, 0, 0, -1), "inside.unknown_token", {"position": 0, "tokens": 15}),
    ],
)
def test_what_does_not_exist_is_refused(selected, key, values):
    with pytest.raises(Failure) as failure:
        inside(*classifier("pre"), selected)
    message = failure.value.message
    assert message.key == key and values.items() <= message.values.items()


def test_attention_without_queries_and_keys_is_refused():
    text = text_encoder("imdb")
    config = RecurrentConfig(vocabulary=text.vocabulary, max_tokens=16, width=8, reading="attention")
    with pytest.raises(Failure) as failure:
        inside(checkpoint_of(Recurrent(config).eval()), text.encode("good"), Selected("self", 0, 0, 0, 0))
    assert failure.value.message == Message("inside.no_projections", {"name": "imdb/tiny"})
