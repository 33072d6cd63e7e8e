"""The what-if route: predictions under changes, and a message for changes that are not possible."""

import json
from functools import partial

import numpy as np
import pytest

from pages.routes.whatif import whatif
from tests.pages.routes import route_requests
from tests.pages.routes.route_requests import REQUEST
from viz_core import checkpoints
from viz_core.analysis.control import head_control
from viz_core.analysis.explain import explain
from viz_core.analysis.whatif import Changes, attention_row, head_effects, predict_with_changes

ROW = [0.5, 0.5] + [0.0] * 12
post, refusal_message = partial(route_requests.post, whatif), partial(route_requests.refusal_message, whatif)

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


def predict(**changes) -> dict:
    response = post(REQUEST | changes)
    assert (response.status_code, response.media_type, response.headers["cache-control"]) == (
        200,
        "application/json",
        "no-store",
    )
    return json.loads(response.body)


@pytest.fixture
def model():
    return checkpoints.load("afqmc", "tiny")


def test_without_changes_the_prediction_is_the_original(model):
    before = explain(model, *REQUEST["texts"])
    assert set(result := predict()) == {"original", "probabilities", "predicted"}
    np.testing.assert_allclose(result["original"], before.probabilities)
    np.testing.assert_allclose(result["probabilities"], before.probabilities, atol=1e-6)
    assert result["predicted"] == before.predicted


def test_changes_and_requested_results_agree_with_the_analysis(model):
    encoding = model.text_encoder.encode(*REQUEST["texts"])
    changes = Changes(
        frozenset([(0, 1)]),
        frozenset([(1, 0)]),
        {(1, 1, 0): np.array(ROW)},
        frozenset([2]),
        frozenset([3]),
        frozenset([0]),
    )
    result = predict(
        masked=[[0, 1]],
        uniform=[[1, 0]],
        rows=[[1, 1, 0, ROW]],
        removed=[2],
        unknown=[3],
        blocked=[0],
        row=[1, 1, 4],
        control=True,
        effects=True,
    )
    np.testing.assert_allclose(result["probabilities"], predict_with_changes(model, encoding, [changes])[0], atol=1e-6)
    np.testing.assert_allclose(result["row"], attention_row(model, encoding, changes, (1, 1, 4)), atol=2e-6)
    np.testing.assert_allclose(result["effects"], head_effects(model, encoding), atol=1e-6)
    control = head_control(model, encoding, changes)
    assert (result["control"]["heads"], result["control"]["draws"]) == (2, len(control.draws))
    assert result["control"]["mean"] == pytest.approx(control.mean, abs=1e-6)
    assert result["control"]["verdict"] == control.verdict


def test_the_prediction_uses_the_models_threshold():
    """0.4, where the likelier class alone would need one half."""
    outcomes = {
        (result["predicted"], result["probabilities"][1] >= 0.4)
        for result in (
            predict(masked=[[layer, head] for layer in range(2) for head in heads], removed=removed)
            for heads in ([], [0], [1], [0, 1])
            for removed in ([], [1], [8])
        )
    }
    assert outcomes <= {(0, False), (1, True)} and outcomes


def test_without_a_changed_head_there_is_no_control():
    assert predict(control=True, removed=[1])["control"] is None


@pytest.mark.parametrize(
    "changed",
    [
        {"masked": 1},
        {"masked": [0]},
        {"masked": [[0]]},
        {"masked": [[True, 0]]},
        {"uniform": [[0, 0, 0]]},
        {"uniform": {}},
        {"removed": [1.5]},
        {"removed": [[1]]},
        {"unknown": ["1"]},
        {"blocked": None},
        {"rows": [[0, 0, ROW]]},
        {"rows": [[0, 0, 0, 1.0]]},
        {"rows": [[0, 0, 0, ["1"]]]},
        {"rows": [[0, 0, 0, [[1]]]]},
        {"rows": [[]]},
        {"rows": [1]},
        {"rows": [[0, 0, 0, [10**400]]]},
        {"row": [0, 0]},
        {"row": "1.1"},
        {"row": [0, 0, False]},
    ],
)
def test_invalid_changes_are_refused(changed):
    assert "must be a JSON object" in refusal_message(REQUEST | changed, 400)


@pytest.mark.parametrize(
    ("changed", "english", "chinese"),
    [
        ({"masked": [[2, 0]]}, "There is no head 3.1", "没有第 3 层第 1 头"),
        ({"removed": [99]}, "There is no token 100", "100"),
        ({"removed": [10**30]}, "There is no token", "没有第"),
        ({"row": [0, 0, 14]}, "There is no token 15", "15"),
        ({"row": [9, 0, 0]}, "There is no head 10.1", "第 10 层"),
        ({"removed": [0]}, "[CLS] (token 1) is part of", "[CLS]"),
        ({"removed": [1, 2, 3, 4, 5]}, "must stay", "至少"),
        ({"blocked": list(range(14))}, "unblock", "放开"),
        ({"rows": [[0, 0, 0, [1.0]]]}, "has 1 weights", "1 个权重"),
        ({"rows": [[0, 0, 0, [1.0] * 14]]}, "sum to 14", "总和是 14"),
        ({"rows": [[0, 0, 0, [float("nan")] * 14]]}, "sum to nan", "nan"),
    ],
)
def test_impossible_changes_are_refused_with_a_reason(changed, english, chinese):
    assert english in refusal_message(REQUEST | changed, 422)
    assert chinese in refusal_message(REQUEST | changed, 422, "zh-CN")
