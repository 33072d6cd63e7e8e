"""The weights that the explorer fetches: what is asked for is answered exactly, anything else with a sentence."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from starlette.responses import Response

from pages.routes.heads import heads
from tests.pages.routes import asking
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.explorer.packing import STEPS

ASKED = asking.ASKED | {"heads": [[1, 0]]}
answered, refused = partial(asking.answered, heads), partial(asking.refused, heads)

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


def weights(response: Response) -> np.ndarray:
    assert (response.status_code, response.media_type) == (200, "application/octet-stream")
    assert response.headers["cache-control"] == "no-store"
    high, low = np.frombuffer(response.body, np.uint8).reshape(2, -1).astype(float)
    return ((high * 256 + low) / STEPS).reshape(int(high.size**0.5), -1)


def test_heads_are_the_models_own_to_a_step():
    attention = explain(checkpoints.load("afqmc", "tiny"), *ASKED["texts"]).attention
    np.testing.assert_allclose(weights(answered(ASKED)), attention[1, 0], atol=1 / STEPS)
    mean = answered(ASKED | {"heads": [[1, 0], [0, 1], [1, 0]]})
    np.testing.assert_allclose(weights(mean), (attention[1, 0] + attention[0, 1]) / 2, atol=1 / STEPS)


def test_an_explanation_that_was_dropped_is_computed_again():
    import streamlit as st

    before = answered(ASKED).body
    st.cache_resource.clear()
    assert answered(ASKED).body == before


@pytest.mark.parametrize("chosen", [None, [0], [[0]], [[True, False]], [["0", "0"]], [[[0], [0]]]])
def test_what_are_no_heads_is_refused(chosen):
    assert "must be a JSON object" in refused(ASKED | {"heads": chosen}, 400)


@pytest.mark.parametrize("chosen", [[], [[2, 0]], [[0, 2]], [[-1, 0]], [[0, 0], [0, 10**9]]])
def test_heads_that_the_model_does_not_have(chosen):
    assert refused(ASKED | {"heads": chosen}, 400).startswith("This model has 2 layers with 2 heads")
