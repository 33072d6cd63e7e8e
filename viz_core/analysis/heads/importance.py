"""Head importance: which heads do a model's predictions depend on?

Ablation, masking a single head at a time: Michel et al. 2019, "Are Sixteen Heads Really Better than
One?", section 3.2, https://arxiv.org/abs/1905.10650. Taylor score, from the gradient of the loss:
section 4.1 of the same paper. Pruning, masking heads cumulatively, the least important first:
section 4; random orders are the baseline.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from viz_core.checkpoints import Checkpoint
from viz_core.models.batch import length_batches, pad
from viz_core.models.protocol import Hook, on_weights
from viz_core.records import Examples, PruneCurve
from viz_core.statistics.intervals import paired_interval

BATCH = 16  # rows; the attention of 16 reviews of 512 tokens takes 67 MB per layer, and larger batches are no faster
POINTS = 16  # maximum number of evaluations per order, not counting the full model
ORDERS = 5  # number of random orders
PassCallback = Callable[[], None]  # called after each pass of all rows through the model


@dataclass(frozen=True, eq=False)
class LabelledPredictions:
    """A model's predictions for N labelled rows, with or without masked heads.

    Attributes:
        log_probability: `(N,)` calibrated, of the true class.
        predicted: `(N,)` class indices.
        correct: `(N,)` bool.
    """

    log_probability: np.ndarray
    predicted: np.ndarray
    correct: np.ndarray

    @property
    def accuracy(self) -> float:
        """Share of rows predicted correctly."""
        return float(self.correct.mean())

    @property
    def loss(self) -> float:
        """Cross-entropy of the calibrated probabilities, in nats."""
        return float(-self.log_probability.mean())


@dataclass(frozen=True, eq=False)
class Ablation:
    """The effect of masking each head on its own.

    Attributes:
        whole: Predictions of the full model.
        predictions: `(L, H)` object array of `LabelledPredictions`, each without that head.
        accuracy, loss: `(L, H)` change when the head is masked.
        accuracy_interval, loss_interval: `(L, H, 2)` 95% intervals over rows.
    """

    whole: LabelledPredictions
    predictions: np.ndarray
    accuracy: np.ndarray
    accuracy_interval: np.ndarray
    loss: np.ndarray
    loss_interval: np.ndarray


def masking_hook(masked: np.ndarray) -> Hook:
    """Hook that masks heads `(L, H)` bool.

    Weights of 0 amount to zeroing the head's slice of the output projection.
    """
    gates = torch.from_numpy(~masked).float()[:, :, None, None]  # (L, H, 1, 1)
    return on_weights(lambda layer, weights: weights * gates[layer].to(weights) if masked[layer].any() else weights)


def predict_masked(checkpoint: Checkpoint, examples: Examples, masked: np.ndarray) -> LabelledPredictions:
    """Predictions with some heads masked, `(L, H)` bool."""
    # The hook is used even if nothing is masked: the fused kernel differs in the last digits, and a head without any
    # effect should have an effect of exactly 0.
    logs = checkpoint.settings.log_probabilities(checkpoint.logits(examples, BATCH, masking_hook(masked)))  # (N, C)
    predicted = checkpoint.settings.decide(np.exp(logs))
    return LabelledPredictions(logs[np.arange(len(examples)), examples.labels], predicted, predicted == examples.labels)


def ablate_heads(checkpoint: Checkpoint, examples: Examples, on_pass: PassCallback = lambda: None) -> Ablation:
    """Mask each head on its own and measure the change in accuracy, loss and every single prediction."""
    checkpoint.require_attention()
    shape = checkpoint.model.config.layers, checkpoint.model.config.heads
    whole = predict_masked(checkpoint, examples, np.zeros(shape, bool))
    on_pass()
    predictions = np.empty(shape, object)
    for head in np.ndindex(shape):
        masked = np.zeros(shape, bool)
        masked[head] = True
        predictions[head] = predict_masked(checkpoint, examples, masked)
        on_pass()
    correct = np.array([ablated.correct for ablated in predictions.flat], float) - whole.correct  # (L·H, N)
    loss = whole.log_probability - np.array([ablated.log_probability for ablated in predictions.flat])
    return Ablation(
        whole,
        predictions,
        correct.mean(1).reshape(shape),
        paired_interval(correct).reshape(*shape, 2),
        loss.mean(1).reshape(shape),
        paired_interval(loss).reshape(*shape, 2),
    )


def taylor_scores(checkpoint: Checkpoint, examples: Examples, on_pass: PassCallback = lambda: None) -> np.ndarray:
    """Taylor scores `(L, H)`: mean over rows of |∂loss/∂gate|, in a single pass.

    A gate of 1 multiplies the output of each head. The gradient at 1 is a first-order estimate of
    the effect of masking the head (equation 1 of the paper).
    """
    checkpoint.require_attention()
    model, temperature = checkpoint.model, checkpoint.settings.temperature
    shape = model.config.layers, model.config.heads
    total = np.zeros(shape)
    for rows in length_batches(examples.lengths, BATCH):
        part = examples.at(rows)
        # Every row has gates of its own. A row's loss depends on no other row's gates, so the gradient of the summed
        # loss contains the gradients of all rows.
        gates = torch.ones(shape[0], len(rows), shape[1], requires_grad=True)
        with torch.enable_grad():
            logits = model(*pad(part.ids, part.segments), hook=_gate_heads(gates)).logits
            loss = F.cross_entropy(logits / temperature, torch.from_numpy(part.labels), reduction="sum")
            (slopes,) = torch.autograd.grad(loss, gates)  # (L, B, H)
        total += slopes.abs().sum(1).numpy()
    on_pass()
    return total / len(examples)


def _gate_heads(gates: torch.Tensor) -> Hook:
    """Multiply the output of each head by its gate, `(L, B, H)`."""
    return on_weights(lambda layer, weights: weights * gates[layer][:, :, None, None])


def per_layer(scores: np.ndarray) -> np.ndarray:
    """Divide Taylor scores `(L, H)` by the Euclidean norm of their layer, to compare across layers.

    A layer whose scores are all 0 stays 0.
    """
    norms = np.linalg.norm(scores, axis=1, keepdims=True)
    return np.divide(scores, norms, out=np.zeros_like(scores), where=norms > 0)


def strongest_effects(effects: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the most negative and the most positive of `(N,)` effects.

    At most `count` each, strongest first.
    """
    order = np.argsort(effects, kind="stable")
    lowest, highest = order[:count], order[::-1][:count]
    return lowest[effects[lowest] < 0], highest[effects[highest] > 0]


def prune_points(heads: int) -> np.ndarray:
    """Numbers of masked heads to evaluate, `(P,)`: from 0 to all, in equal steps if there are many heads."""
    return np.unique(np.linspace(0, heads, min(heads, POINTS) + 1).round().astype(int))


def prune_evaluations(heads: int) -> int:
    """Number of passes over all rows that `prune_curve` makes."""
    return 2 + (len(prune_points(heads)) - 2) * (1 + ORDERS)


def prune_curve(
    checkpoint: Checkpoint, examples: Examples, importance: np.ndarray, on_pass: PassCallback = lambda: None
) -> PruneCurve:
    """Accuracy and loss as heads are masked cumulatively.

    Heads are masked in order of increasing importance `(L, H)`, and in seeded random orders.
    """
    shape, heads = importance.shape, importance.size
    points = prune_points(heads)

    def evaluate(order: np.ndarray, count: int) -> tuple[float, float]:
        masked = np.zeros(heads, bool)
        masked[order[:count]] = True
        predictions = predict_masked(checkpoint, examples, masked.reshape(shape))
        on_pass()
        return predictions.accuracy, predictions.loss

    orders = [
        np.argsort(importance, axis=None, kind="stable"),
        *(np.random.default_rng(seed).permutation(heads) for seed in range(ORDERS)),
    ]
    first, last = (evaluate(orders[0], count) for count in (0, heads))  # the same for every order
    curves = np.array([[first, *(evaluate(order, count) for count in points[1:-1]), last] for order in orders])
    majority = float(np.bincount(examples.labels).max() / len(examples))
    return PruneCurve(
        len(examples), points, curves[0, :, 0], curves[0, :, 1], curves[1:, :, 0], curves[1:, :, 1], majority
    )
