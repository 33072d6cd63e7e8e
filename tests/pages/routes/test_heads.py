"""The route that returns weights to the explorer: exact weights, and a message for invalid requests."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from starlette.responses import Response

from pages.routes.heads import heads
from pages.shared import cache
from tests.pages.routes import route_requests
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.explorer.packed_weights import STEPS

REQUEST = route_requests.REQUEST | {"heads": [[1, 0]]}
post, refusal_message = partial(route_requests.post, heads), partial(route_requests.refusal_message, heads)

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


def weights(response: Response) -> np.ndarray:
    assert (response.status_code, response.media_type) == (200, "application/octet-stream")
    assert response.headers["cache-control"] == "no-store"
    high, low = np.frombuffer(response.body, np.uint8).reshape(2, -1).astype(float)
    return ((high * 256 + low) / STEPS).reshape(int(high.size**0.5), -1)


def test_weights_are_exact_up_to_fixed_point():
    attention = explain(checkpoints.load("afqmc", "tiny"), *REQUEST["texts"]).attention
    np.testing.assert_allclose(weights(post(REQUEST)), attention[1, 0], atol=1 / STEPS)
    mean = post(REQUEST | {"heads": [[1, 0], [0, 1], [1, 0]]})
    np.testing.assert_allclose(weights(mean), (attention[1, 0] + attention[0, 1]) / 2, atol=1 / STEPS)


def test_an_explanation_evicted_from_the_cache_is_recomputed():
    before = post(REQUEST).body
    cache._explain.cache_clear()
    assert post(REQUEST).body == before


@pytest.mark.parametrize("selected", [None, [0], [[0]], [[True, False]], [["0", "0"]], [[[0], [0]]]])
def test_invalid_heads_are_refused(selected):
    assert "must be a JSON object" in refusal_message(REQUEST | {"heads": selected}, 400)


@pytest.mark.parametrize("selected", [[], [[2, 0]], [[0, 2]], [[-1, 0]], [[0, 0], [0, 10**9]]])
def test_heads_that_the_model_does_not_have_are_refused(selected):
    assert refusal_message(REQUEST | {"heads": selected}, 400).startswith("This model has 2 layers with 2 heads")
