"""The answers that the laboratory fetches: the model's own, and a sentence for whatever cannot be."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest
from starlette.requests import Request
from starlette.responses import Response

from pages.shared import interventions, requests
from viz_core import checkpoints
from viz_core.analysis.control import head_control
from viz_core.analysis.explain import explain
from viz_core.analysis.intervention import Intervention, all_heads, found_row, intervene

ASKED = {"task": "afqmc", "model": "tiny", "texts": ["花呗怎么还", "借呗如何还款"]}  # [CLS] 5 [SEP] 6 [SEP]
ROW = [0.5, 0.5] + [0.0] * 12

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


@pytest.fixture(autouse=True)
def fresh_caches():
    import streamlit as st

    st.cache_resource.clear()


def answered(body: bytes | dict, language: str = "en") -> Response:
    body = body if isinstance(body, bytes) else json.dumps(body).encode()

    async def receive() -> dict:
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [(b"accept-language", language.encode())]
    return asyncio.run(interventions.interventions(Request({"type": "http", "method": "POST", "headers": headers}, receive)))


def found(**changes) -> dict:
    response = answered(ASKED | changes)
    assert (response.status_code, response.media_type, response.headers["cache-control"]) == (
        200, "application/json", "no-store")
    return json.loads(response.body)


def refused(body: bytes | dict, status: int, language: str = "en") -> str:
    response = answered(body, language)
    assert response.status_code == status and set(json.loads(response.body)) == {"error"}
    return json.loads(response.body)["error"]


@pytest.fixture
def model():
    return checkpoints.load("afqmc", "tiny")


def test_nothing_asked_for_is_the_answer_as_it_is(model):
    before = explain(model, *ASKED["texts"])
    assert set(answer := found()) == {"original", "probabilities", "answer"}
    np.testing.assert_allclose(answer["original"], before.probabilities)
    np.testing.assert_allclose(answer["probabilities"], before.probabilities, atol=1e-6)
    assert answer["answer"] == before.predicted


def test_every_change_and_every_wish_is_answered_by_the_analysis(model):
    encoding = model.text.encode(*ASKED["texts"])
    one = Intervention(frozenset([(0, 1)]), frozenset([(1, 0)]), {(1, 1, 0): np.array(ROW)}, frozenset([2]), frozenset([3]),
                       frozenset([0]))
    answer = found(masked=[[0, 1]], uniform=[[1, 0]], rows=[[1, 1, 0, ROW]], removed=[2], unknown=[3], blocked=[0],
                   row=[1, 1, 4], control=True, effects=True)
    np.testing.assert_allclose(answer["probabilities"], intervene(model, encoding, [one])[0], atol=1e-6)
    np.testing.assert_allclose(answer["row"], found_row(model, encoding, one, (1, 1, 4)), atol=2e-6)
    np.testing.assert_allclose(answer["effects"], all_heads(model, encoding), atol=1e-6)
    control = head_control(model, encoding, one)
    assert (answer["control"]["heads"], answer["control"]["draws"]) == (2, len(control.draws))
    assert answer["control"]["mean"] == pytest.approx(control.mean, abs=1e-6)
    assert answer["control"]["verdict"] == control.verdict


def test_the_answer_is_decided_by_the_models_threshold():
    """0.4, where the likelier class alone would need one half."""
    seen = {(answer["answer"], answer["probabilities"][1] >= 0.4) for answer in (
        found(masked=[[layer, head] for layer in range(2) for head in heads], removed=removed)
        for heads in ([], [0], [1], [0, 1]) for removed in ([], [1], [8]))}
    assert seen <= {(0, False), (1, True)} and seen


def test_without_a_changed_head_there_is_no_control():
    assert found(control=True, removed=[1])["control"] is None


@pytest.mark.parametrize("changed", [
    {"task": 1}, {"model": None}, {"texts": "花呗"}, {"texts": []}, {"texts": ["a", 1]}, {"masked": 1}, {"masked": [0]},
    {"masked": [[0]]}, {"masked": [[True, 0]]}, {"uniform": [[0, 0, 0]]}, {"uniform": {}}, {"removed": [1.5]},
    {"removed": [[1]]}, {"unknown": ["1"]}, {"blocked": None},
    {"rows": [[0, 0, ROW]]}, {"rows": [[0, 0, 0, 1.0]]}, {"rows": [[0, 0, 0, ["1"]]]},
    {"rows": [[0, 0, 0, [[1]]]]}, {"rows": [[]]}, {"rows": [1]}, {"row": [0, 0]}, {"row": "1.1"}, {"row": [0, 0, False]}])
def test_what_is_no_request_is_refused(changed):
    assert "must be a JSON object" in refused(ASKED | changed, 400)


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b"\xff", b"null", b"[]", b"{}",
                                  json.dumps(ASKED | {"rows": [[0, 0, 0, [10**400]]]}).encode()])
def test_what_is_no_json_object_is_refused(body):
    assert "必须是" in refused(body, 400, "zh")


@pytest.mark.parametrize(("changed", "english", "chinese"), [
    ({"masked": [[2, 0]]}, "There is no head 3.1", "没有第 3 层第 1 头"), ({"removed": [99]}, "There is no token 100", "100"),
    ({"removed": [10**30]}, "There is no token", "没有第"),
    ({"row": [0, 0, 14]}, "There is no token 15", "15"), ({"row": [9, 0, 0]}, "There is no head 10.1", "第 10 层"),
    ({"removed": [0]}, "[CLS] (token 1) belongs to", "[CLS]"), ({"removed": [1, 2, 3, 4, 5]}, "must stay", "至少"),
    ({"blocked": list(range(14))}, "unblock", "放开"), ({"rows": [[0, 0, 0, [1.0]]]}, "has 1 weights", "1 个权重"),
    ({"rows": [[0, 0, 0, [1.0] * 14]]}, "sum to 14", "总和是 14"),
    ({"rows": [[0, 0, 0, [float("nan")] * 14]]}, "sum to nan", "nan"),
    ({"texts": ["花呗", " "]}, "Sentence 2 is empty", "第 2 句")])
def test_what_cannot_be_gets_its_sentence(changed, english, chinese):
    assert english in refused(ASKED | changed, 422)
    assert chinese in refused(ASKED | changed, 422, "zh-CN")


def test_a_model_that_is_not_there():
    assert refused(ASKED | {"model": "large"}, 404) == "There is no such model for this task."
    assert refused(ASKED | {"task": "../x"}, 404) == "There is no such model for this task."


def test_a_request_without_end_is_cut_off():
    assert str(requests.MAX_BYTES) in refused(b" " * (requests.MAX_BYTES + 1), 413)
