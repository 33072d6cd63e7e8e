"""The weights that the explorer fetches: what is asked for is answered exactly, anything else with a sentence."""

from __future__ import annotations

import asyncio
import json
import shutil

import numpy as np
import pytest
from starlette.requests import Request
from starlette.responses import Response

from pages.shared import heads, requests
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.explorer.packing import STEPS

ASKED = {"task": "afqmc", "model": "tiny", "texts": ["花呗怎么还", "借呗如何还款"], "heads": [[1, 0]]}

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


@pytest.fixture(autouse=True)
def fresh_caches():
    import streamlit as st

    st.cache_resource.clear()


def answered(body: bytes | dict, language: str = "en-GB,en;q=0.9") -> Response:
    """The endpoint's answer to a request that arrives in two pieces."""
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    pieces = [{"type": "http.request", "body": body[:50], "more_body": True},
              {"type": "http.request", "body": body[50:], "more_body": False}]

    async def receive() -> dict:
        return pieces.pop(0)

    headers = [(b"accept-language", language.encode())]
    return asyncio.run(heads.heads(Request({"type": "http", "method": "POST", "headers": headers}, receive)))


def refused(body: bytes | dict, status: int, language: str = "en-GB,en;q=0.9") -> str:
    response = answered(body, language)
    assert (response.status_code, response.media_type) == (status, "application/json")
    found = json.loads(response.body)
    assert set(found) == {"error"}
    return found["error"]


def weights(response: Response) -> np.ndarray:
    assert (response.status_code, response.media_type) == (200, "application/octet-stream")
    assert response.headers["cache-control"] == "no-store"
    high, low = np.frombuffer(response.body, np.uint8).reshape(2, -1).astype(float)
    return ((high * 256 + low) / STEPS).reshape(int(high.size ** 0.5), -1)


def test_heads_are_the_models_own_to_a_step():
    attention = explain(checkpoints.load("afqmc", "tiny"), *ASKED["texts"]).attention
    np.testing.assert_allclose(weights(answered(ASKED)), attention[1, 0], atol=1 / STEPS)
    mean = answered(ASKED | {"heads": [[1, 0], [0, 1], [1, 0]]})
    np.testing.assert_allclose(weights(mean), (attention[1, 0] + attention[0, 1]) / 2, atol=1 / STEPS)


def test_an_explanation_that_was_dropped_is_computed_again(fresh_caches):
    import streamlit as st

    before = answered(ASKED).body
    st.cache_resource.clear()
    assert answered(ASKED).body == before


@pytest.mark.parametrize("body", [
    b"", b"{", b"[" * 100_000, b"\xff", b"null", {}, ASKED | {"task": 1}, ASKED | {"texts": "花呗"}, ASKED | {"texts": []},
    ASKED | {"texts": ["花"] * 3}, ASKED | {"texts": [None, "a"]}, ASKED | {"heads": None}, ASKED | {"heads": [0]},
    ASKED | {"heads": [[0]]}, ASKED | {"heads": [[True, False]]}, ASKED | {"heads": [["0", "0"]]}, ASKED | {"heads": [[[0], [0]]]}])
def test_what_is_no_request_is_refused(body):
    assert "must be a JSON object" in refused(body, 400)


@pytest.mark.parametrize("chosen", [[], [[2, 0]], [[0, 2]], [[-1, 0]], [[0, 0], [0, 10**9]]])
def test_heads_that_the_model_does_not_have(chosen):
    assert refused(ASKED | {"heads": chosen}, 400).startswith("This model has 2 layers with 2 heads")


@pytest.mark.parametrize("changed", [
    {"model": "large"}, {"model": "../afqmc/tiny"}, {"model": "\ud800"}, {"task": "imdb", "model": "other"},
    {"task": "../x"}])
def test_models_that_are_not_there(changed):
    assert refused(ASKED | changed, 404) == "There is no such model for this task."


@pytest.mark.parametrize(("texts", "english", "chinese"), [
    (["花呗"], "compares two sentences", "句子"), (["花呗", " "], "Sentence 2 is empty", "第 2 句"),
    (["花呗", "\ud800"], "half of a character", "字符")])
def test_texts_that_cannot_be_read_get_their_sentence(texts, english, chinese):
    assert english in refused(ASKED | {"texts": texts}, 422)
    assert chinese in refused(ASKED | {"texts": texts}, 422, "zh-CN,zh;q=0.9,en;q=0.8")


def test_a_model_that_is_damaged_is_named(checkpoints_dir):
    shutil.rmtree(checkpoints_dir / "imdb")
    (checkpoints_dir / "afqmc/tiny/model.safetensors").write_bytes(b"not weights")
    assert "afqmc/tiny" in refused(ASKED, 422)


def test_a_request_without_end_is_cut_off():
    assert str(requests.MAX_BYTES) in refused(b" " * (requests.MAX_BYTES + 1), 413)
