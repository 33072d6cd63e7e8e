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
        method: Its name.
        labels: The tokens.
        groups: `(T,)` segment, -1 for special tokens.
        values: `(T,)`, read-only.
        target: Name of the explained class.
        signed: Whether values are contributions to its log-odds, negative for tokens that speak
            against it; otherwise they are weights of at least 0.
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


@dataclass(frozen=True, eq=False)
class Agreement:
    """Whether methods rank tokens alike: Kendall's tau of each pair, from -1 (reversed order) to 1 (same order).

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
    """Drop of the predicted class's probability when a method's top tokens are removed, or are the only ones left.

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
    """Effect of changing some heads compared with changing random ones; all are probabilities of a class, or similarities of the embedding with the unchanged one.

    Attributes:
        heads: Number of changed heads.
        without: With only the other changes.
        changed: With these heads changed as well.
        draws: `(N,)` with the same number of random heads changed instead.
    """

    heads: int
    without: float
    changed: float
    draws: np.ndarray

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
        return float(self.draws.min())

    @property
    def high(self) -> float:
        return float(self.draws.max())

    @property
    def verdict(self) -> str:
        """`within` the range of the random heads; `more` if farther in its direction than all of them, else `less`."""
        if self.low <= self.changed <= self.high:
            return "within"
        below = self.changed < self.low
        return "more" if below == (self.changed < self.without) else "less"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two inputs of one model with their tokens aligned.

    Attributes:
        pairs: `(K, 2)` positions of the common tokens before and after, by position after.
        moved: `(K,)` bool, those that stood elsewhere before.
        changed_before, changed_after: `(T,)` bool, the tokens that only this input has.
    """

    before: Explanation
    after: Explanation
    pairs: np.ndarray
    moved: np.ndarray
    changed_before: np.ndarray
    changed_after: np.ndarray

    @property
    def shift(self) -> np.ndarray:
        """Change of each class's probability, `(C,)`."""
        return self.after.probabilities - self.before.probabilities


@dataclass(frozen=True, eq=False)
class PairMass:
    """Attention between two sentences: mean weight from a token of A to all of B, and from B to A, `(L, H)` each.

    Attributes:
        uniform_a_to_b, uniform_b_to_a: The same for uniform attention.
    """

    a_to_b: np.ndarray
    b_to_a: np.ndarray
    uniform_a_to_b: float
    uniform_b_to_a: float


@dataclass(frozen=True, eq=False)
class Shuffles:
    """The probability of the last class when characters are shuffled.

    Attributes:
        original: As typed.
        shuffled: By which sentences were shuffled, `a`, `b` or `both`: `(N,)` each.
    """

    original: float
    shuffled: Mapping[str, np.ndarray]

    def count_changed_predictions(self, threshold: float) -> tuple[int, int]:
        """Number of shuffles that change the prediction, and number of all shuffles."""
        probabilities = np.concatenate(list(self.shuffled.values()))
        predictions = decide(np.append(probabilities, self.original)[:, None], threshold)
        return int((predictions[:-1] != predictions[-1]).sum()), len(probabilities)
