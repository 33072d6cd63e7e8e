"""A model's prediction and attention for one input, and the parts of the attention that are plotted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from viz_core.records.decisions import decide
from viz_core.records.head_weights import HeadWeights
from viz_core.records.inputs import Encoding
from viz_core.records.messages import Message

# Tasks of models from elsewhere (viz_core/adapters): those that read a text or a pair, and those that translate.
ELSEWHERE = OTHER, OTHER_TRANSLATION = "other", "other_translation"
Measure = Literal["weights", "norms"]  # attention weights α, or value-weighted, ‖α f(x)‖ (analysis/value_norms.py)


@dataclass(frozen=True, eq=False)
class Explanation:
    """A model's prediction and attention for one input.

    Attributes:
        labels: Names of the classes, aligned with `probabilities` `(C,)` (calibrated); C is 0 for a
            model from elsewhere without a classifier.
        threshold: With two classes, the second is predicted from this probability on; None with
            more.
        attention: `(L, H, T, T)` float32, rows sum to 1; `(0, 0, T, T)` for a model without
            attention. Of a long text, weights that are computed when they are asked for.
        pooling: `cls` or `mean`; `last` for the next token; empty without a classifier.
        measure: What `attention` contains; value-weighted norms do not sum to 1.
        kind: `causal` if no query attends to a later key; the classes of such a model are the
            likeliest next tokens, whose probabilities sum to less than 1.
        label_ids: The ids of these tokens, aligned with `labels`.
    """

    model: str
    task: str
    encoding: Encoding
    labels: tuple[str, ...]
    probabilities: np.ndarray
    threshold: float | None
    attention: HeadWeights
    pooling: str
    notices: tuple[Message, ...] = ()
    measure: Measure = "weights"
    kind: Literal["self", "causal"] = "self"
    label_ids: tuple[int, ...] = ()

    @property
    def has_prediction(self) -> bool:
        """Whether the model has a classifier."""
        return len(self.probabilities) > 0

    @property
    def predicted(self) -> int:
        """Index of the predicted class.

        Raises:
            ValueError: If there are no classes.
        """
        return int(decide(self.probabilities, self.threshold))

    def logit(self, label: int) -> int:
        """Return the place of a class among the logits of the model: of a next token, its id."""
        return self.label_ids[label] if self.label_ids else label

    @property
    def fixed(self) -> np.ndarray:
        """Tokens that no analysis removes, `(T,)` bool: special ones, and in causal attention the first.

        Most heads of a language model attend to its first token, whatever that is (Xiao et al. 2023,
        https://arxiv.org/abs/2309.17453, section 3.1), so without it every number is another one.
        """
        is_first = np.arange(len(self.encoding.ids)) == 0
        return self.encoding.special | (is_first & (self.kind == "causal"))

    @property
    def has_attention(self) -> bool:
        """Whether the model has attention."""
        return self.attention.shape[0] > 0


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """Attention from queries (rows) to keys (columns), ready to be plotted.

    Attributes:
        weights: `(Q, K)`.
        queries, keys: Labels of rows and columns.
        query_groups, key_groups: Their segments, `(Q,)` and `(K,)`, -1 for special tokens.
        title: Title of the plot.
        renormalised: Whether rows were rescaled to sum to 1.
        signed: Whether the weights are differences.
        reach: In causal attention, the number of keys that each query can attend to, `(Q,)`, which
            are the first ones; None if it can attend to all.
        measure: What the numbers are.
    """

    queries: tuple[str, ...]
    keys: tuple[str, ...]
    weights: np.ndarray
    query_groups: np.ndarray
    key_groups: np.ndarray
    title: Message
    renormalised: bool = False
    signed: bool = False
    reach: np.ndarray | None = None
    measure: Measure = "weights"

    @property
    def unreachable(self) -> np.ndarray:
        """Keys that a query cannot attend to because they are later tokens, `(Q, K)` bool."""
        if self.reach is None:
            return np.zeros(self.weights.shape, bool)
        return np.arange(len(self.keys)) >= self.reach[:, None]


@dataclass(frozen=True, eq=False)
class TokenWeights:
    """One weight per token (or word): attention from [CLS] to it, or received from all tokens.

    Attributes:
        labels: The tokens or words.
        weights: `(N,)`.
        groups: `(N,)` segment, -1 for special tokens.
        spans: `(N, 2)` start and end in the text of the segment, `(0, 0)` for special tokens.
        texts: As typed.
        title: What the weights are.
        measure: Kind of attention weights; norms are not shares.
    """

    labels: tuple[str, ...]
    weights: np.ndarray
    groups: np.ndarray
    spans: np.ndarray
    texts: tuple[str, ...]
    title: Message
    measure: Measure = "weights"


@dataclass(frozen=True, eq=False)
class HeadStatistics:
    """Statistics of each head on one input: arrays `(L, H)` float32, means over queries.

    The attributes not listed are the weight on related keys (analysis/heads/criteria.py): [CLS],
    all [SEP] together, all punctuation, the token itself, the previous and the next one, the same
    token of the other text; of causal attention the first token, earlier tokens equal to the query,
    and those that follow them. They are None where no query has such a key, or none that it can
    attend to. In cross-attention, whose queries and keys are in different sentences, distance, self,
    previous and next are None, too.

    Attributes:
        entropy: Entropy of the attention weights, divided by its maximum: 0 (a single key) to 1
            (uniform).
        received: `(L, H, K)`, the weight on each key.
        distance: Between query and key in tokens, weighted by attention.
        uniform: For comparison, the statistics by name, without `received`, of a head whose queries
            give the same weight to every key that they can attend to.
    """

    entropy: np.ndarray
    received: np.ndarray
    distance: np.ndarray | None = None
    cls: np.ndarray | None = None
    sep: np.ndarray | None = None
    punctuation: np.ndarray | None = None
    self: np.ndarray | None = None
    previous: np.ndarray | None = None
    next: np.ndarray | None = None
    same: np.ndarray | None = None
    first: np.ndarray | None = None
    duplicate: np.ndarray | None = None
    induction: np.ndarray | None = None
    uniform: Mapping[str, float] = field(default_factory=dict)
