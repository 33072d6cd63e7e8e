"""The five methods on an encoder with results computed by hand, and their guarantees on others."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.toy import CLS, SEP, input_of, toy
from tests.tiny import encoder
from viz_core import checkpoints
from viz_core.analysis.attribution.integrated_gradients import MAX_STEPS, integrated_gradients
from viz_core.analysis.attribution.methods import (
    METHODS,
    attributions,
    gradient_attention,
    leave_one_out,
    no_token_matters,
    rollout,
)
from viz_core.analysis.attribution.removal import log_odds
from viz_core.analysis.explain import explain, input_tensors
from viz_core.models.protocol import on_weights
from viz_core.records import Attribution, Encoding

INPUT = input_of([CLS, 5, 6, SEP])
NUMBERS = {5: 2.0, 6: -1.0}


def random_input(seed: int, tokens: int) -> Encoding:
    random = np.random.default_rng(seed)
    ids = [CLS, *random.integers(4, 30, tokens).tolist(), SEP, *random.integers(4, 30, tokens).tolist(), SEP]
    return input_of(ids, [0] * (tokens + 2) + [1] * (tokens + 1))


class TestLeaveOneOut:
    def test_by_hand(self):
        """The mean number is 1/4; without 2 it is −1/3, without −1 it is 2/3."""
        result = leave_one_out(toy(NUMBERS), INPUT, target=1)
        assert result == pytest.approx([0, 1 / 4 + 1 / 3, 1 / 4 - 2 / 3, 0])

    def test_the_other_class_has_the_other_sign(self):
        pair = random_input(0, 4)
        first, second = (leave_one_out(encoder(), pair, target) for target in (0, 1))
        assert first == pytest.approx(-second, abs=1e-5) and np.abs(first).max() > 0.01


class TestIntegratedGradients:
    @pytest.mark.parametrize(
        ("attend", "pooling", "shares"),
        [(True, "cls", [0, 0.5, -0.25, 0]), (True, "mean", [0, 1, -0.5, 0]), (False, "mean", [0, 0.5, -0.25, 0])],
    )
    def test_by_hand(self, attend, pooling, shares):
        """Linear contributions are exact: each token's number over the four tokens, as often as it is added."""
        result = integrated_gradients(toy(NUMBERS, pooling, attend), INPUT, target=1)
        assert result.values == pytest.approx(shares) and result.difference == pytest.approx(sum(shares))
        assert result.gap == pytest.approx(0, abs=1e-6) and result.steps == 32

    def test_the_baseline_is_padding(self):
        result = integrated_gradients(toy({**NUMBERS, 0: 1.0}), INPUT, target=1)
        assert result.values == pytest.approx([0, (2 - 1) / 4, (-1 - 1) / 4, 0])

    @settings(max_examples=12)
    @given(st.integers(0, 50), st.integers(1, 5), st.sampled_from(["cls", "mean"]), st.booleans())
    def test_completeness(self, seed, tokens, pooling, overlap):
        """The values add up to the difference, within 1% unless it is close to 0."""
        pair = random_input(seed, tokens)
        model = encoder(seed, pooling=pooling, overlap=overlap, norm="post", activation="gelu")
        result = integrated_gradients(model, pair, target=1, steps=64)
        assert result.values.sum() == pytest.approx(result.difference, rel=0.01, abs=0.01)
        assert result.values[pair.special] == pytest.approx(0)

    def test_steps_are_doubled_until_the_values_add_up(self, monkeypatch):
        pair = random_input(1, 5)
        module = "viz_core.analysis.attribution.integrated_gradients"
        monkeypatch.setattr(f"{module}.TOLERANCE", 1e-3)
        result = integrated_gradients(encoder(), pair, target=1, steps=2)
        assert 2 < result.steps < MAX_STEPS and result.gap < 1e-3
        monkeypatch.setattr(f"{module}.TOLERANCE", 1e-12)
        monkeypatch.setattr(f"{module}.MAX_STEPS", 16)
        assert integrated_gradients(encoder(), pair, target=1, steps=4).steps == 16

    def test_it_equals_captums_layer_attribution_of_the_embeddings(self):
        from captum.attr import LayerIntegratedGradients

        model, pair = encoder(), random_input(3, 4)
        result = integrated_gradients(model, pair, target=1)
        layer = LayerIntegratedGradients(lambda *inputs: log_odds(model(*inputs).logits, 1), model.embedding)
        both = torch.from_numpy(np.stack([pair.ids, np.where(pair.special, pair.ids, 0)]))
        expected = layer.attribute(
            both[:1],
            both[1:],
            n_steps=result.steps,
            additional_forward_args=(
                torch.from_numpy(pair.segments)[None],
                torch.ones(1, len(pair.ids), dtype=torch.bool),
            ),
        )
        assert result.values == pytest.approx(expected[0].sum(-1).detach().numpy(), abs=1e-5)


class TestGradientAttention:
    def test_by_hand(self):
        """All weights are 1/4, and the gradient in the row of [CLS] is the number of the key: 2/4, clipped at 0."""
        assert gradient_attention(toy(NUMBERS), INPUT, target=1) == pytest.approx([0, 0.5, 0, 0])
        assert gradient_attention(toy(NUMBERS), INPUT, target=0) == pytest.approx([0, 0, 0.25, 0])

    def test_with_mean_pooling_all_rows_count(self):
        assert gradient_attention(toy(NUMBERS, "mean"), INPUT, target=1) == pytest.approx([0, 0.5 / 4, 0, 0])

    def test_relevance_accumulates_from_the_first_layer(self):
        """R = I + Ā1 + Ā2 + Ā2 Ā1, with the gradients by finite differences."""
        model, pair = encoder(), random_input(2, 2)
        inputs = input_tensors(pair)

        def score(layer, cell, step):
            def move(number, attention):
                moved = attention.clone()
                moved[0][cell] += step * (number == layer)
                return moved

            with torch.no_grad():
                return float(log_odds(model(*inputs, hook=on_weights(move)).logits, 1)[0])

        with torch.no_grad():
            attention = model(*inputs, need_attention=True).own[:, 0].numpy()
        slopes = np.zeros_like(attention)
        for layer, *cell in np.ndindex(attention.shape):
            slopes[layer][tuple(cell)] = (score(layer, tuple(cell), 0.01) - score(layer, tuple(cell), -0.01)) / 0.02
        first, second = np.maximum(slopes * attention, 0).mean(1)
        expected = (first + second + second @ first)[0]
        result = gradient_attention(model, pair, target=1)
        assert result == pytest.approx(expected, abs=0.02 * float(expected.max()))


@pytest.mark.parametrize(
    ("task", "texts"), [("imdb", ("not a good film",)), ("afqmc", ("花呗怎么还款", "花呗如何还钱"))]
)
def test_all_methods_score_the_same_tokens(checkpoints_dir, task, texts):
    checkpoint = checkpoints.load(task, "tiny")
    explanation = explain(checkpoint, *texts)
    results = attributions(checkpoint, explanation)
    assert tuple(result.method for result in results) == METHODS
    assert [result.signed for result in results] == [True, True, False, False, False]
    for result in results:
        assert len(result.labels) == len(result.values) == len(result.groups) == len(explanation.encoding.tokens)
        assert result.target == explanation.labels[explanation.predicted] and not result.values.flags.writeable
        assert result.signed or (result.values >= 0).all()
        special, segments = explanation.encoding.special, explanation.encoding.segments
        assert (result.groups[special] == -1).all() and (result.groups[~special] == segments[~special]).all()
    by_name = {result.method: result for result in results}
    assert by_name["rollout"].values == pytest.approx(rollout(explanation.attention)[0])
    assert by_name["attention"].values == pytest.approx(explanation.attention[-1].mean(0)[0])
    assert not no_token_matters(results)
    assert by_name["attention"].steps is None and by_name["integrated_gradients"].gap < 0.05


class TestOneClassAgainstAnother:
    MODEL = encoder(3, classes=4)
    PAIR = random_input(2, 4)

    def test_the_other_way_round_signed_values_have_the_other_sign(self):
        for method in (
            lambda one, other: leave_one_out(self.MODEL, self.PAIR, one, against=other),
            lambda one, other: integrated_gradients(self.MODEL, self.PAIR, one, against=other).values,
        ):
            values = method(2, 0)
            assert method(0, 2) == pytest.approx(-values, abs=1e-5) and np.abs(values).max() > 0.01

    def test_removals_are_differences_of_two_logits(self):
        """What speaks for 2 rather than 0 is what speaks for 2 rather than 1, and for 1 rather than 0."""
        parts = (leave_one_out(self.MODEL, self.PAIR, *pair[:1], against=pair[1]) for pair in ((2, 1), (1, 0)))
        assert leave_one_out(self.MODEL, self.PAIR, 2, against=0) == pytest.approx(sum(parts), abs=1e-5)

    def test_of_two_classes_it_is_the_same(self):
        model = encoder(3)
        for method in (leave_one_out, gradient_attention):
            plain = method(model, self.PAIR, 1)
            assert method(model, self.PAIR, 1, against=0) == pytest.approx(plain, abs=1e-5)

    def test_integrated_gradients_add_up_to_the_difference_of_the_logits(self):
        result = integrated_gradients(self.MODEL, self.PAIR, 2, 256, against=0)
        assert result.values.sum() == pytest.approx(result.difference, rel=0.01, abs=0.01)


def test_no_token_matters_if_removal_hardly_changes_the_log_odds():
    removal = Attribution("leave_one_out", ("a", "b"), np.zeros(2, int), np.array([0.009, -0.002]), "positive", True)
    assert no_token_matters([removal]) and not no_token_matters([replace(removal, values=np.array([0.0, -0.02]))])


def test_concurrent_visitors_get_the_same_values_and_leave_the_model_unchanged():
    model = encoder(layers=3)
    inputs = [random_input(seed, 5 + seed % 2) for seed in range(8)]

    def attribute(pair):
        return np.stack(
            [
                integrated_gradients(model, pair, target=1).values,
                gradient_attention(model, pair, target=1),
                leave_one_out(model, pair, target=1),
            ]
        )

    alone = [attribute(pair) for pair in inputs]
    with ThreadPoolExecutor(2) as visitors:
        together = list(visitors.map(attribute, inputs * 3))
    for values, expected in zip(together, alone * 3, strict=True):
        assert values == pytest.approx(expected, abs=1e-6)
    assert all(parameter.grad is None for parameter in model.parameters()) and not model.training
    assert not any(
        module._forward_hooks or module._forward_pre_hooks or module._backward_hooks for module in model.modules()
    )
    assert type(model.embedding).__name__ == "Embedding"
