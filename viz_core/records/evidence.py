"""Whether the attention to one input matters: attribution, interventions, comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from viz_core.records.attention import Explanation
from viz_core.records.decisions import decide


@dataclass(frozen=True, eq=False)
class Attribution:
    """What one method holds each token accountable for, on the way to one class.

    method: its name. labels: the tokens; groups: `(T,)` segment, -1 for special tokens; values: `(T,)`, read-only. target: the
    class that is explained. signed: values are shares of its log-odds, below 0 where a token speaks against it; else they
    are weights from 0 up. Of a method that adds up over a number of steps: steps, and gap, what the values' sum misses of
    what it should be, as a share of that.
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
    """Whether methods rank the same tokens high: Kendall's tau of each pair, from -1 (reversed) to 1 (the same order).

    tau, low, high: `(M, M)`, aligned with `methods`; low and high bound a 95 % interval. NaN where a method ranks nothing.
    count: of what the interval was drawn from, the tokens of one input or the inputs of a corpus.
    """

    methods: tuple[str, ...]
    tau: np.ndarray
    low: np.ndarray
    high: np.ndarray
    count: int


@dataclass(frozen=True, eq=False)
class Faithfulness:
    """What becomes of the answer's probability when a method's highest tokens are taken out, or kept alone.

    measure: `comprehensiveness` (what is lost without them) or `sufficiency` (what is lost with them alone). values:
    `(M,)`, aligned with `methods`, in probability; low, high: `(M,)` a 95 % interval over inputs, None for one input.
    control: mean, low and high of tokens in random order. count: of inputs.
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
    """What changing some heads does, beside the same done to random ones: probabilities of the last class.

    heads: how many are changed. without: with these heads as they are, all else that is changed kept. changed: with them
    changed. draws: `(N,)` with as many random heads changed alike.
    """

    heads: int
    without: float
    changed: float
    draws: np.ndarray

    @property
    def mean(self) -> float:
        """By how much random heads move it, on average."""
        return float(self.draws.mean()) - self.without

    @property
    def spread(self) -> float:
        """Standard deviation over the draws."""
        return float(self.draws.std())

    @property
    def low(self) -> float:
        return float(self.draws.min())

    @property
    def high(self) -> float:
        return float(self.draws.max())

    @property
    def verdict(self) -> str:
        """`within` the range of the random heads; else `more`, or `less` where all of those move it farther that way."""
        if self.low <= self.changed <= self.high:
            return "within"
        below = self.changed < self.low
        return "more" if below == (self.changed < self.without) else "less"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two inputs of one model, token beside token. before, after: what the model made of them.

    pairs: `(K, 2)` places of the tokens that both have, before and after, growing. changed_before, changed_after: `(T,)` bool,
    the tokens that only one of them has.
    """

    before: Explanation
    after: Explanation
    pairs: np.ndarray
    changed_before: np.ndarray
    changed_after: np.ndarray

    @property
    def shift(self) -> np.ndarray:
        """How much likelier each class has become, `(C,)`."""
        return self.after.probabilities - self.before.probabilities


@dataclass(frozen=True, eq=False)
class PairMass:
    """How much the tokens of one sentence look at the other: mean weights `(L, H)` from A to B and from B to A.

    uniform_a_to_b, uniform_b_to_a: what a head would give that looks at every token alike.
    """

    a_to_b: np.ndarray
    b_to_a: np.ndarray
    uniform_a_to_b: float
    uniform_b_to_a: float


@dataclass(frozen=True, eq=False)
class Shuffles:
    """The probability of the last class with characters in another order. original: as typed.

    shuffled: of `a`, `b` and `both`, the sentences whose characters were shuffled, `(N,)` each.
    """

    original: float
    shuffled: Mapping[str, np.ndarray]

    def turned(self, threshold: float) -> tuple[int, int]:
        """In how many tries, of how many, the answer is another one; the last class is answered from the threshold on."""
        tries = np.concatenate(list(self.shuffled.values()))
        answers = decide(np.append(tries, self.original)[:, None], threshold)
        return int((answers[:-1] != answers[-1]).sum()), len(tries)
