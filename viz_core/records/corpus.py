"""What a model does over a whole corpus: its curves, health, heads and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from viz_core.records.figures import Figures
from viz_core.records.inputs import Probe


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

    labels: the classes. pair: two texts instead of one. figures: on validation. accuracy_interval,
    auc_interval: 95 %. answered: `(C,)` share of the inputs that got each answer. spread: the probability of the last class, of
    more than two that of the commonest answer, at the 5th and at the 95th percentile of the inputs. heads: None of a model
    without attention.
    """

    labels: tuple[str, ...]
    pair: bool
    figures: Figures
    accuracy_interval: tuple[float, float]
    auc_interval: tuple[float, float]
    answered: tuple[float, ...]
    spread: tuple[float, float]
    calibration: Calibration
    slices: tuple[Slice, ...]
    heads: HeadProfile | None


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
        return AnsweredRows(
            self.numbers[places],
            tuple(self.texts[place] for place in places),
            self.classes,
            self.labels[places],
            self.answers[places],
            self.confidence[places],
        )
