"""The losses of classification and of masked-token pre-training, worked out by hand."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.fx.experimental import _config as tracing

from tests.tiny import batch, config, encoder
from viz_core.models.encoder import Encoder
from viz_core.text.building import SPECIAL, UNK
from viz_core.training import objectives
from viz_core.training.batches import Batch
from viz_core.training.objectives import Classification, MaskedTokens, balanced_weights, divergence, drop_words


def labelled_batch(labels=(0, 1), lengths=(5, 9), targets=None) -> Batch:
    return Batch(*batch(*lengths), torch.tensor(labels), torch.ones(len(labels)), targets)


def logits(model: nn.Module, examples: Batch) -> torch.Tensor:
    return model(examples.ids, examples.segments, examples.mask).logits


def pretraining_batch(ids: torch.Tensor, counts=None) -> Batch:
    counts = torch.ones(len(ids)) if counts is None else torch.tensor(counts)
    labels = torch.full((len(ids),), -1)
    return Batch(ids, torch.zeros_like(ids), ids != 0, labels, counts, candidates=ids.unique())


def on_meta(labels: torch.Tensor, targets: torch.Tensor | None = None) -> Batch:
    """A batch of shapes without values."""
    ids, segments, mask = batch(5, 9)
    tensors = (ids, segments, mask, labels, torch.ones(2), targets, ids.unique())
    return Batch(*(None if tensor is None else tensor.to("meta") for tensor in tensors))


@pytest.mark.parametrize(
    "build, targets",
    [
        (Classification, None),
        (Classification, torch.ones(2, 2)),
        (lambda model: Classification(model, class_weights=torch.ones(2)), None),
        (lambda model: Classification(model, r_drop=1.0, label_smoothing=0.1), None),
        (lambda model: Classification(model, word_dropout=0.1), None),
        (MaskedTokens, None),
    ],
    ids=["labels", "targets", "class weights", "R-Drop", "dropout on words", "masked tokens"],
)
def test_objectives_run_on_the_meta_device(build, targets):
    """No shape depends on values, and no tensor is on another device. Only MaskedTokens has to know the number of its
    positions: on the meta device all of them are predicted."""
    model = Encoder(config(dropout=0.1, attention_dropout=0.1, stem="convolution", overlap=True, pooling="mean"))
    objective = build(model).to("meta").train()
    with tracing.patch(meta_nonzero_assume_all_nonzero=isinstance(objective, MaskedTokens)):
        sums = objective(on_meta(torch.tensor([0, 1]), targets))
        (sums.loss / sums.weight).backward()
    assert all(part.device.type == "meta" and part.shape == () for part in sums)
    assert all(layer.attention.query.weight.grad is not None for layer in model.layers)


def test_dropped_words_become_unk_and_special_tokens_stay():
    torch.manual_seed(0)
    ids = torch.tensor([[2, *range(4, 104), 3, 0, 0]]).expand(50, -1)
    dropped = drop_words(ids, 0.3)
    changed = dropped != ids
    assert (dropped[changed] == UNK).all()
    assert not changed[ids < len(SPECIAL)].any()
    assert 0.28 < changed[ids >= len(SPECIAL)].float().mean() < 0.32
    assert drop_words(ids, 0) is ids


def test_classification_loss_of_an_undecided_model_is_ln_2():
    model = encoder()
    with torch.no_grad():
        model.classifier.weight.zero_()
        model.classifier.bias.zero_()
    sums = Classification(model, label_smoothing=0.1)(labelled_batch())
    torch.testing.assert_close(sums.loss.item(), 2 * math.log(2), atol=1e-6, rtol=0)
    assert (sums.weight.item(), sums.predictions.item()) == (2, 2)


def test_targets_are_learned_instead_of_labels():
    """-(0.7 ln p0 + 0.3 ln p1); a target with probability 1 gives the loss of its label."""
    model, examples = encoder(), labelled_batch()
    p = logits(model, examples).log_softmax(1)
    soft = labelled_batch(targets=torch.tensor([[0.7, 0.3], [0.0, 1.0]]))
    torch.testing.assert_close(Classification(model)(soft).loss, -(0.7 * p[0, 0] + 0.3 * p[0, 1] + p[1, 1]))


def test_divergence_by_hand():
    """(KL(p‖q) + KL(q‖p)) / 2 of p = (1/2, 1/2) and q = (1/4, 3/4)."""
    p, q = torch.tensor([[0.0, 0.0]]), torch.tensor([[0.25, 0.75]]).log()
    by_hand = (0.5 * math.log(2) + 0.5 * math.log(2 / 3) + 0.25 * math.log(0.5) + 0.75 * math.log(1.5)) / 2
    assert divergence(p, q).tolist() == pytest.approx([by_hand])
    assert divergence(q, p).tolist() == pytest.approx([by_hand]) and divergence(p, p) == 0


def test_r_drop_adds_the_divergence_of_two_passes():
    """Without dropout both passes are the same, and r_drop changes nothing."""
    examples, plain, model = labelled_batch(), encoder(dropout=0.0), encoder(dropout=0.5).train()
    torch.testing.assert_close(Classification(plain, r_drop=3.0)(examples).loss, Classification(plain)(examples).loss)
    torch.manual_seed(0)
    doubled = (torch.cat([part, part]) for part in (examples.ids, examples.segments, examples.mask))
    passes = model(*doubled).logits.chunk(2)
    losses = [F.cross_entropy(scores, examples.labels, reduction="sum") for scores in passes]
    torch.manual_seed(0)
    loss = Classification(model, r_drop=3.0)(examples).loss
    torch.testing.assert_close(loss, sum(losses) / 2 + 3 * divergence(*passes).sum())


def test_correct_predictions_are_counted():
    model, examples = encoder(), labelled_batch()
    predictions = logits(model, examples).argmax(1)
    assert Classification(model)(labelled_batch(predictions.tolist())).correct == 2
    assert Classification(model)(labelled_batch((1 - predictions).tolist())).correct == 0


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_mean_is_that_of_torch_with_and_without_class_weights(smoothing):
    model, examples = encoder(), labelled_batch((0, 1, 1), lengths=(5, 9, 7))
    scores = logits(model, examples)
    for weights in (None, torch.tensor([0.75, 1.5])):
        sums = Classification(model, label_smoothing=smoothing, class_weights=weights)(examples)
        expected = F.cross_entropy(scores, examples.labels, weights, label_smoothing=smoothing)
        torch.testing.assert_close(sums.loss / sums.weight, expected)


def test_class_weights_by_hand():
    """Three rows of class 0 and one of class 1: 4/(2·3) and 4/(2·1), so that each class has a total weight of 2."""
    torch.testing.assert_close(balanced_weights(np.array([0, 1, 0, 0]), 2), torch.tensor([2 / 3, 2.0]))
    assert balanced_weights(np.array([1, 1]), 2).tolist() == [0.0, 0.5], "a class that does not occur has no weight"


def test_loss_with_class_weights_by_hand():
    """Logits 0 and b = ln 3: the losses are ln(1 + e^b) = ln 4 and ln(1 + e^-b) = ln(4/3), the second weighted by 3."""
    model = encoder()
    with torch.no_grad():
        model.classifier.weight.zero_()
        model.classifier.bias.copy_(torch.tensor([0.0, math.log(3)]))
    sums = Classification(model, class_weights=torch.tensor([1.0, 3.0]))(labelled_batch())
    torch.testing.assert_close(sums.loss.item(), math.log(4) + 3 * math.log(4 / 3), atol=1e-5, rtol=0)
    assert sums.weight.item() == 4


def test_a_row_with_count_0_changes_nothing():
    model, alone = Classification(encoder()), labelled_batch((0,), lengths=(9,))
    parts = (alone.ids, alone.segments, alone.mask, alone.labels)
    beside = Batch(*(torch.cat([part, part]) for part in parts), torch.tensor([1.0, 0.0]))
    for expected, actual in zip(model(alone), model(beside), strict=True):
        torch.testing.assert_close(actual, expected)


def test_a_row_with_count_0_changes_nothing_in_pretraining_either(monkeypatch):
    monkeypatch.setattr(objectives, "MASKED", 1.0)
    ids = torch.tensor([[2, 5, 6, 3], [2, 5, 6, 3]])
    assert MaskedTokens(encoder())(pretraining_batch(ids, [1.0, 0.0])).weight == 2


def test_only_content_tokens_are_masked_and_only_masked_tokens_are_predicted(monkeypatch):
    """With everything masked, each of the three content tokens is predicted among the six ids of the batch."""
    monkeypatch.setattr(objectives, "MASKED", 1.0)
    ids = torch.tensor([[2, 5, 6, 3, 0], [2, 7, 3, 0, 0]])
    model, inputs = encoder(), []
    objective = MaskedTokens(model)
    with torch.no_grad():  # every candidate is equally likely
        objective.transform[2].weight.zero_()
        objective.transform[2].bias.zero_()
    encode = model.encode
    monkeypatch.setattr(model, "encode", lambda ids, *rest: inputs.append(ids) or encode(ids, *rest))
    torch.manual_seed(0)
    sums = objective(pretraining_batch(ids))
    torch.testing.assert_close(sums.loss.item() / 3, math.log(6), atol=1e-6, rtol=0)
    assert (sums.weight.item(), sums.predictions.item(), sums.correct.item()) == (
        3,
        3,
        0,
    )  # [PAD] is first among equals
    with torch.no_grad():
        objective.bias.weight[5] = 1.0
    assert objective(pretraining_batch(ids)).correct == 1
    special = ids < len(SPECIAL)
    assert (inputs[0][special] == ids[special]).all()
    assert set(inputs[0][~special].tolist()) <= {UNK, 5, 6, 7}


def test_at_least_one_token_is_masked(monkeypatch):
    monkeypatch.setattr(objectives, "MASKED", 0.0)
    sums = MaskedTokens(encoder())(pretraining_batch(torch.tensor([[2, 5, 3]])))
    assert torch.isfinite(sums.loss) and sums.weight == 1


def test_pretraining_reaches_the_embeddings_and_every_layer():
    torch.manual_seed(0)
    model = encoder()
    MaskedTokens(model)(pretraining_batch(batch(9, 16, 16)[0])).loss.backward()
    assert model.embedding.token.weight.grad.any()
    assert all(layer.attention.query.weight.grad.any() for layer in model.layers)
