"""Word alignments: pairs of sentences aligned by hand, and how well a model's alignments agree with them."""

from dataclasses import dataclass

Link = tuple[int, int]  # indices of a source word and a target word, from 0
QUERIES = ("produces", "reads")  # query of a target word: that of the token before it, which predicts it, or its own
BASELINES = ("leave_one_out", "diagonal", "random")


@dataclass(frozen=True)
class AlignedPair:
    """A sentence and its translation, aligned by hand (Och and Ney 2003, section 5).

    Attributes:
        source, target: The words.
        sure: Links without doubt.
        possible: The sure links, and links that are as right as others or none, such as those of
            function words.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[Link]
    possible: frozenset[Link]


@dataclass(frozen=True)
class AlignmentScore:
    """Agreement of one method's alignments with those made by hand, over all pairs, from 0 to 1.

    Attributes:
        method: `attention`, `leave_one_out`, `diagonal` or `random`.
        query: For attention, one of QUERIES, else empty.
        layer, head: From 0, None for the mean over all.
        error_rate: Lower is better.
        low, high: 95% interval over sentences; for `random`, the range of 95% of the draws.
        precision, recall: Share of the links that are possible, and share of the sure links that
            are found.
    """

    method: str
    error_rate: float
    low: float
    high: float
    precision: float
    recall: float
    query: str = ""
    layer: int | None = None
    head: int | None = None

    @property
    def name(self) -> str:
        """A single head as `layer.head`, from 1; empty for any other method."""
        return "" if self.layer is None or self.head is None else f"{self.layer + 1}.{self.head + 1}"


@dataclass(frozen=True)
class WordAlignment:
    """The alignments of a model and its baselines, measured on pairs aligned by hand.

    Attributes:
        pairs, sure, possible: Number of sentence pairs and of links.
        scores: Scores of all methods.
        selected: Error rate if the head and the query are chosen anew for each pair, on the other
            pairs.
        gain: Difference between the diagonal's error rate and `selected`, with its 95% interval.

    Raises:
        ValueError: Unless there are scores of heads and their mean, by both queries, and of all
            BASELINES.
    """

    pairs: int
    sure: int
    possible: int
    scores: tuple[AlignmentScore, ...]
    selected: float
    gain: tuple[float, float, float]

    def __post_init__(self) -> None:
        kinds = {(score.method, score.query, score.head is None) for score in self.scores}
        needed = {("attention", query, mean) for query in QUERIES for mean in (True, False)}
        if missing := (needed | {(method, "", True) for method in BASELINES}) - kinds:
            raise ValueError(f"scores of {sorted(missing)} are missing: add them")

    def of(self, method: str) -> AlignmentScore:
        """Score of a method other than attention."""
        return next(score for score in self.scores if score.method == method)

    def heads(self, query: str) -> tuple[AlignmentScore, ...]:
        """Scores of single heads, layer by layer."""
        return tuple(score for score in self.scores if score.query == query and score.head is not None)

    def mean(self, query: str, layer: int | None = None) -> AlignmentScore:
        """Score of the mean over the heads of a layer, or over all heads."""
        return next(
            score for score in self.scores if score.query == query and score.head is None and score.layer == layer
        )

    @property
    def best(self) -> AlignmentScore:
        """Head with the lowest error rate, with the query that gives it."""
        return min((score for query in QUERIES for score in self.heads(query)), key=lambda score: score.error_rate)
