"""Head importance: equivalences, finite differences and properties that must hold for any encoder."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.analysis.heads.importance import (
    ablate_heads,
    per_layer,
    predict_masked,
    prune_curve,
    prune_evaluations,
    prune_points,
    strongest_effects,
    taylor_scores,
)
from viz_core.models.batch import pad
from viz_core.models.protocol import on_weights
from viz_core.records import Examples
from viz_core.statistics.intervals import paired_interval

NONE = np.zeros((2, 2), bool)


@pytest.fixture
def tiny(tmp_path):
    """2 layers of 2 heads, temperature 2, threshold 0.4."""
    save_checkpoint(tmp_path, "imdb")
    return checkpoints.load("imdb", "tiny", tmp_path)


@pytest.fixture
def examples(tiny):
    """40 rows of 4 to 12 tokens."""
    random = np.random.default_rng(0)
    ids = [random.integers(4, tiny.text_encoder.vocabulary, length) for length in random.integers(4, 13, 40)]
    return Examples(ids, [np.zeros(len(row), int) for row in ids], random.integers(0, 2, 40))


def one_head(layer: int, head: int) -> np.ndarray:
    return np.arange(4).reshape(2, 2) == 2 * layer + head


def zero_head(checkpoint, layer: int, head: int):
    """The same model with this head's slice of the output projection set to 0."""
    encoder = deepcopy(checkpoint.model)
    d = encoder.config.width // encoder.config.heads
    with torch.no_grad():
        encoder.layers[layer].attention.output.weight[:, head * d : (head + 1) * d] = 0
    return replace(checkpoint, model=encoder)


def test_ablating_nothing_changes_nothing(tiny, examples):
    with torch.inference_mode():
        logs = torch.log_softmax(tiny.model(*pad(examples.ids[:1], examples.segments[:1])).logits[0] / 2.0, 0).numpy()
    predictions = predict_masked(tiny, examples, NONE)
    assert predictions.log_probability[0] == pytest.approx(logs[examples.labels[0]], abs=1e-5)
    assert predictions.predicted[0] == (np.exp(logs[1]) >= 0.4)


@pytest.mark.parametrize("head", list(np.ndindex(2, 2)))
def test_ablating_a_head_equals_zeroing_its_slice_of_the_output_projection(tiny, examples, head):
    masked = predict_masked(tiny, examples, one_head(*head))
    other = predict_masked(zero_head(tiny, *head), examples, NONE)
    np.testing.assert_allclose(masked.log_probability, other.log_probability, atol=1e-5)
    assert not np.allclose(masked.log_probability, predict_masked(tiny, examples, NONE).log_probability)


def test_a_head_without_output_has_no_effect_at_all(tiny, examples):
    ablation = ablate_heads(zero_head(tiny, 1, 0), examples)
    assert ablation.accuracy[1, 0] == ablation.loss[1, 0] == 0
    assert (ablation.accuracy_interval[1, 0] == 0).all() and (ablation.loss_interval[1, 0] == 0).all()
    others = np.delete(ablation.loss_interval.reshape(4, 2), 2, axis=0)
    assert (others[:, 0] < others[:, 1]).all()
    assert taylor_scores(zero_head(tiny, 1, 0), examples)[1, 0] == 0


def test_changes_are_means_over_rows_within_their_intervals(tiny, examples):
    passes = []
    ablation = ablate_heads(tiny, examples, lambda: passes.append(1))
    assert len(passes) == 5
    whole, other = ablation.whole, ablation.predictions[1, 1]
    assert ablation.loss[1, 1] == pytest.approx(other.loss - whole.loss)
    assert ablation.accuracy[1, 1] == pytest.approx(other.accuracy - whole.accuracy)
    assert ((ablation.loss_interval[..., 0] <= ablation.loss) & (ablation.loss <= ablation.loss_interval[..., 1])).all()


def test_the_taylor_score_is_the_gradient_of_the_loss(tiny, examples):
    """Against the finite difference of each row's loss between gates of 1 - h and 1 + h."""
    encoder, h, slopes = deepcopy(tiny.model).double(), 1e-4, np.zeros((2, 2))
    for ids, label in zip(examples.ids, examples.labels, strict=True):
        inputs = pad([ids], [np.zeros(len(ids), int)])
        for head in np.ndindex(2, 2):
            loss = []
            for gate in (1 - h, 1 + h):
                gates = torch.ones(2, 2, dtype=torch.double)
                gates[head] = gate
                with torch.inference_mode():
                    logits = encoder(
                        *inputs,
                        hook=on_weights(lambda layer, weights, gates=gates: weights * gates[layer][:, None, None]),
                    ).logits
                loss.append(-torch.log_softmax(logits / 2.0, 1)[0, label].item())
            slopes[head] += abs(loss[1] - loss[0]) / (2 * h)
    np.testing.assert_allclose(taylor_scores(tiny, examples), slopes / len(examples), rtol=1e-3)


def test_the_encoder_is_unchanged(tiny, examples):
    taylor_scores(tiny, examples)
    ablate_heads(tiny, examples)
    assert not tiny.model.training and all(parameter.grad is None for parameter in tiny.model.parameters())


def test_scores_per_layer_by_hand():
    np.testing.assert_allclose(per_layer(np.array([[3.0, 4.0], [0.0, 0.0]])), [[0.6, 0.8], [0, 0]])


def test_the_interval_of_a_share_is_close_to_the_normal_approximation():
    """Of 400 rows 40 change by 1: the mean is 0.1, its standard error sqrt(0.1 · 0.9 / 400) = 0.015."""
    changes = np.zeros((1, 400))
    changes[0, :40] = 1
    assert paired_interval(changes)[0] == pytest.approx([0.1 - 1.96 * 0.015, 0.1 + 1.96 * 0.015], abs=0.004)


@given(arrays(float, st.tuples(st.integers(1, 3), st.integers(1, 30)), elements=st.floats(-5, 5)))
def test_an_interval_lies_within_the_range_of_the_differences(differences):
    low, high = paired_interval(differences).T
    assert (
        (differences.min(1) - 1e-9 <= low).all() and (low <= high).all() and (high <= differences.max(1) + 1e-9).all()
    )


def test_the_strongest_effects_in_both_directions_by_hand():
    lowest, highest = strongest_effects(np.array([0.5, -2.0, 0.0, 3.0, -1.0]), 2)
    assert (lowest.tolist(), highest.tolist()) == ([1, 4], [3, 0])
    assert [part.tolist() for part in strongest_effects(np.array([0.0, 1.0]), 2)] == [[], [1]], "0 is no effect"


def test_prune_points_by_hand():
    assert prune_points(4).tolist() == [0, 1, 2, 3, 4]
    assert prune_points(48).tolist() == list(range(0, 49, 3))
    assert prune_points(1).tolist() == [0, 1] and prune_evaluations(1) == 2
    assert prune_evaluations(4) == 2 + 3 * 6


def test_the_prune_curve_goes_from_all_heads_to_none(tiny, examples):
    """In between, the least important heads are masked."""
    passes = []
    curve = prune_curve(tiny, examples, np.array([[0.3, 0.1], [0.4, 0.2]]), lambda: passes.append(1))
    assert len(passes) == prune_evaluations(4) and curve.n == 40 and curve.random_loss.shape == (5, 5)
    whole, none = predict_masked(tiny, examples, NONE), predict_masked(tiny, examples, ~NONE)
    assert (curve.accuracy[0], curve.loss[0]) == (whole.accuracy, whole.loss)
    assert (curve.accuracy[-1], curve.loss[-1]) == (none.accuracy, none.loss)
    two = predict_masked(tiny, examples, np.array([[False, True], [False, True]]))
    assert curve.loss[2] == two.loss
    assert (curve.random_loss[:, 0] == whole.loss).all() and (curve.random_loss[:, -1] == none.loss).all()
    assert curve.majority == max(examples.labels.mean(), 1 - examples.labels.mean())


def test_without_heads_the_prediction_depends_on_the_first_token_only(tiny):
    """Without attention, the classifier gets the same [CLS] vector for all inputs."""
    ids = [np.array([2, *rest, 3]) for rest in ([5, 6, 7], [8], [9, 4, 8, 7])]
    rows = Examples(ids, [np.zeros(len(row), int) for row in ids], np.zeros(3, int))
    without_heads = predict_masked(tiny, rows, ~NONE).log_probability
    np.testing.assert_allclose(without_heads, without_heads[0], atol=1e-6)
    assert np.ptp(predict_masked(tiny, rows, NONE).log_probability) > 0.01
