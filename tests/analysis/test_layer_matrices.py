"""The matrices of a layer give the numbers of its record, for every configuration that ships."""

import numpy as np
import pytest

from tests.analysis.test_inside import assert_close
from tests.explorer.inside_packets import (
    CONFIGURATIONS,
    ELSEWHERE,
    KINDS,
    classifier,
    first_kind,
    inside_record,
    translation,
)
from tests.steps import linear
from viz_core.analysis.inside.layer_matrices import layer_matrices
from viz_core.records import Failure, Message

BEFORE = ("unnormed_", "unrotated_", "")  # what the matrix gives is the first of these that a record has


@pytest.mark.parametrize("name", [*CONFIGURATIONS, *ELSEWHERE, *KINDS])
def test_each_number_is_a_row_times_what_is_read(name):
    checkpoint, kind = (translation() if name in KINDS else classifier(name))[0], first_kind(name)
    number, head = checkpoint.model.config.layers - 1, checkpoint.model.config.heads - 1
    record = inside_record(name, layer=number, head=head)
    layer, key = record.of_layer, record.key.index - record.of_head.start
    stages = [
        (getattr(record.of_head, f"{before}query"), getattr(record.of_head, f"{before}keys")) for before in BEFORE
    ]
    query, keys = next(vectors for vectors in stages if vectors[0] is not None)
    for step, projection, read, result in (
        ("query", "query", record.query.read, query),
        ("keys", "key", record.key.read, keys[key]),
        ("values", "value", record.key.read, record.of_head.values[key]),
    ):
        of_head = layer_matrices(checkpoint, kind, number, step, head)
        assert_close(linear(read, of_head[f"w_{projection}"], of_head[f"b_{projection}"]), result)
    projection = layer_matrices(checkpoint, kind, number, "projection")
    assert_close(linear(layer.contexts.ravel(), projection["w_output"], projection["b_output"]), layer.projected)
    feedforward = layer_matrices(checkpoint, kind, number, "feedforward")
    assert_close(linear(layer.read, feedforward["w_hidden"], feedforward["b_hidden"]), layer.hidden)
    output = linear(layer.activated, feedforward["w_feedforward"], feedforward["b_feedforward"])
    assert_close(output, layer.feedforward)
    assert np.abs(output).max() > 0.001


def test_what_is_outside_the_layers():
    steps = {"mapping": ("narrow", "mapping"), "classifier_hidden": ("hidden", "hidden")}
    matrices = {step: layer_matrices(classifier(name)[0], "self", 0, step) for step, (name, _) in steps.items()}
    token, prediction = inside_record("narrow").query, inside_record("hidden").prediction
    for step, read, result in (
        ("mapping", token.embedded, token.stem),
        ("classifier_hidden", prediction.pooled, prediction.hidden),
    ):
        _, part = steps[step]
        assert_close(linear(read, matrices[step][f"w_{part}"], matrices[step][f"b_{part}"]), result)
    for step, key in (("mapping", "inside.no_mapping"), ("classifier_hidden", "inside.no_hidden_classifier")):
        with pytest.raises(Failure) as failure:
            layer_matrices(classifier("pre")[0], "self", 0, step)
        assert failure.value.message == Message(key, {"name": "tiny"})


@pytest.mark.parametrize("kind, layer, message", [("cross", 0, "unknown_kind"), ("self", 9, "unknown_head")])
def test_a_layer_that_does_not_exist_is_refused(kind, layer, message):
    with pytest.raises(Failure, match=message):
        layer_matrices(classifier("pre")[0], kind, layer, "projection")


def test_a_head_that_does_not_exist_is_refused():
    with pytest.raises(Failure, match="unknown_head"):
        layer_matrices(classifier("pre")[0], "self", 0, "query", 9)
