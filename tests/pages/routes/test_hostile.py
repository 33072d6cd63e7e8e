"""Whatever is posted, every route responds with a result or with a sentence, never with an error of the server."""

import asyncio
import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pages.routes.explain import explain
from pages.routes.heads import heads
from pages.routes.inside import inside_head
from pages.routes.matrices import matrices
from pages.routes.streams import JSON
from pages.routes.translate import translate
from pages.routes.whatif import whatif
from tests.pages.routes.route_requests import post
from tests.pages.routes.test_translate import read, split
from tests.tiny_translation import SOURCE, save_translation

INPUT = {"task": "afqmc", "model": "tiny", "texts": ["花呗怎么还", "借呗如何还款"]}
TRANSLATION = {"task": "tatoeba", "model": "tiny", "text": SOURCE}
WEIGHT = {"language": "en", "layer": 0, "head": 1, "query": 2, "key": 1}
CHANGES = {"temperature": 0.5, "masked": [3], "scores": [[2, 1, 0.5]], "causal": True, "values": 2, "everywhere": True}
REQUESTS = [
    (inside_head, INPUT | WEIGHT | {"changes": CHANGES}),
    (
        inside_head,
        {"task": "tatoeba", "model": "tiny", "texts": [SOURCE], "outputs": [5, 9, 3], "kind": "cross"} | WEIGHT,
    ),
    (matrices, {"task": "afqmc", "model": "tiny", "kind": "self", "layer": 0, "step": "feedforward"}),
    (explain, INPUT | {"language": "en", "selection": {"head": "1.1"}, "visit": "a"}),
    (heads, INPUT | {"heads": [[1, 0]]}),
    (heads, TRANSLATION | {"outputs": [3, 4], "kind": "cross", "heads": [[0, 0]], "masked": [[0, 1]], "blocked": [1]}),
    (whatif, INPUT | {"removed": [1], "masked": [[0, 0]], "row": [0, 0, 1], "control": True, "effects": True}),
    (whatif, INPUT | {"rows": [[0, 0, 1, [1.0] + [0.0] * 13]], "blocked": [2], "unknown": [3], "deleted": [4]}),
    (translate, TRANSLATION | {"language": "en", "decoding": {"method": "sample", "temperature": 1.0, "seed": 1}}),
    (translate, TRANSLATION | {"language": "en", "reference": "we go", "fed": [[0, 3]], "blocked": [1]}),
]
HOSTILE = [10**4300 - 1, -(10**30), 1e308, float("nan"), float("inf"), "\ud800", "\0", "../..", "runs/..", "9" * 5000]
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(), max_size=8))
    | st.sampled_from([*HOSTILE, "tatoeba", "afqmc", "imdb", "tiny", "cross", 0, 1]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=6,
)

pytestmark = pytest.mark.usefixtures("both_models")


@pytest.fixture
def both_models(checkpoints_dir):
    save_translation(checkpoints_dir, end=3.0)


@st.composite
def changed_requests(draw):
    """A valid request of a route with something else in one or two places, however deep."""
    route, request = draw(st.sampled_from(REQUESTS))
    for _ in range(draw(st.integers(1, 2))):
        request = draw(variations(request))
    return route, request


def variations(value):
    """Values that differ from this one in a single place."""
    match value:
        case dict() if value:
            return st.one_of(
                VALUES,
                *(variations(inner).map(lambda new, name=name: {**value, name: new}) for name, inner in value.items()),
            )
        case list() if value:
            return st.one_of(
                VALUES,
                *(
                    variations(inner).map(lambda new, at=at: [*value[:at], new, *value[at + 1 :]])
                    for at, inner in enumerate(value)
                ),
            )
    return VALUES


def assert_understandable(response) -> None:
    """The response is a result, or a refusal in a sentence; so is each frame of a stream."""
    assert response.status_code in (200, 400, 404, 413, 422)
    if response.status_code != 200:
        assert json.loads(response.body)["error"]
    elif hasattr(response, "body_iterator"):
        frames = [json.loads(content) for kind, content in split(asyncio.run(read(response))) if kind == JSON]
        assert "end" in frames[-1] or frames[-1]["error"]


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(changed_requests())
@example((whatif, INPUT | {"removed": [10**4300 - 1]}))
@example((explain, {**INPUT, "task": "tatoeba", "language": "en"}))
@example((whatif, {**INPUT, "task": "tatoeba"}))
@example((translate, TRANSLATION | {"language": "en", "decoding": {"temperature": 1e400}}))
@example((translate, TRANSLATION | {"language": "en", "decoding": {"temperature": float("nan")}}))
@example((translate, TRANSLATION | {"language": "en", "blocked": [10**30], "fed": [[10**30, 1]]}))
def test_nothing_that_is_posted_is_an_error_of_the_server(posted):
    route, request = posted
    assert_understandable(post(route, request))


@pytest.mark.parametrize("route", [explain, heads, inside_head, matrices, translate, whatif])
@pytest.mark.parametrize(
    "body",
    [
        b'{"removed": [1' + b"0" * 4299 + b"]}",
        b'{"texts": ' + b"[" * 200_000,
        b'{"a":' * 100_000,
        b'{"texts": ["a", "\\ud800"], "task": "\\ud800", "model": "\\ud800"}',
        b"\xff\xfe" + "{}".encode("utf-16-le"),
        b"NaN",
        b"-" + b"9" * 10_000,
    ],
)
def test_hostile_json_is_refused_in_a_sentence(route, body):
    response = post(route, body)
    assert response.status_code in (400, 404) and json.loads(response.body)["error"]
