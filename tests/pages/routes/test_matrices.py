"""The route that returns the matrices of a layer."""

import gzip
import json
from functools import partial

import numpy as np
import pytest

from pages.routes.matrices import matrices
from tests.pages.routes import route_requests
from tests.words import english
from viz_core import checkpoints

REQUEST = {"task": "afqmc", "model": "tiny", "kind": "self", "layer": 1, "head": 0, "step": "feedforward"}
post, refusal_message = partial(route_requests.post, matrices), partial(route_requests.refusal_message, matrices)

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


def test_the_matrices_are_those_of_the_model():
    response = post(REQUEST)
    assert (response.status_code, response.headers["content-encoding"]) == (200, "gzip"), response.body
    packed = gzip.decompress(response.body)
    length = int.from_bytes(packed[:4], "little")
    placed, numbers = json.loads(packed[4 : 4 + length])["arrays"], np.frombuffer(packed[4 + length :], "<f4")
    feedforward = checkpoints.load("afqmc", "tiny").model.layers[1].feedforward
    for name, parameter in (("w_hidden", feedforward[0].weight), ("b_feedforward", feedforward[3].bias)):
        start, shape = placed[name]
        expected = parameter.detach().numpy()
        np.testing.assert_array_equal(numbers[start : start + expected.size].reshape(shape), expected)


@pytest.mark.parametrize(
    "fields", [{"layer": True}, {"head": True}, {"layer": "0"}, {"step": "w"}, {"kind": None}, {"model": 1}]
)
def test_invalid_requests_are_refused(fields):
    assert refusal_message(REQUEST | fields, 400) == english("inside.matrices_unreadable")


@pytest.mark.parametrize("fields, status", [({"layer": 7}, 422), ({"kind": "cross"}, 422), ({"model": "none"}, 404)])
def test_what_does_not_exist_is_said_in_a_sentence(fields, status):
    assert refusal_message(REQUEST | fields, status)
