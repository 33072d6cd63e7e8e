"""The what-if route: predictions under changes, and a message for changes that are not possible."""

import json
from functools import partial

import numpy as np
import pytest

from pages.routes.whatif import whatif
from tests.pages.routes import route_requests
from tests.pages.routes.route_requests import REQUEST
from tests.words import english, says
from viz_core import checkpoints
from viz_core.analysis.control import head_control
from viz_core.analysis.explain import explain
from viz_core.analysis.whatif import Changes, attention_row, head_effects, predict_with_changes
from viz_core.language import LANGUAGES

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


def test_effects_are_those_of_the_predicted_class_or_of_the_one_that_is_tracked():
    """Of two classes, what one gains the other loses."""
    predicted, first, last = (predict(effects=True, **tracked) for tracked in ({}, {"tracked": 0}, {"tracked": 1}))
    np.testing.assert_allclose(first["effects"], -np.array(last["effects"]), atol=1e-6)
    assert predicted["effects"] == (first, last)[predicted["predicted"]]["effects"]


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


def test_a_control_that_would_take_long_is_left_out_if_asked_so(monkeypatch):
    quick = predict(control="if_quick", masked=[[0, 0]])
    assert quick["control"] == predict(control=True, masked=[[0, 0]])["control"] and "slow" not in quick
    monkeypatch.setattr("viz_core.analysis.control.QUICK", 1)
    slow = predict(control="if_quick", masked=[[0, 0]])
    assert slow["slow"] is True and "control" not in slow and slow["probabilities"] == quick["probabilities"]
    assert "control" in predict(control=True, masked=[[0, 0]])


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
        {"tracked": "1"},
        {"tracked": True},
    ],
)
def test_invalid_changes_are_refused(changed):
    assert refusal_message(REQUEST | changed, 400) == english("whatif.request_unreadable")


@pytest.mark.parametrize(
    ("changed", "key", "values"),
    [
        ({"masked": [[2, 0]]}, "unknown_head", {"layer": 3, "head": 1}),
        ({"removed": [99]}, "unknown_token", {"position": 100}),
        ({"removed": [10**30]}, "unknown_token", {}),
        ({"row": [0, 0, 14]}, "unknown_token", {"position": 15}),
        ({"row": [9, 0, 0]}, "unknown_head", {"layer": 10, "head": 1}),
        ({"removed": [0]}, "special_token", {"token": "[CLS]", "position": 1}),
        ({"removed": [1, 2, 3, 4, 5]}, "all_removed", {}),
        ({"blocked": list(range(14))}, "all_blocked", {}),
        ({"rows": [[0, 0, 0, [1.0]]]}, "row_length", {"weights": 1}),
        ({"rows": [[0, 0, 0, [1.0] * 14]]}, "row_weights", {"total": "14"}),
        ({"rows": [[0, 0, 0, [float("nan")] * 14]]}, "row_weights", {"total": "nan"}),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_impossible_changes_are_refused_with_a_reason(changed, key, values, language):
    assert says(refusal_message(REQUEST | changed, 422, language), f"analysis.whatif_{key}", language, **values)
