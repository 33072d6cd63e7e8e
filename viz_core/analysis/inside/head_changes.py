"""Changes to the attention computation of a head, carried on to the prediction by the model's hook.

Possible changes: no division by √d, a softmax temperature, an edited score, a masked key, a causal
mask, scaled values. Scaling: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1,
https://arxiv.org/abs/1706.03762.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from viz_core.models.protocol import Hook, HookPoint
from viz_core.records import Failure
from viz_core.records.translation import Kind

TEMPERATURES = (0.05, 20.0)
FACTORS = (-10.0, 10.0)
SCORES = (-1000.0, 1000.0)


@dataclass(frozen=True)
class HeadChanges:
    """The changes to a head, none by default.

    Queries and keys count from 0.

    Attributes:
        unscaled: The scores are not divided by √d.
        scores: (query, key) -> a score in place of the scaled one.
        temperature: Divides the scores before softmax.
        masked: Keys that no query may attend to.
        causal: No query may attend to a later key.
        values: Factor of the values.
        everywhere: Apply all but the edited scores to every head of every layer with this kind of
            attention.
    """

    unscaled: bool = False
    scores: Mapping[tuple[int, int], float] = field(default_factory=dict)
    temperature: float = 1.0
    masked: frozenset[int] = frozenset()
    causal: bool = False
    values: float = 1.0
    everywhere: bool = False

    def __bool__(self) -> bool:
        """Whether anything is changed."""
        return bool(
            self.unscaled or self.scores or self.temperature != 1 or self.masked or self.causal or self.values != 1
        )


@dataclass(frozen=True)
class ChangedHead:
    """The changed head, in an attention with Q queries and K keys; indices count from 0.

    Attributes:
        divisor: Its scores are divided by the root of this, mostly of its width.
        sliding_window: As in `anatomy.ScoreRule`; with changes to every head, the smallest of all layers.
    """

    kind: Kind
    layer: int
    head: int
    queries: int
    keys: int
    divisor: float
    sliding_window: int | None = None


def check_changes(changes: HeadChanges, head: ChangedHead) -> None:
    """Raise Failure if a change is out of range, names a missing token, or leaves a query without keys."""
    _check_number("inside.temperature", changes.temperature, TEMPERATURES)
    _check_number("inside.factor", changes.values, FACTORS)
    for (query, key), value in changes.scores.items():
        _check_number("inside.score", value, SCORES)
        check_token(query, head.queries)
        check_token(key, head.keys)
    for key in changes.masked:
        check_token(key, head.keys)
    if changes.causal and head.kind == "cross":
        raise Failure("inside.no_causal")
    without = np.flatnonzero(~reachable_keys(changes, head).any(1))
    if without.size:
        raise Failure("inside.no_key_left", position=int(without[0]) + 1)


def reachable_keys(changes: HeadChanges, head: ChangedHead) -> np.ndarray:
    """Keys that each query may attend to in the changed head, `(Q, K)` bool."""
    reachable = kept_keys(changes, head)
    reachable = np.tril(reachable) if head.kind == "causal" else reachable
    return np.triu(reachable, 1 - head.sliding_window) if head.sliding_window else reachable


def kept_keys(changes: HeadChanges, head: ChangedHead) -> np.ndarray:
    """Keys that the changes leave to each query, `(Q, K)` bool."""
    kept = np.ones((head.queries, head.keys), bool)
    kept[:, sorted(changes.masked)] = False
    return np.tril(kept) if changes.causal else kept


def changes_hook(changes: HeadChanges, head: ChangedHead) -> Hook:
    """Hook of a model (`models.protocol`) that makes the changes."""
    kept = torch.from_numpy(kept_keys(changes, head))

    def change(point: HookPoint, tensor: Tensor) -> Tensor:
        if point.kind != head.kind or not (changes.everywhere or point.layer == head.layer):
            return tensor
        heads = slice(None) if changes.everywhere else slice(head.head, head.head + 1)
        match point.name:
            case "scaled" if changes.unscaled:
                return _multiply(tensor, heads, math.sqrt(head.divisor))
            case "scores":
                return _change_scores(tensor, heads, changes.scores if point.layer == head.layer else {})
            case "values" if changes.values != 1:
                return _multiply(tensor, heads, changes.values)
        return tensor

    def _change_scores(scores: Tensor, heads: slice, edited: Mapping[tuple[int, int], float]) -> Tensor:
        scores = scores.clone()  # (B, H, Q, K)
        for (query, key), value in edited.items():
            scores[:, head.head, query, key] = value
        scores[:, heads] = (scores[:, heads] / changes.temperature).masked_fill(~kept, -math.inf)
        return scores

    return Hook(change, {"scaled", "scores", "values"})


def _multiply(tensor: Tensor, heads: slice, factor: float) -> Tensor:
    tensor = tensor.clone()  # (B, H, …)
    tensor[:, heads] *= factor
    return tensor


def _check_number(key: str, value: float, limits: tuple[float, float]) -> None:
    low, high = limits
    if not (math.isfinite(value) and low <= value <= high):
        raise Failure(key, value=f"{value:g}", low=f"{low:g}", high=f"{high:g}")


def check_token(token: int, tokens: int) -> None:
    """Raise Failure for a query or a key that does not exist."""
    if not 0 <= token < tokens:
        raise Failure("inside.unknown_token", position=token + 1, tokens=tokens)
