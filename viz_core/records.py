"""Results that cross rooms: frozen records of NumPy arrays with labels aligned to them.

Shapes: L layers, H heads, T tokens. Attention is `(L, H, T, T)`, row = query, column = key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Message:
    """Something to be said to a person: a key of the message catalogues and the values that fill it.

    It becomes a Chinese or an English sentence only where it is shown (`viz_core.language.Translator`).
    """

    key: str
    values: Mapping[str, object] = field(default_factory=dict)


class Failure(Exception):
    """An error that a person can understand and mend; carries the Message that says so."""

    def __init__(self, key: str, **values: object) -> None:
        self.message = Message(key, values)
        super().__init__(f"{key} {dict(values)}")


_VISIBLE = str.maketrans({" ": "␣", "\u3000": "␣", "\n": "↵", "\r": "↵", "\t": "⇥"})


def visible(token: str) -> str:
    """A token with its white space made visible."""
    return token.translate(_VISIBLE)


@dataclass(frozen=True, eq=False)
class Encoding:
    """A text (or a pair) as the encoder sees it; every array is aligned with `tokens`.

    texts: the one or two texts as typed. tokens: as they are looked up in the vocabulary. ids, segments: `(T,)` int64.
    offsets: `(T, 2)` start and end in the text of the token's segment, `(0, 0)` for special tokens.
    words: `(T,)` number of the word group that a token belongs to, growing from left to right.
    special, unknown: `(T,)` bool. notices: what was cut or not known, for the reader.
    """

    texts: tuple[str, ...]
    tokens: tuple[str, ...]
    ids: np.ndarray
    segments: np.ndarray
    offsets: np.ndarray
    words: np.ndarray
    special: np.ndarray
    unknown: np.ndarray
    notices: tuple[Message, ...] = ()

    def surface(self, index: int) -> str:
        """The token as the person typed it; a special token as it is named."""
        if self.special[index]:
            return self.tokens[index]
        start, end = self.offsets[index]
        return self.texts[self.segments[index]][start:end]

    def label(self, index: int) -> str:
        """The token as typed, white space made visible."""
        return visible(self.surface(index))


@dataclass(frozen=True, eq=False)
class Examples:
    """Tokenised rows of a corpus: ids and segments, one array a row, and labels `(N,)` aligned with them."""

    ids: list[np.ndarray]
    segments: list[np.ndarray]
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def lengths(self) -> np.ndarray:
        return np.array([len(row) for row in self.ids])


@dataclass(frozen=True, eq=False)
class Explanation:
    """What a model made of one input.

    labels: names of the classes, aligned with `probabilities` `(C,)` (calibrated). threshold: probability of the last
    class from which on it is the answer. attention: `(L, H, T, T)` float32, rows sum to 1. pooling: `cls` or `mean`.
    """

    model: str
    task: str
    encoding: Encoding
    labels: tuple[str, ...]
    probabilities: np.ndarray
    threshold: float
    attention: np.ndarray
    pooling: str
    notices: tuple[Message, ...] = ()

    @property
    def predicted(self) -> int:
        """Index of the answer: the last class from the threshold on, else the likeliest of the others."""
        if self.probabilities[-1] >= self.threshold:
            return len(self.labels) - 1
        return int(np.argmax(self.probabilities[:-1]))


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """Attention from queries (rows) to keys (columns), ready to be drawn.

    weights: `(Q, K)`. queries, keys: the labels of rows and columns; query_groups, key_groups: the segment number of
    each, -1 for a special token. title: what it shows. renormalised: whether rows were scaled back to sum 1.
    """

    queries: tuple[str, ...]
    keys: tuple[str, ...]
    weights: np.ndarray
    query_groups: np.ndarray
    key_groups: np.ndarray
    title: Message
    renormalised: bool = False


@dataclass(frozen=True, eq=False)
class TokenWeights:
    """One number per token (or word): attention given by [CLS], or received from all tokens.

    labels: the tokens or words; weights: `(N,)`; groups: `(N,)` segment, -1 for special tokens; spans: `(N, 2)` start
    and end in the text of the segment, `(0, 0)` for special tokens; texts: as typed; title: what the numbers are.
    """

    labels: tuple[str, ...]
    weights: np.ndarray
    groups: np.ndarray
    spans: np.ndarray
    texts: tuple[str, ...]
    title: Message


@dataclass(frozen=True, eq=False)
class HeadStatistics:
    """What each head does with one input, a number a head: every array is `(L, H)` float32, a mean over all queries.

    entropy: how evenly a query spreads its weight, from 0 (all on one key) to 1 (the same on each). distance: how many
    tokens away from the query its weight lies. cls, sep: the share of the weight on [CLS], and on all [SEP] together.
    """

    entropy: np.ndarray
    distance: np.ndarray
    cls: np.ndarray
    sep: np.ndarray


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
class Curve:
    """One figure of a training, evaluation by evaluation.

    run: the name that the training was given. kind: what was measured, on what: `train`, `validation`, `auc`, `mcc`, `lr`.
    epochs, values: `(N,)`; NaN where nothing was measured.
    """

    run: str
    kind: str
    epochs: np.ndarray
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class Calibration:
    """How far a model's confidence can be believed: equally wide bins from 0 to 1, every array `(15,)`.

    confidence, accuracy: their means over the inputs of a bin; low, high: 95 % interval of the accuracy; NaN where a bin is
    empty. count: inputs in the bin.
    """

    confidence: np.ndarray
    accuracy: np.ndarray
    low: np.ndarray
    high: np.ndarray
    count: np.ndarray


@dataclass(frozen=True)
class Slice:
    """How often a model was right on a part of the inputs.

    kind: `length` (tokens), `overlap` (share of characters in common) or `negation` (negating words). begin, end: from how
    much to how much of it; end None: without end. n: inputs. accuracy, low, high: with its 95 % interval. baseline: what
    always giving the answer that is most frequent over all inputs would reach here.
    """

    kind: str
    begin: float
    end: float | None
    n: int
    accuracy: float
    low: float
    high: float
    baseline: float


@dataclass(frozen=True)
class Probe:
    """A text or a pair written to find out one thing about a model. category: what it probes. expected: name of the class."""

    category: str
    texts: tuple[str, ...]
    expected: str


@dataclass(frozen=True)
class ProbeAnswer:
    """What a model answered to a probe. label: name of the class; probability: of that class, calibrated."""

    probe: Probe
    label: str
    probability: float

    @property
    def right(self) -> bool:
        return self.label == self.probe.expected


@dataclass(frozen=True)
class ProbeScore:
    """How many of the n probes of a category were answered right, as a share, with its 95 % interval."""

    category: str
    n: int
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class Probing:
    """What a model made of the probes. answers: one a probe. scores: one a category, in the order of the probes; overall: of
    all of them."""

    answers: tuple[ProbeAnswer, ...]
    scores: tuple[ProbeScore, ...]
    overall: ProbeScore

    @property
    def given(self) -> dict[str, int]:
        """How often each label that is expected somewhere was the answer."""
        labels = sorted({answer.probe.expected for answer in self.answers})
        return {label: sum(answer.label == label for answer in self.answers) for label in labels}


@dataclass(frozen=True, eq=False)
class HeadProfile:
    """What every head does over many inputs: means over the queries of an input, then over inputs.

    rows: inputs. statistics: `(L, H)` by name (`analysis.head_profile.STATISTICS`). redundancy: `(L·H, L·H)`, 1 where two
    heads look the same way at every token, layer by layer; over `pair_rows` of the inputs.
    """

    rows: int
    statistics: Mapping[str, np.ndarray]
    pair_rows: int
    redundancy: np.ndarray


@dataclass(frozen=True, eq=False)
class Health:
    """What is known of a model from the validation split, before anything is read into its heads.

    labels: the classes. pair: two texts instead of one. figures: by the names of `metrics.json`. accuracy_interval,
    auc_interval: 95 %. answered: `(C,)` share of the inputs that got each answer. spread: the probability of the last class
    at the 5th and at the 95th percentile of the inputs.
    """

    labels: tuple[str, ...]
    pair: bool
    figures: Mapping[str, object]
    accuracy_interval: tuple[float, float]
    auc_interval: tuple[float, float]
    answered: tuple[float, ...]
    spread: tuple[float, float]
    calibration: Calibration
    slices: tuple[Slice, ...]
    heads: HeadProfile


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
class HeadImportance:
    """What a model's answers lose without each head, over n labelled rows. Arrays are `(L, H)`, intervals `(L, H, 2)` of 95 %.

    accuracy, loss: of the model with all its heads. accuracy_change, loss_change: without the head minus with it; accuracy
    as a share, loss in nats. taylor: mean size of the loss's slope at the head's gate; taylor_per_layer: the same divided by
    the norm of its layer, so that layers compare.
    """

    n: int
    accuracy: float
    loss: float
    accuracy_change: np.ndarray
    accuracy_interval: np.ndarray
    loss_change: np.ndarray
    loss_interval: np.ndarray
    taylor: np.ndarray
    taylor_per_layer: np.ndarray

    @property
    def most_missed(self) -> tuple[int, int]:
        """Layer and head, from 0, without which the loss rises most."""
        layer, head = np.unravel_index(np.argmax(self.loss_change), self.loss_change.shape)
        return int(layer), int(head)


@dataclass(frozen=True, eq=False)
class PruneCurve:
    """Accuracy and loss as more and more heads are masked: `(P,)` the least important first, `(R, P)` in R random orders.

    n: rows that were answered. masked: `(P,)` how many heads are masked, from none to all. majority: accuracy of answering
    always the commonest label.
    """

    n: int
    masked: np.ndarray
    accuracy: np.ndarray
    loss: np.ndarray
    random_accuracy: np.ndarray
    random_loss: np.ndarray
    majority: float


@dataclass(frozen=True, eq=False)
class AnsweredRows:
    """Rows of a corpus or a file, each with what a model answered; all are aligned with `numbers`.

    numbers: `(N,)` of the rows, as they are shown. texts: one or two per row. classes: the names of the labels. labels: `(N,)`
    the truth, -1 where it is not known. answers: `(N,)`. confidence: `(N,)` probability of the answer that was given.
    """

    numbers: np.ndarray
    texts: tuple[tuple[str, ...], ...]
    classes: tuple[str, ...]
    labels: np.ndarray
    answers: np.ndarray
    confidence: np.ndarray

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def right(self) -> int:
        """How many of the answers are true."""
        return int((self.answers == self.labels).sum())

    def at(self, places: np.ndarray) -> AnsweredRows:
        """Some of the rows, in the order of their places `(M,)`."""
        return AnsweredRows(self.numbers[places], tuple(self.texts[place] for place in places), self.classes,
                            self.labels[places], self.answers[places], self.confidence[places])


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
        return int(((tries >= threshold) != (self.original >= threshold)).sum()), len(tries)
