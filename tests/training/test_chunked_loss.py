"""The loss over a vocabulary in parts is that of torch in one, with its gradients."""

import pytest
import torch
import torch.nn.functional as F

from viz_core.training import chunked_loss
from viz_core.training.chunked_loss import ChunkedLoss


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("rows", [1, 3, 100])
def test_loss_and_gradients_are_those_of_torch(monkeypatch, rows, smoothing):
    monkeypatch.setattr(chunked_loss, "ROWS", rows)
    generator = torch.Generator().manual_seed(0)
    x, weight = (torch.randn(n, 5, generator=generator, dtype=torch.double).requires_grad_() for n in (7, 11))
    labels, counts = torch.randint(0, 11, (7,), generator=generator), torch.tensor([1, 0, 2, 1, 1, 3, 0])
    logits = F.linear(x, weight)
    labels[0] = logits[0].argmax()
    loss, correct = ChunkedLoss.apply(x, weight, labels, counts, smoothing)
    expected = (F.cross_entropy(logits, labels, reduction="none", label_smoothing=smoothing) * counts).sum()
    assert loss.item() == pytest.approx(expected.item(), rel=1e-6)
    assert correct.item() == ((logits.argmax(-1) == labels) * counts).sum().item() >= 1
    for got, wanted in zip(
        torch.autograd.grad(3 * loss, (x, weight)), torch.autograd.grad(3 * expected, (x, weight)), strict=True
    ):
        assert got.numpy() == pytest.approx(wanted.numpy(), rel=1e-5, abs=1e-6)


def test_in_bf16_it_is_as_close_as_torch_in_bf16():
    generator = torch.Generator().manual_seed(0)
    x, weight = torch.randn(40, 16, generator=generator), torch.randn(30, 16, generator=generator)
    labels, counts = torch.randint(0, 30, (40,), generator=generator), torch.ones(40)
    exact = F.cross_entropy(F.linear(x, weight), labels, reduction="sum").item()
    with torch.autocast("cpu", torch.bfloat16):
        loss, _ = ChunkedLoss.apply(x, weight, labels, counts, 0.0)
    assert loss.dtype == torch.float32 and loss.item() == pytest.approx(exact, rel=0.01)
