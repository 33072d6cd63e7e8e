"""The route that returns weights to the explorer: exact weights, and a message for invalid requests."""

from functools import partial

import numpy as np
import pytest
from starlette.responses import Response

from pages.routes.heads import heads
from pages.shared import cache
from tests.pages.routes import route_requests
from tests.tiny_translation import SOURCE, save_translation
from tests.words import english, says
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.analysis.value_norms import value_norms, weigh_values
from viz_core.explorer.packed_weights import STEPS, pack_norms

REQUEST = route_requests.REQUEST | {"heads": [[1, 0]]}
post, refusal_message = partial(route_requests.post, heads), partial(route_requests.refusal_message, heads)

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


def weights(response: Response, rows: int = 0) -> np.ndarray:
    """rows: 0 for a square."""
    assert (response.status_code, response.media_type) == (200, "application/octet-stream")
    assert response.headers["cache-control"] == "no-store"
    high, low = np.frombuffer(response.body, np.uint8).reshape(2, -1).astype(float)
    return ((high * 256 + low) / STEPS).reshape(rows or int(high.size**0.5), -1)


def test_weights_are_exact_up_to_fixed_point():
    attention = explain(checkpoints.load("afqmc", "tiny"), *REQUEST["texts"]).attention
    np.testing.assert_allclose(weights(post(REQUEST)), attention[1, 0], atol=1 / STEPS)
    mean = post(REQUEST | {"heads": [[1, 0], [0, 1], [1, 0]]})
    np.testing.assert_allclose(weights(mean), (attention[1, 0] + attention[0, 1]) / 2, atol=1 / STEPS)


def test_an_explanation_evicted_from_the_cache_is_recomputed():
    before = post(REQUEST).body
    cache._explain_ours.cache_clear()
    assert post(REQUEST).body == before


@pytest.mark.parametrize("selected", [None, [0], [[0]], [[True, False]], [["0", "0"]], [[[0], [0]]]])
def test_invalid_heads_are_refused(selected):
    assert refusal_message(REQUEST | {"heads": selected}, 400) == english("pages.request_unreadable")


@pytest.mark.parametrize("selected", [[], [[2, 0]], [[0, 2]], [[-1, 0]], [[0, 0], [0, 10**9]]])
def test_heads_that_the_model_does_not_have_are_refused(selected):
    message = refusal_message(REQUEST | {"heads": selected}, 400)
    assert message == english("pages.request_unknown_head", layers=2, heads=2)


class TestTranslation:
    """The attention of a translation is computed again, with its changes."""

    @pytest.fixture(autouse=True)
    def model(self, checkpoints_dir):
        save_translation(checkpoints_dir)
        return checkpoints.load("tatoeba", "tiny")

    OUTPUTS = [5, 9, 7, 3]  # [SEP] last
    REQUEST = {
        "task": "tatoeba",
        "model": "tiny",
        "text": SOURCE,
        "outputs": OUTPUTS,
        "kind": "cross",
        "heads": [[1, 0]],
    }

    @pytest.mark.parametrize("kind", ["self", "causal", "cross"])
    def test_weights_of_each_kind(self, model, kind):
        attention = explain_translation(model, model.text_encoder.encode(SOURCE), self.OUTPUTS).attention[kind]
        rows = len(SOURCE) + 2 if kind == "self" else len(self.OUTPUTS)
        response = post({**self.REQUEST, "kind": kind})
        np.testing.assert_allclose(weights(response, rows), attention[1, 0], atol=1 / STEPS)

    def test_a_blocked_token_gets_no_weight_and_a_masked_head_gives_none(self):
        changed = weights(post({**self.REQUEST, "blocked": [3], "masked": [[0, 1]]}), 4)
        assert not changed[:, 3].any() and changed.sum(1) == pytest.approx(np.ones(4))
        assert not weights(post({**self.REQUEST, "masked": [[1, 0]]}), 4).any()

    def test_all_heads_of_a_translation_come_from_one_forward_pass(self, monkeypatch):
        passes = []

        def count(*arguments):
            passes.append(arguments)
            return explain_translation(*arguments)

        monkeypatch.setattr("pages.shared.cache.explain_translation", count)
        for head in ([0, 0], [1, 1]):
            post({**self.REQUEST, "heads": [head]})
        assert len(passes) == 1
        post({**self.REQUEST, "blocked": [3]})
        post({**self.REQUEST, "text": SOURCE[::-1]})
        assert len(passes) == 3

    @pytest.mark.parametrize(
        "field",
        [{"outputs": []}, {"outputs": [True]}, {"outputs": [-1]}, {"outputs": "ab"}, {"kind": "other"}, {"kind": None}]
        + [{"text": 5}, {"masked": [[0]]}, {"blocked": [-1]}, {"blocked": 3}, {"task": "afqmc"}],
    )
    def test_invalid_fields_are_refused(self, field):
        assert refusal_message(self.REQUEST | field, 400) == english("pages.request_unreadable")

    @pytest.mark.parametrize("field", [{"outputs": [5, 10**6]}, {"outputs": [5] * 99}, {"masked": [[9, 0]]}])
    def test_what_the_model_does_not_have_is_said(self, field):
        assert refusal_message(self.REQUEST | field, 422)


class TestNorms:
    """Value-weighted attention: all norms at once, then heads in steps of the largest."""

    def test_norms_of_a_text(self):
        checkpoint = checkpoints.load("afqmc", "tiny")
        explanation = explain(checkpoint, *REQUEST["texts"])
        norms = value_norms(checkpoint, explanation.encoding)
        fields = {name: value for name, value in REQUEST.items() if name != "heads"}
        assert post(fields | {"measure": "norms"}).body == pack_norms(explanation.attention, norms)
        weighted = weigh_values(explanation.attention, norms)[1, 0]
        np.testing.assert_allclose(
            weights(post(REQUEST | {"measure": "norms"})) * norms.max(), weighted, atol=norms.max() / STEPS
        )

    def test_norms_of_a_translation(self, checkpoints_dir):
        save_translation(checkpoints_dir)
        checkpoint, request = checkpoints.load("tatoeba", "tiny"), TestTranslation.REQUEST | {"measure": "norms"}
        source = checkpoint.text_encoder.encode(SOURCE)
        translation = explain_translation(checkpoint, source, TestTranslation.OUTPUTS)
        norms = translation.value_norms["cross"]
        expected = weigh_values(translation.attention["cross"], norms)[1, 0]
        np.testing.assert_allclose(weights(post(request), 4) * norms.max(), expected, atol=norms.max() / STEPS)

    def test_a_model_without_output_projection_is_refused(self, monkeypatch):
        monkeypatch.delattr("viz_core.models.encoder.Encoder.output_projections")
        cache._value_norms.cache_clear()
        assert says(refusal_message(REQUEST | {"measure": "norms"}, 422), "analysis.no_value_norms")

    @pytest.mark.parametrize("fields", [{"measure": "other"}, {"measure": None}, {"measure": ["norms"]}])
    def test_other_measures_are_refused(self, fields):
        assert refusal_message(REQUEST | fields, 400) == english("pages.request_unreadable")
