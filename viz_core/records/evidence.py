"""Evidence on a single input: attribution, what-if, comparisons."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from viz_core.records.attention import Explanation
from viz_core.records.decisions import decide


@dataclass(frozen=True, eq=False)
class Attribution:
    """Attribution of a prediction to its tokens by one method.

    Attributes:
        method: Name of the method.
        labels: The tokens.
        groups: `(T,)` segment, -1 for special tokens.
        values: `(T,)`, read-only.
        target: Name of the explained class.
        against: Name of the class that it is compared with; empty for all others together.
        signed: Whether values are contributions to its log-odds, negative for tokens that speak
            against it; otherwise they are non-negative weights.
        steps, gap: For integrated gradients, the number of steps and the relative error of
            completeness.
    """

    method: str
    labels: tuple[str, ...]
    groups: np.ndarray
    values: np.ndarray
    target: str
    signed: bool
    steps: int | None = None
    gap: float | None = None
    against: str = ""


@dataclass(frozen=True, eq=False)
class DirectContributions:
    """What each part of a model adds directly to the difference of two logits: all numbers together are the difference.

    Attributes:
        chosen, against: Names of the two classes.
        heads: `(L, H)`.
        feedforward: `(L,)`.
        embedding: Of the embeddings, positions included.
        biases: Of all attention outputs, of the last normalisation and of the output layer.
        difference: Logit of `chosen` minus that of `against`.
    """

    chosen: str
    against: str
    heads: np.ndarray
    feedforward: np.ndarray
    embedding: float
    biases: float
    difference: float

    def largest(self, count: int) -> list[tuple[int, int | None, float]]:
        """Return layer, head (None for the feed-forward) and value of the parts of largest absolute value."""
        values = np.column_stack([self.heads, self.feedforward])
        layers, heads = np.unravel_index(np.argsort(-np.abs(values), axis=None)[:count], values.shape)
        H = self.heads.shape[1]
        return [
            (layer, head if head < H else None, float(values[layer, head]))
            for layer, head in zip(layers.tolist(), heads.tolist(), strict=True)
        ]


@dataclass(frozen=True, eq=False)
class Agreement:
    """Whether methods rank tokens alike: Kendall's tau of each pair, from -1 (reversed) to 1 (same order).

    Attributes:
        tau, low, high: `(M, M)`, aligned with `methods`; low and high bound a 95% interval. NaN
            where a method gives all tokens the same value.
        count: Sample size of the interval: tokens of one input, or inputs of a corpus.
    """

    methods: tuple[str, ...]
    tau: np.ndarray
    low: np.ndarray
    high: np.ndarray
    count: int


@dataclass(frozen=True, eq=False)
class Faithfulness:
    """Drop of the predicted class's probability without a method's top tokens, or with only them.

    Attributes:
        measure: `comprehensiveness` (drop without them) or `sufficiency` (drop with only them), as
            DeYoung et al. 2020, section 4.2.
        values: `(M,)` drops in probability, aligned with `methods`.
        low, high: `(M,)` 95% interval over inputs, None for a single input.
        control: Mean, low and high for tokens in random order.
        count: Number of inputs.
    """

    measure: str
    methods: tuple[str, ...]
    values: np.ndarray
    low: np.ndarray | None
    high: np.ndarray | None
    control: tuple[float, float, float]
    count: int


@dataclass(frozen=True, eq=False)
class HeadControl:
    """Effect of changing some heads compared with changing random ones.

    All values are probabilities of a class, or similarities of the embedding with the unchanged
    one.

    Attributes:
        heads: Number of changed heads.
        without: With only the other changes.
        changed: With these heads changed as well.
        draws: `(N,)` with the same number of random heads changed instead.
        complete: Whether these are all other selections of that many heads.
    """

    heads: int
    without: float
    changed: float
    draws: np.ndarray
    complete: bool = False

    @property
    def mean(self) -> float:
        """Mean effect of random heads."""
        return float(self.draws.mean()) - self.without

    @property
    def spread(self) -> float:
        """Standard deviation of the effect over the draws."""
        return float(self.draws.std())

    @property
    def low(self) -> float:
        """Lowest value of the draws."""
        return float(self.draws.min())

    @property
    def high(self) -> float:
        """Highest value of the draws."""
        return float(self.draws.max())

    @property
    def verdict(self) -> str:
        """`within` the range of the random heads; `more` if farther in its direction than all, else `less`."""
        if self.low <= self.changed <= self.high:
            return "within"
        below = self.changed < self.low
        return "more" if below == (self.changed < self.without) else "less"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two inputs of one model with their tokens aligned.

    Attributes:
        pairs: `(K, 2)` positions of the aligned tokens before and after, by position after.
        moved: `(K,)` bool, common tokens that moved.
        replaced: `(K,)` bool, tokens in the place of others, aligned with them by position.
        changed_before, changed_after: `(T,)` bool, tokens that only this input has.
    """

    before: Explanation
    after: Explanation
    pairs: np.ndarray
    moved: np.ndarray
    replaced: np.ndarray
    changed_before: np.ndarray
    changed_after: np.ndarray

    @property
    def shift(self) -> np.ndarray:
        """Change of each class's probability, `(C,)`."""
        return self.after.probabilities - self.before.probabilities


@dataclass(frozen=True, eq=False)
class PairMass:
    """Attention between two sentences.

    It is the mean weight from a token of A to all of B, and from B to A, `(L, H)` each.

    Attributes:
        uniform_a_to_b, uniform_b_to_a: The same for uniform attention.
    """

    a_to_b: np.ndarray
    b_to_a: np.ndarray
    uniform_a_to_b: float
    uniform_b_to_a: float


@dataclass(frozen=True, eq=False)
class Shuffles:
    """Probability of the last class when characters are shuffled.

    Attributes:
        original: As typed.
        shuffled: `(N,)` each, by the shuffled sentence: `a`, `b` or `both`.
    """

    original: float
    shuffled: Mapping[str, np.ndarray]

    def count_changed_predictions(self, threshold: float) -> tuple[int, int]:
        """Number of shuffles that change the prediction, and number of all shuffles."""
        probabilities = np.concatenate(list(self.shuffled.values()))
        predictions = decide(np.append(probabilities, self.original)[:, None], threshold)
        return int((predictions[:-1] != predictions[-1]).sum()), len(probabilities)
