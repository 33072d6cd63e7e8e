"""The route that returns a head's computation: the bytes, changes, and a message for what is not possible."""

import gzip
import json
from functools import partial

import numpy as np
import pytest

from pages.routes.inside import inside_head, read_changes, write_changes
from tests.pages.routes import route_requests
from tests.tiny_translation import SOURCE, save_translation
from tests.words import chinese, english, says
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.analysis.inside import passes
from viz_core.analysis.inside.head_changes import HeadChanges

REQUEST = route_requests.REQUEST | {"language": "en", "layer": 1, "head": 0, "query": 0, "key": 2}
post, refusal_message = partial(route_requests.post, inside_head), partial(route_requests.refusal_message, inside_head)

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


def record(**fields: object) -> tuple[dict, dict[str, np.ndarray]]:
    """The header and the arrays of a response."""
    response = post({**REQUEST, **fields})
    assert (response.status_code, response.headers["content-encoding"]) == (200, "gzip"), response.body
    packed = gzip.decompress(response.body)
    length = int.from_bytes(packed[:4], "little")
    header, numbers = json.loads(packed[4 : 4 + length]), np.frombuffer(packed[4 + length :], "<f4")
    arrays = {
        name: numbers[start : start + int(np.prod(shape))].reshape(shape)
        for name, (start, shape) in header["arrays"].items()
    }
    return header, arrays


def test_the_weights_are_those_of_the_explanation():
    header, arrays = record()
    explanation = explain(checkpoints.load("afqmc", "tiny"), *REQUEST["texts"])
    np.testing.assert_allclose(arrays["head.weights"], explanation.attention[1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(arrays["prediction.probabilities"], explanation.probabilities, atol=1e-6)
    assert header["sides"]["key"]["labels"] == [
        explanation.encoding.label(i) for i in range(len(arrays["head.weights"]))
    ]
    assert (header["prediction"]["predicted"], header["unchanged"]) == (explanation.predicted, None)
    assert header["prediction"]["labels"] == [english(f"rendering.label_{label}") for label in ("different", "same")]


def test_a_change_is_carried_to_the_probabilities():
    _, before = record()
    header, after = record(changes={"masked": [2], "unscaled": True, "values": 3})
    assert after["head.weights"][2] == 0 and after["head.masked"][2] == -np.inf
    assert not np.allclose(after["prediction.probabilities"], before["prediction.probabilities"], atol=1e-4)
    np.testing.assert_array_equal(after["unchanged.probabilities"], before["prediction.probabilities"])
    assert header["unchanged"]["entropy"] > 0


def test_a_layer_is_recorded_once_for_all_its_heads_queries_and_keys(monkeypatch):
    """A change is a pass of its own; what it is compared with is not."""
    original, runs = passes.record, []
    monkeypatch.setattr(passes, "record", lambda *arguments: runs.append(1) or original(*arguments))
    texts = ["花呗怎么还", "借呗怎么还"]
    for fields, expected in (
        ({}, 1),
        ({"head": 1, "query": 3, "key": 4}, 1),
        ({"window": True, "key": 5}, 1),
        ({"changes": {"unscaled": True}}, 2),
        ({"layer": 0}, 3),
        ({"texts": texts[::-1]}, 4),
        ({}, 4),
    ):
        record(**{"texts": texts, **fields})
        assert len(runs) == expected, fields


def test_the_window_is_sent_by_itself():
    header, arrays = record(window=True)
    labels, parts = record()
    assert list(header) == ["arrays"] and list(arrays) == ["window.stream"] and "window.stream" not in parts
    assert len(arrays["window.stream"]) == labels["sizes"]["K"]
    np.testing.assert_allclose(arrays["window.stream"][2], parts["key.stream"], atol=1e-6)


@pytest.mark.parametrize("kind", ["self", "causal", "cross"])
def test_each_attention_of_a_translation(kind, checkpoints_dir):
    save_translation(checkpoints_dir, end=3)
    fields = {"task": "tatoeba", "texts": [SOURCE], "kind": kind, "key": 0}
    header, arrays = record(**fields)
    assert header["kinds"] == ["self", "causal", "cross"] and header["kind"] == kind
    sides = header["sides"]["query"]["tokens"], header["sides"]["key"]["tokens"]
    assert (header["sizes"]["Q"], header["sizes"]["K"]) == sides and len(arrays["head.weights"]) == sides[1]
    assert (sides[0] == sides[1]) == (kind != "cross") and len(header["prediction"]["labels"]) == 8
    given, _ = record(**fields, outputs=[5, 9, 3])
    assert given["sides"]["query" if kind != "self" else "key"]["tokens"] == (3 if kind != "self" else sides[1])
    assert says(refusal_message({**REQUEST, **fields, "outputs": [10**6]}, 422), "translation.unknown_word", position=1)


@pytest.mark.parametrize(
    "fields, key, values",
    [
        ({"query": 99}, "inside.unknown_token", {"position": 100}),
        ({"layer": 7}, "analysis.whatif_unknown_head", {"layer": 8, "head": 1}),
        ({"kind": "cross"}, "inside.unknown_kind", {"kind": "cross"}),
        ({"texts": ["", ""]}, "text.blank", {}),
        ({"changes": {"temperature": 0}}, "inside.temperature", {"value": 0, "low": 0.05, "high": 20}),
        ({"changes": {"masked": list(range(14))}}, "inside.no_key_left", {"position": 1}),
    ],
)
def test_what_is_not_possible_is_said_in_a_sentence(fields, key, values):
    assert says(refusal_message(REQUEST | fields, 422), key, **values)


@pytest.mark.parametrize(
    "fields",
    [
        {"layer": "1"},
        {"query": 1.5},
        {"kind": []},
        {"language": "xx"},
        {"texts": "text"},
        {"changes": []},
        {"changes": {"scores": [[0, 1]]}},
        {"changes": {"temperature": "1"}},
        {"changes": {"causal": 1}},
        {"changes": {"masked": [True]}},
    ],
)
def test_invalid_requests_are_refused(fields):
    assert refusal_message(REQUEST | fields, 400) == english("inside.request_unreadable")
    assert refusal_message(REQUEST | fields, 400, language="zh-CN") == chinese("inside.request_unreadable")


def test_a_model_that_does_not_exist_is_refused():
    assert refusal_message(REQUEST | {"model": "none"}, 404)


def test_changes_are_read_as_they_are_written():
    changes = HeadChanges(True, {(0, 1): -2.5}, 0.5, frozenset([3, 1]), True, 2.0, True)
    fields = write_changes(changes)
    assert read_changes(json.loads(json.dumps(fields))) == changes
    assert fields["masked"] == [1, 3] and write_changes(HeadChanges()) == {}
