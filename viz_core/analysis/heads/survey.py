"""A survey of the heads of a model over a corpus, in one pass over its texts, in bounded memory.

Of each statistic the mean over inputs with its interval and its controls, and by deciles the inputs that
show it: the strongest alone would flatter the head (Bolukbasi et al. 2021, "An Interpretability Illusion
for BERT", https://arxiv.org/abs/2104.07143). Controls are a uniform head, and for what depends on which
token is where, the same weights with the tokens of each text in random order.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, cast

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.explain import input_tensors
from viz_core.analysis.heads.profile import divergences
from viz_core.analysis.heads.queries import OF_TOKENS, Side, criteria_of_queries, query_statistics, uniform_attention
from viz_core.analysis.heads.token_pairs import PairCounts
from viz_core.analysis.translation.live import translate_text
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import reads_source
from viz_core.records import DECILES, DISTANCE_BINS, POSITIONS, CorpusStatistic, Failure, HeadSurvey
from viz_core.records.translation import Kind
from viz_core.statistics.intervals import paired_interval

PASSAGES = 12_000  # of all heads, statistics and deciles together, so that the file of a survey stays small
MOST_PASSAGES = 3  # of a decile
QUERIES = 32  # of an input for the divergence, drawn at random
_DIVERGENCE_WORK = 40_000_000  # pairs of heads, times queries, over all inputs
_DIVERGENCE_INPUTS = range(10, 201)

# What changes with each input: by statistic, counts, and sums.
_LISTS = ("values", "shown", "rows", "uniform", "shuffled")
_COUNTS, _SUMS = ("inputs", "tokens", "divergence_inputs"), ("distances", "positions", "divergence")

ArraysByKind = Mapping[str, Mapping[str, np.ndarray]]  # what surveys have, by kind of attention and name
Reading = tuple[Tensor, Side, Side]  # attention (L, H, Q, K), tokens of its queries and of its keys


class Kept(Protocol):
    """Keeps the state of a survey."""

    @property
    def is_due(self) -> bool:
        """Whether it is time to write."""

    def read(self) -> tuple[int, ArraysByKind]:
        """The number of inputs done, 0 for a new survey, and what is known of them."""

    def write(self, done: int, surveys: ArraysByKind) -> None:
        """Replace what was kept."""


def survey_heads(
    checkpoint: Checkpoint,
    texts: Sequence[Sequence[str]],
    rows: Sequence[int],
    progress: Callable[[int, int], None] = lambda done, total: None,
    kept: Kept | None = None,
    passages: int = PASSAGES,
) -> tuple[HeadSurvey, ...]:
    """Survey the heads over texts, one record for each kind of attention.

    Args:
        texts: One or two texts of each input; of a translation the source and a reference.
        rows: Number of each input, by which passages are named.
        progress: Called with the number of inputs done and of all; an exception that it raises ends
            the survey.
        kept: Keeps what the survey has, now and then and when `progress` ends it. Another call goes
            on from there, to the same result.
        passages: How many are named, for all heads, statistics and deciles; one of each at least.

    Raises:
        Failure: For a model without attention, if its attention is not finite, or if no text can be
            read.
    """
    checkpoint.require_attention()
    inputs, vocabulary = [*zip(rows, texts, strict=True)], checkpoint.text_encoder.vocabulary
    first, arrays = kept.read() if kept else (0, {})
    surveys = {cast(Kind, kind): _Survey.restored(kind, of, vocabulary, len(inputs)) for kind, of in arrays.items()}

    def report(done: int) -> None:
        goes_on = False
        try:
            progress(done, len(inputs))
            goes_on = True
        finally:
            if kept and (kept.is_due or not goes_on):
                kept.write(done, {kind: survey.state() for kind, survey in surveys.items()})

    with torch.inference_mode():
        for done, (row, parts) in enumerate(inputs[first:], first):
            report(done)
            for kind, reading in _read(checkpoint, parts).items():
                if kind not in surveys:
                    surveys[kind] = _Survey(kind, reading[0].shape[:2], vocabulary, len(inputs))
                surveys[kind].add(row, *reading)
    report(len(inputs))
    if not surveys:
        raise Failure("heads.no_texts", name=checkpoint.name)
    return tuple(survey.result(passages) for survey in surveys.values())


def _read(checkpoint: Checkpoint, texts: Sequence[str]) -> dict[Kind, Reading]:
    """Attention of an input by kind; none if it cannot be read, as a text without tokens."""
    try:
        if reads_source(checkpoint.model):
            return _read_translation(checkpoint, *texts)
        encoding = checkpoint.text_encoder.encode(*texts)
    except Failure:
        return {}
    output, side = checkpoint.model(*input_tensors(encoding), need_attention=True), Side.of(encoding)
    return {
        kind: (_finite(checkpoint, weights[:, 0].float()), side, side) for kind, weights in output.attention.items()
    }


def _read_translation(checkpoint: Checkpoint, source: str, reference: str) -> dict[Kind, Reading]:
    translation = translate_text(checkpoint, source, reference)
    readings: dict[Kind, Reading] = {}
    for kind, weights in translation.attention.items():
        queries, keys = translation.sides(kind)
        side = Side.of(keys)
        attention = _finite(checkpoint, torch.from_numpy(weights.copy()))
        readings[kind] = attention, side if queries is keys else Side.of(queries), side
    return readings


def _finite(checkpoint: Checkpoint, weights: Tensor) -> Tensor:
    if not torch.isfinite(weights).all():
        raise Failure("analysis.no_numbers", name=f"{checkpoint.task.name}/{checkpoint.name}")
    return weights


class _Survey:
    """What is kept of the inputs of one kind of attention: numbers of each head, never attention or text."""

    def __init__(self, kind: Kind, shape: Sequence[int], vocabulary: int, inputs: int) -> None:
        self.kind, self.shape = kind, tuple(shape)
        self.heads = shape[0] * shape[1]
        self.inputs = self.tokens = 0
        self.values: dict[str, list[np.ndarray]] = {}  # by statistic, of each input (N,)
        self.shown: dict[str, list[np.ndarray]] = {}  # the query that shows it best, (N,)
        self.rows: dict[str, list[int]] = {}
        self.uniform: dict[str, list[float]] = {}
        self.shuffled: dict[str, list[np.ndarray]] = {}
        self.pairs = PairCounts(self.heads, vocabulary, kind)
        self.distances = np.zeros((self.heads + 1, len(DISTANCE_BINS)))  # the last row is of a uniform head
        self.positions = np.zeros((self.heads + 1, POSITIONS + 1, POSITIONS + 1))  # the same, summed over queries
        self.divergence, self.divergence_inputs = np.zeros((self.heads, self.heads)), 0
        affordable = _DIVERGENCE_WORK // (self.heads**2 * QUERIES)
        self.most_divergence_inputs = min(max(affordable, _DIVERGENCE_INPUTS[0]), _DIVERGENCE_INPUTS[-1], inputs)
        self.random = np.random.default_rng(0)

    def add(self, row: int, attention: Tensor, queries: Side, keys: Side) -> None:
        """Measure an input. Its attention is `(L, H, Q, K)`."""
        attention = attention.flatten(0, 1)  # (N, Q, K)
        Q, K = attention.shape[1:]
        even = uniform_attention(Q, K, self.kind)[None]
        both = queries, keys, self.kind
        controls = query_statistics(even, *both)
        content = torch.from_numpy(~queries.special)
        for name, values in query_statistics(attention, *both).items():
            if not values.isfinite().any():
                continue
            self.values.setdefault(name, []).append(values.nanmean(1).numpy())
            self.shown.setdefault(name, []).append(_best_query(name, values, content).astype(np.int32))
            self.rows.setdefault(name, []).append(row)
            self.uniform.setdefault(name, []).append(float(controls[name].nanmean()))
        self._add_shuffled(attention, queries, keys)
        self.pairs.add(attention.argmax(-1).numpy(), queries, keys)
        with_even = torch.cat([attention, even])
        self.distances += by_distance(with_even)
        self.positions += by_position(with_even)
        if self.divergence_inputs < self.most_divergence_inputs:
            some = self.random.choice(Q, min(Q, QUERIES), replace=False)
            self.divergence += divergences(attention[:, some]).numpy()
            self.divergence_inputs += 1
        self.inputs += 1
        self.tokens += Q

    def state(self) -> dict[str, np.ndarray]:
        """Everything that changes with the inputs, as arrays; `restored` takes them."""
        lists = {
            f"{part}/{name}": np.array(entries) for part in _LISTS for name, entries in getattr(self, part).items()
        }
        random = json.dumps(self.random.bit_generator.state).encode()
        return {
            "shape": np.array(self.shape),
            "counts": np.array([getattr(self, name) for name in _COUNTS]),
            "random": np.frombuffer(random, np.uint8),
            **{name: getattr(self, name) for name in _SUMS},
            **lists,
            **{f"pairs/{name}": array for name, array in self.pairs.state().items()},
        }

    @classmethod
    def restored(cls, kind: str, arrays: Mapping[str, np.ndarray], vocabulary: int, inputs: int) -> "_Survey":
        """A survey as it was when `state` was called."""
        survey = cls(cast(Kind, kind), arrays["shape"].tolist(), vocabulary, inputs)
        for name, count in zip(_COUNTS, arrays["counts"].tolist(), strict=True):
            setattr(survey, name, count)
        for name in _SUMS:
            setattr(survey, name, arrays[name])
        survey.random.bit_generator.state = json.loads(arrays["random"].tobytes())
        for key, array in arrays.items():
            part, _, name = key.partition("/")
            if part in _LISTS:
                getattr(survey, part)[name] = array.tolist() if array.ndim == 1 else [*array]
        pairs = {key.removeprefix("pairs/"): array for key, array in arrays.items() if key.startswith("pairs/")}
        survey.pairs.restore(pairs)
        return survey

    def _add_shuffled(self, attention: Tensor, queries: Side, keys: Side) -> None:
        shuffled = keys.shuffled(self.random)
        other = shuffled if queries is keys else queries
        for name, values in criteria_of_queries(attention, other, shuffled, self.kind).items():
            if name in OF_TOKENS and values.isfinite().any():
                self.shuffled.setdefault(name, []).append(values.nanmean(1).numpy())

    def result(self, most: int) -> HeadSurvey:
        """The record of all inputs so far, with at most so many passages."""
        passages = most // (self.heads * len(self.values) * DECILES)
        passages = min(max(passages, 1), MOST_PASSAGES)
        queries = self.positions[-1].sum(1, keepdims=True)  # at each position: their weights sum to 1
        positions = self.positions / np.maximum(queries, 1)
        return HeadSurvey(
            self.kind,
            self.inputs,
            self.tokens,
            {name: self._statistic(name, passages) for name in self.values},
            self.divergence / self.divergence_inputs,
            self.divergence_inputs,
            self.pairs.result(),
            (self.distances[:-1] / self.inputs).reshape(*self.shape, -1),
            self.distances[-1] / self.inputs,
            positions[:-1].reshape(*self.shape, *positions.shape[1:]),
            positions[-1],
        )

    def _statistic(self, name: str, passages: int) -> CorpusStatistic:
        values = np.stack(self.values[name], 1)  # (N, I)
        places = decile_places(values, passages)  # (N, 10, k)
        shown = np.stack(self.shown[name], 1)  # (N, I)
        queries = np.take_along_axis(shown, places.reshape(self.heads, -1), 1).reshape(places.shape)
        per_head = self.shape + places.shape[1:]
        shuffled = self.shuffled.get(name)
        return CorpusStatistic(
            values.shape[1],
            values.mean(1).reshape(self.shape),
            paired_interval(values).reshape(*self.shape, 2),
            float(np.mean(self.uniform[name])),
            np.mean(shuffled, 0).reshape(self.shape) if shuffled else np.zeros(0),
            np.where(places < 0, -1, np.array(self.rows[name])[places]).reshape(per_head),
            np.where(places < 0, -1, queries).reshape(per_head),
        )


def _best_query(name: str, values: Tensor, content: Tensor) -> np.ndarray:
    """Position of the query that shows a statistic `(N, Q)` best, `(N,)`.

    The largest value, of the entropy the smallest; not at a special token, if there is another.
    """
    sign = -1 if name == "entropy" else 1
    ordered = (sign * values).nan_to_num(-torch.inf)
    usable = content & ordered.isfinite().all(0)
    return (ordered.masked_fill(~usable, -torch.inf) if usable.any() else ordered).argmax(1).numpy()


def decile_places(values: np.ndarray, count: int) -> np.ndarray:
    """Places of the highest values within each decile, `(N, 10, count)`, the highest first; -1 where there are fewer.

    Args:
        values: `(N, I)`.
    """
    order = np.argsort(values, 1, kind="stable")  # (N, I)
    places = np.full((len(values), DECILES, count), -1)
    for decile, part in enumerate(np.array_split(order, DECILES, axis=1)):
        top = part[:, ::-1][:, :count]
        places[:, decile, : top.shape[1]] = top
    return places


def by_distance(attention: Tensor) -> np.ndarray:
    """Share of the weight of N heads `(N, Q, K)` by distance, `(N, D)`, as a mean over queries (DISTANCE_BINS)."""
    N, Q, K = attention.shape
    # Rows of Q + K - 1 columns, read as rows of Q + K: each begins one column later, and a diagonal is a column.
    rows = torch.nn.functional.pad(attention, (0, Q - 1)).flatten(1)
    skewed = torch.nn.functional.pad(rows, (0, Q)).reshape(N, Q, Q + K)
    distances = np.r_[0:K, -Q:0]
    bins = np.digitize(distances, DISTANCE_BINS) - 1  # (Q + K,)
    return skewed.sum(1).numpy() @ (bins[:, None] == np.arange(len(DISTANCE_BINS))) / Q


def by_position(attention: Tensor) -> np.ndarray:
    """Weight of N heads `(N, Q, K)` by position of query and key, `(N, P, P)`, summed over both.

    The first POSITIONS count singly, those after them together.
    """
    queries, keys = (
        torch.nn.functional.one_hot(torch.arange(count).clamp(max=POSITIONS), POSITIONS + 1).to(attention.dtype)
        for count in attention.shape[1:]
    )
    return (queries.T @ (attention @ keys)).numpy()


def corpus_rows(count: int, most: int) -> np.ndarray:
    """Places of the inputs to survey, in a seeded random order: all, or `most` of them."""
    return np.random.default_rng(0).permutation(count)[:most]
