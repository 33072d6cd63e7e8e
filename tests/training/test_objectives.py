"""What is learned from a batch."""

from __future__ import annotations

import math

import torch

from tests.tiny import batch, encoder
from viz_core.text.tokenizer import SPECIAL, UNK
from viz_core.training import objectives
from viz_core.training.objectives import MaskedTokens, classification_loss, drop_words


def test_dropped_words_become_unknown_and_special_tokens_stay():
    torch.manual_seed(0)
    ids = torch.tensor([[2, *range(4, 104), 3, 0, 0]]).expand(50, -1)
    dropped = drop_words(ids, 0.3)
    changed = dropped != ids
    assert (dropped[changed] == UNK).all()
    assert not changed[ids < len(SPECIAL)].any()
    assert 0.28 < changed[ids >= len(SPECIAL)].float().mean() < 0.32
    assert drop_words(ids, 0) is ids


def test_classification_loss_of_an_undecided_model_is_ln_2():
    model, (ids, segments, mask) = encoder(), batch(5, 9)
    with torch.no_grad():
        model.classifier.weight.zero_()
        model.classifier.bias.zero_()
    loss = classification_loss(model, ids, segments, mask, torch.tensor([0, 1]), word_dropout=0.0, label_smoothing=0.1)
    torch.testing.assert_close(loss.item(), math.log(2), atol=1e-6, rtol=0)


def test_only_content_is_masked_and_only_masked_tokens_are_guessed(monkeypatch):
    """With everything masked, each of the three content tokens is guessed among the six ids of the batch."""
    monkeypatch.setattr(objectives, "MASKED", 1.0)
    ids = torch.tensor([[2, 5, 6, 3, 0], [2, 7, 3, 0, 0]])
    model, seen = encoder(), []
    objective = MaskedTokens(model)
    with torch.no_grad():  # every candidate is equally likely
        objective.transform[2].weight.zero_()
        objective.transform[2].bias.zero_()
    encode = model.encode
    monkeypatch.setattr(model, "encode", lambda shown, *rest: seen.append(shown) or encode(shown, *rest))
    torch.manual_seed(0)
    loss = objective.loss(ids, torch.zeros_like(ids), ids != 0)
    torch.testing.assert_close(loss.item(), math.log(6), atol=1e-6, rtol=0)
    special = ids < len(SPECIAL)
    assert (seen[0][special] == ids[special]).all()
    assert set(seen[0][~special].tolist()) <= {UNK, 5, 6, 7}


def test_at_least_one_token_is_masked(monkeypatch):
    monkeypatch.setattr(objectives, "MASKED", 0.0)
    ids = torch.tensor([[2, 5, 3]])
    loss = MaskedTokens(encoder()).loss(ids, torch.zeros_like(ids), ids != 0)
    assert torch.isfinite(loss)


def test_pretraining_reaches_the_embeddings_and_every_layer():
    torch.manual_seed(0)
    model = encoder()
    MaskedTokens(model).loss(*batch(9, 16, 16)).backward()
    assert model.embedding.token.weight.grad.any()
    assert all(layer.attention.query.weight.grad.any() for layer in model.layers)
