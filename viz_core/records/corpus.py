"""Results over a whole corpus: training curves, health, head statistics and predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from viz_core.records.figures import Figures
from viz_core.records.inputs import BehaviouralTest


@dataclass(frozen=True, eq=False)
class Curve:
    """One quantity over the evaluations of a training run.

    Attributes:
        run: Name of the run.
        kind: The quantity and split: `train`, `validation`, `auc`, `mcc`, `lr`.
        epochs, values: `(N,)`, NaN where it was not measured.
    """

    run: str
    kind: str
    epochs: np.ndarray
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class Calibration:
    """A reliability diagram: bins of equal width from 0 to 1, every array `(15,)`.

    Attributes:
        confidence, accuracy: Means over the inputs in a bin; NaN for an empty bin.
        low, high: 95% interval of the accuracy; NaN for an empty bin.
        count: Inputs in the bin.
    """

    confidence: np.ndarray
    accuracy: np.ndarray
    low: np.ndarray
    high: np.ndarray
    count: np.ndarray


@dataclass(frozen=True)
class Slice:
    """Accuracy on a part of the inputs.

    Attributes:
        kind: `length` (tokens), `overlap` (share of common characters) or `negation` (number of
            negations).
        begin, end: Range of that quantity; end is None if open.
        n: Number of inputs.
        accuracy, low, high: Accuracy with its 95% interval.
        baseline: Accuracy on this slice of always predicting the class that is most frequent over
            all inputs.
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
class BehaviouralPrediction:
    """The prediction for a behavioural test.

    Attributes:
        label: Name of the predicted class.
        probability: Its probability, calibrated.
    """

    test: BehaviouralTest
    label: str
    probability: float

    @property
    def correct(self) -> bool:
        """Whether the prediction is the expected class."""
        return self.label == self.test.expected


@dataclass(frozen=True)
class CategoryScore:
    """Accuracy on the n behavioural tests of a category, with its 95% interval."""

    category: str
    n: int
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class BehaviouralResults:
    """Results of the behavioural tests.

    Attributes:
        predictions: In the order of the tests.
        scores: One per category.
        overall: Score over all tests.
    """

    predictions: tuple[BehaviouralPrediction, ...]
    scores: tuple[CategoryScore, ...]
    overall: CategoryScore

    @property
    def baseline(self) -> float:
        """Accuracy of always predicting the label that is expected most often."""
        expected = Counter(prediction.test.expected for prediction in self.predictions)
        return max(expected.values()) / len(self.predictions)

    @property
    def predicted_counts(self) -> dict[str, int]:
        """How often each of the expected labels was predicted."""
        labels = sorted({prediction.test.expected for prediction in self.predictions})
        return {label: sum(prediction.label == label for prediction in self.predictions) for label in labels}


@dataclass(frozen=True, eq=False)
class HeadProfile:
    """Statistics of every head over many inputs: means over the queries of an input, then over inputs.

    Attributes:
        rows: Number of inputs.
        statistics: `(L, H)` by name (`analysis.head_profile.STATISTICS`).
        redundancy: `(L·H, L·H)`, heads ordered by layer, 1 where two heads have identical
            attention; computed on `pair_rows` of the inputs.
        uniform: For comparison, the statistics by name of a head that spreads each query's weight
            evenly over all tokens; empty in files of earlier versions.
    """

    rows: int
    statistics: Mapping[str, np.ndarray]
    pair_rows: int
    redundancy: np.ndarray
    uniform: Mapping[str, float] = field(default_factory=dict)


def tracked_class(predicted_shares: Sequence[float] | np.ndarray) -> int:
    """Class whose probability a health check tracks: the second of two, else the most often predicted.

    Args:
        predicted_shares: Share of the inputs for which each class is predicted, `(C,)`; for a
            single input, its probabilities.
    """
    classes = len(predicted_shares)
    return classes - 1 if classes == 2 else int(np.argmax(predicted_shares))


@dataclass(frozen=True, eq=False)
class Health:
    """What the validation split says about a model, to be read before its attention is interpreted.

    Attributes:
        labels: The classes.
        pair: Whether inputs have two texts.
        figures: Metrics on validation, where temperature and threshold were fitted.
        accuracy_interval, auc_interval: 95% intervals.
        predicted_shares: Share of the inputs for which each class is predicted, `(C,)`.
        spread: 5th and 95th percentile of the probability of `tracked_class`.
        heads: None for a model without attention.
        cross_fitted: N, accuracy, MCC, F1 and ECE, with temperature and threshold of each input
            fitted on other inputs, as for `calibration`. None in files of earlier versions, whose
            `calibration` was not cross-fitted.
    """

    labels: tuple[str, ...]
    pair: bool
    figures: Figures
    accuracy_interval: tuple[float, float]
    auc_interval: tuple[float, float]
    predicted_shares: tuple[float, ...]
    spread: tuple[float, float]
    calibration: Calibration
    slices: tuple[Slice, ...]
    heads: HeadProfile | None
    cross_fitted: Figures | None = None

    @property
    def tracked_class(self) -> int:
        """Index of the class whose probability `spread` describes."""
        return tracked_class(self.predicted_shares)


@dataclass(frozen=True, eq=False)
class HeadImportance:
    """Effect of masking each head, over n labelled rows.

    Arrays are `(L, H)`, 95% intervals `(L, H, 2)`.

    Attributes:
        accuracy, loss: Of the model with all heads.
        accuracy_change, loss_change: Without the head minus with it; accuracy as a share, loss in
            nats.
        taylor: Mean absolute gradient of the loss at the head's gate (Michel et al. 2019, section
            4.1).
        taylor_per_layer: `taylor` divided by the norm over its layer, so that layers are
            comparable.
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
    def most_important(self) -> tuple[int, int]:
        """Layer and head, from 0, whose masking raises the loss most."""
        layer, head = np.unravel_index(np.argmax(self.loss_change), self.loss_change.shape)
        return int(layer), int(head)


@dataclass(frozen=True, eq=False)
class PruneCurve:
    """Accuracy and loss as more heads are masked.

    Attributes:
        n: Number of rows.
        masked: `(P,)` number of masked heads, from none to all.
        accuracy, loss: `(P,)`, least important heads first.
        random_accuracy, random_loss: `(R, P)`, in R random orders.
        majority: Accuracy of the majority-class baseline.
    """

    n: int
    masked: np.ndarray
    accuracy: np.ndarray
    loss: np.ndarray
    random_accuracy: np.ndarray
    random_loss: np.ndarray
    majority: float


@dataclass(frozen=True, eq=False)
class PredictedRows:
    """Rows of a corpus or a file with a model's predictions, all aligned with `numbers`.

    Attributes:
        numbers: `(N,)` row numbers as displayed.
        texts: One or two per row.
        classes: Names of the classes.
        labels: `(N,)` true classes, -1 where unknown.
        predictions: `(N,)` predicted classes.
        confidence: `(N,)` probabilities of the predicted classes.
    """

    numbers: np.ndarray
    texts: tuple[tuple[str, ...], ...]
    classes: tuple[str, ...]
    labels: np.ndarray
    predictions: np.ndarray
    confidence: np.ndarray

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def correct(self) -> int:
        """Number of correct predictions."""
        return int((self.predictions == self.labels).sum())

    def at(self, positions: np.ndarray) -> PredictedRows:
        """Select the rows at these positions `(M,)`, in their order."""
        return PredictedRows(
            self.numbers[positions],
            tuple(self.texts[position] for position in positions),
            self.classes,
            self.labels[positions],
            self.predictions[positions],
            self.confidence[positions],
        )
