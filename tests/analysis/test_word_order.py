"""Random orders and removed positions: a toy whose prediction is known, and the equivariance of attention."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.tiny import encoder, text_encoder
from viz_core import checkpoints
from viz_core.analysis.evaluation import word_order
from viz_core.analysis.evaluation.word_order import WITHOUT_POSITIONS, order_accuracy, order_effects, random_order
from viz_core.analysis.explain import encode, input_tensors
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.records import ORDERS, Examples, Failure, Message, Metrics
from viz_core.tasks import get_task


def test_an_order_moves_tokens_within_their_sentence_and_keeps_special_ones():
    ids, segments = np.array([2, 10, 11, 12, 3, 20, 21, 3]), np.array([0, 0, 0, 0, 0, 1, 1, 1])
    orders = {tuple(random_order(ids < 4, segments, np.random.default_rng(seed))) for seed in range(60)}
    assert all(order[0] == 0 and order[4] == 4 and order[7] == 7 for order in orders)
    assert {tuple(sorted(order[1:4])) for order in orders} == {(1, 2, 3)}
    assert {order[1:4] for order in orders} == {(1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1)}
    assert {order[5:7] for order in orders} == {(5, 6), (6, 5)}


@pytest.mark.parametrize("positions", ["learned", "sinusoidal"])
def test_without_positions_the_embedding_is_that_of_the_token(positions):
    model = encoder(positions=positions, norm="post", pooling="mean")
    ids = torch.tensor([[2, 10, 11, 3]])
    inputs = ids, torch.zeros_like(ids), torch.ones_like(ids, dtype=torch.bool)
    expected = model.embedding.token(ids) + model.embedding.segment(torch.zeros_like(ids))
    torch.testing.assert_close(model.embed(*inputs, WITHOUT_POSITIONS), expected)
    before = model(*inputs).logits
    assert not torch.equal(before, model(*inputs, hook=WITHOUT_POSITIONS).logits)
    assert torch.equal(before, model(*inputs).logits), "the model itself stays as it is"


@pytest.fixture
def checkpoint(checkpoints_dir):
    """The tiny model for reviews, with positions large enough to matter."""
    loaded = checkpoints.load("imdb", "tiny")
    with torch.no_grad():
        loaded.model.embedding.position.weight.mul_(30)
    return loaded


def test_attention_without_positions_computes_the_same_in_every_order(checkpoint):
    """Permutation equivariance: [CLS] reads a set of tokens."""
    encoding = encode(checkpoint, "a wonderful film with a weak ending")
    effects = order_effects(checkpoint, encoding)
    assert tuple(effects.probabilities) == ORDERS and set(effects.attention_change) == set(ORDERS[1:])
    same = effects.probabilities["without_positions"], effects.probabilities["both"]
    np.testing.assert_allclose(*(np.broadcast_to(values, (20, 2)) for values in same), atol=1e-5)
    np.testing.assert_allclose(
        effects.attention_change["without_positions"], effects.attention_change["both"], atol=1e-5
    )
    assert np.ptp(effects.probabilities["shuffled"][:, 1]) > 1e-4, "with positions the order matters"
    assert all((change >= 0).all() and (change <= 1).all() for change in effects.attention_change.values())
    assert effects.attention_change["shuffled"].max() > 0.01


def test_an_unknown_token_stays():
    """So a single known word has nowhere to go."""
    text = text_encoder("imdb")
    model = encoder(vocabulary=text.vocabulary)
    settings = Settings("imdb", model.config)
    untrained = Checkpoint("tiny", get_task("imdb"), settings, model, text, Metrics({}))
    effects = order_effects(untrained, text.encode("good unheard"))
    np.testing.assert_allclose(effects.probabilities["shuffled"], effects.probabilities["original"].repeat(20, 0))
    assert effects.attention_change["shuffled"].max() == pytest.approx(0, abs=1e-6)


def test_the_change_of_attention_by_hand(checkpoint):
    """Half of the sum over keys of the absolute difference, as a mean over queries."""
    encoding = encode(checkpoint, "a wonderful film with a weak ending")
    inputs = input_tensors(encoding)
    with torch.inference_mode():
        before, after = (
            checkpoint.model(*inputs, need_attention=True, hook=hook).own[:, 0].numpy()
            for hook in (None, WITHOUT_POSITIONS)
        )
    effects = order_effects(checkpoint, encoding)
    expected = np.abs(after - before).sum(3).sum(2) / 2 / len(encoding.ids)
    np.testing.assert_allclose(effects.attention_change["without_positions"], expected, atol=1e-6)
    again, other = order_effects(checkpoint, encoding), order_effects(checkpoint, encoding, seed=1)
    shuffled = [each.probabilities["shuffled"] for each in (effects, again, other)]
    assert np.array_equal(*shuffled[:2]) and not np.array_equal(*shuffled[1:]), "the seed draws the orders"


@pytest.mark.parametrize("tokens, count", [(8, 20), (9, 3)])
def test_longer_inputs_have_fewer_orders(checkpoint, monkeypatch, tokens, count):
    monkeypatch.setattr(word_order, "LONG", 8)
    encoding = encode(checkpoint, " ".join(["film"] * (tokens - 2)))
    assert order_effects(checkpoint, encoding).probabilities["shuffled"].shape == (count, 2)


@pytest.mark.parametrize("weights, passes", [(7, [1, 7, 7, 6] * 2), (0, [1] * 42)])
def test_many_orders_take_several_passes(checkpoint, monkeypatch, weights, passes):
    """Of an input with 2 × 2 × 64 weights, 7 orders at a time; one at least."""
    encoding, rows = encode(checkpoint, "film film film film film film"), []
    whole = order_effects(checkpoint, encoding)
    monkeypatch.setattr(word_order, "ATTENTION", weights * 2 * 2 * 8**2)
    checkpoint.model.register_forward_pre_hook(lambda model, inputs: rows.append(len(inputs[0])))
    parts = order_effects(checkpoint, encoding)
    assert rows == passes
    for name in ORDERS:
        np.testing.assert_allclose(parts.probabilities[name], whole.probabilities[name], atol=1e-6)


def test_a_convolution_still_reads_neighbours_without_positions(checkpoint):
    model = encoder(stem="convolution", vocabulary=checkpoint.model.config.vocabulary)
    effects = order_effects(replace(checkpoint, model=model), encode(checkpoint, "a wonderful film with a weak ending"))
    assert np.ptp(effects.probabilities["both"][:, 1]) > 1e-6


def test_accuracy_by_hand(checkpoint, monkeypatch):
    """Rows `[CLS] a b [SEP]`; a stand-in that reads the first word while there are positions, else predicts class 0."""

    def logits(self, examples, batch, hook, *rest):
        first = np.array([ids[1] == 11 for ids in examples.ids], float) * (hook is None)
        return np.stack([np.full(len(examples), 10.0), 20 * first], 1)

    monkeypatch.setattr(type(checkpoint), "logits", logits)
    ids = [np.array([2, 11, 4, 3])] * 50 + [np.array([2, 4, 4, 3])] * 30  # 4 is the first id of a word
    examples = Examples(ids, [np.zeros(4, int)] * 80, np.array([1] * 50 + [0] * 30))
    passes = []
    result = order_accuracy(checkpoint, examples, (0, 1, 2, 3), lambda: passes.append(1))
    assert result.n == 80 and result.seeds == (0, 1, 2, 3) and len(passes) == 10
    assert result.majority == 50 / 80
    original, shuffled, zeroed, both = result.accuracies
    assert original == 1 and zeroed == both == 30 / 80
    assert shuffled == pytest.approx(30 / 80 + 50 / 80 / 2, abs=0.06), "half of the shuffled rows keep their first word"
    np.testing.assert_allclose(result.changes, result.accuracies - 1)
    assert (result.intervals[:, 0] <= result.accuracies).all() and (result.accuracies <= result.intervals[:, 1]).all()
    assert result.change_intervals[0].tolist() == [0, 0] and result.change_intervals[2, 1] < 0
    again = order_accuracy(checkpoint, examples, (0, 1, 2, 3))
    assert again.accuracies.tolist() == result.accuracies.tolist(), "the seeds draw the orders"
    each = [order_accuracy(checkpoint, examples, (seed,)).accuracies[1] for seed in range(4)]
    assert len(set(each)) > 1 and np.mean(each) == pytest.approx(shuffled)


def test_a_model_that_adds_no_positions_is_refused(checkpoint):
    other = replace(checkpoint, model=torch.nn.Linear(2, 2))
    with pytest.raises(Failure) as failure:
        order_effects(other, encode(checkpoint, "a film"))
    assert failure.value.message == Message("positions.no_positions", {"name": "imdb/tiny"})
    with pytest.raises(Failure):
        order_accuracy(other, Examples([], [], np.array([])), (0,))
