"""Which heads do a model's answers need? What is lost without each, and what the loss's slope says of it.

Ablation, one head at a time: Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 3.2,
https://arxiv.org/abs/1905.10650. Taylor score: the same paper, section 4.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from viz_core.checkpoints import Checkpoint
from viz_core.models.batch import bucketed, pad
from viz_core.models.protocol import Hook, on_weights
from viz_core.records import Examples
from viz_core.statistics.bootstrap import paired_interval

BATCH = 16  # rows; the attention of 16 reviews of 512 tokens takes 67 MB a layer, and more rows are no faster
Tell = Callable[[], None]  # called whenever all rows have gone through the model once more


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model said of N labelled rows, heads masked or not.

    log_probability: `(N,)` of the true class, calibrated. answers: `(N,)` number of the class. right: `(N,)` bool.
    """

    log_probability: np.ndarray
    answers: np.ndarray
    right: np.ndarray

    @property
    def accuracy(self) -> float:
        return float(self.right.mean())

    @property
    def loss(self) -> float:
        """Cross-entropy of the calibrated probabilities, in nats."""
        return float(-self.log_probability.mean())


@dataclass(frozen=True, eq=False)
class Ablation:
    """Every head masked alone. whole: the model with all its heads. answers: `(L, H)` objects, without that head.

    accuracy, loss: `(L, H)` without the head minus with it. The intervals are `(L, H, 2)`: 95 %, over rows.
    """

    whole: Answers
    answers: np.ndarray
    accuracy: np.ndarray
    accuracy_interval: np.ndarray
    loss: np.ndarray
    loss_interval: np.ndarray


def without(masked: np.ndarray) -> Hook:
    """The intervention that masks heads `(L, H)` bool: attention of 0, as if their slice of the output projection were 0."""
    gates = torch.from_numpy(~masked).float()[:, :, None, None]  # (L, H, 1, 1)
    return on_weights(lambda layer, weights: weights * gates[layer].to(weights) if masked[layer].any() else weights)


def answers(checkpoint: Checkpoint, examples: Examples, masked: np.ndarray) -> Answers:
    """What the model says without the heads that are masked, `(L, H)` bool."""
    # Also where nothing is masked: the fused kernel would differ in the last digits, and a head that does nothing not be 0.
    logs = checkpoint.settings.log_probabilities(checkpoint.logits(examples, BATCH, without(masked)))  # (N, C)
    said = checkpoint.settings.decide(np.exp(logs))
    return Answers(logs[np.arange(len(examples)), examples.labels], said, said == examples.labels)


def ablate_heads(checkpoint: Checkpoint, examples: Examples, tell: Tell = lambda: None) -> Ablation:
    """Each head masked alone, the others as they were: what that does to accuracy and loss, and to every row."""
    checkpoint.require_attention()
    shape = checkpoint.model.config.layers, checkpoint.model.config.heads
    whole = answers(checkpoint, examples, np.zeros(shape, bool))
    tell()
    found = np.empty(shape, object)
    for head in np.ndindex(shape):
        masked = np.zeros(shape, bool)
        masked[head] = True
        found[head] = answers(checkpoint, examples, masked)
        tell()
    right = np.array([one.right for one in found.flat], float) - whole.right  # (L·H, N)
    loss = whole.log_probability - np.array([one.log_probability for one in found.flat])
    return Ablation(
        whole,
        found,
        right.mean(1).reshape(shape),
        paired_interval(right).reshape(*shape, 2),
        loss.mean(1).reshape(shape),
        paired_interval(loss).reshape(*shape, 2),
    )


def taylor_scores(checkpoint: Checkpoint, examples: Examples, tell: Tell = lambda: None) -> np.ndarray:
    """`(L, H)`: mean over rows of |∂loss/∂gate|, where a gate of 1 multiplies all that a head says; in one pass.

    The slope at 1 stands for what closing the gate would do, without doing it (equation 1 of the paper).
    """
    checkpoint.require_attention()
    model, temperature = checkpoint.model, checkpoint.settings.temperature
    shape = model.config.layers, model.config.heads
    total = np.zeros(shape)
    for rows in bucketed(examples.lengths, BATCH):
        part = examples.at(rows)
        # A gate of its own for every row: a row's loss depends on no other row's gates, so that one sum gives all slopes.
        gates = torch.ones(shape[0], len(rows), shape[1], requires_grad=True)
        with torch.enable_grad():
            gate = on_weights(lambda layer, weights: weights * gates[layer][:, :, None, None])
            logits = model(*pad(part.ids, part.segments), hook=gate).logits
            loss = F.cross_entropy(logits / temperature, torch.from_numpy(part.labels), reduction="sum")
            (slopes,) = torch.autograd.grad(loss, gates)  # (L, B, H)
        total += slopes.abs().sum(1).numpy()
    tell()
    return total / len(examples)


def per_layer(scores: np.ndarray) -> np.ndarray:
    """Taylor scores `(L, H)` divided by the Euclidean norm of their layer, as the paper does before it compares layers.

    A layer without any slope stays 0.
    """
    norms = np.linalg.norm(scores, axis=1, keepdims=True)
    return np.divide(scores, norms, out=np.zeros_like(scores), where=norms > 0)


def strongest(effects: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Of `(N,)` effects the numbers of the lowest below 0 and of the highest above 0, `count` each at most, strongest first."""
    order = np.argsort(effects, kind="stable")
    lowest, highest = order[:count], order[::-1][:count]
    return lowest[effects[lowest] < 0], highest[effects[highest] > 0]
