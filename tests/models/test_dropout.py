"""Dropout on a CPU: share, scale, independence, gradient, dtype."""

import pytest
import torch

from viz_core.models.dropout import Dropout


def dropout_of_ones(p: float, *shape: int, seed: int = 0) -> torch.Tensor:
    torch.manual_seed(seed)
    return Dropout(p)(torch.ones(*shape))


@pytest.mark.parametrize("p", [0.05, 0.3, 0.5, 0.9])
def test_the_share_that_is_dropped_and_the_scale_of_the_rest(p):
    result = dropout_of_ones(p, 400, 1000)
    share = (result == 0).double().mean().item()
    assert share == pytest.approx(p, abs=5 * (p * (1 - p) / result.numel()) ** 0.5)  # five standard deviations
    rest = result[result != 0]
    assert (rest == rest[0]).all() and rest[0].item() == pytest.approx(1 / (1 - p), rel=1e-3)


def test_each_16_bits_of_a_random_number_decide_for_an_element(monkeypatch):
    """p = 1/4 drops the 16,384 lowest of the values from -32,768 to 32,767, and the rest is scaled by 4/3."""
    bits = torch.tensor([-32_768, -16_385, -16_384, 32_767], dtype=torch.int16)
    monkeypatch.setattr(torch.Tensor, "random_", lambda numbers, low, high: numbers.copy_(bits.view(torch.int64)))
    assert Dropout(0.25)(torch.ones(4)).tolist() == pytest.approx([0, 0, 4 / 3, 4 / 3])


def test_the_four_elements_of_a_random_number_are_independent():
    lanes = (dropout_of_ones(0.5, 400_000).view(-1, 4) == 0).double()
    torch.testing.assert_close(lanes.mean(0), torch.full((4,), 0.5, dtype=torch.double), atol=0.01, rtol=0)
    correlation = torch.corrcoef(torch.cat([lanes[:-1], lanes[1:]], dim=1).T)
    assert (correlation - torch.eye(8, dtype=torch.double)).abs().max() < 0.02


@pytest.mark.parametrize("shape", [(1,), (3,), (2, 3), (5, 7, 3)])
def test_any_shape_is_possible_and_reproducible_with_the_seed(shape):
    first, same = dropout_of_ones(0.5, *shape), dropout_of_ones(0.5, *shape)
    assert first.shape == shape and torch.equal(first, same)
    assert not torch.equal(dropout_of_ones(0.5, 64), dropout_of_ones(0.5, 64, seed=1))


def test_the_gradient_is_dropped_and_scaled_like_the_value():
    x = torch.ones(1000, requires_grad=True)
    torch.manual_seed(0)
    result = Dropout(0.3)(x)
    result.sum().backward()
    torch.testing.assert_close(x.grad, result.detach())


def test_nothing_is_dropped_in_eval_mode_or_with_p_0_and_everything_with_p_1():
    x = torch.randn(100)
    assert torch.equal(Dropout(0.5).eval()(x), x) and torch.equal(Dropout(0.0)(x), x)
    assert (Dropout(1.0)(x) == 0).all()


def test_half_precision_stays_half():
    assert Dropout(0.5)(torch.ones(8, dtype=torch.bfloat16)).dtype == torch.bfloat16
