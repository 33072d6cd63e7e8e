"""Decoding by greedy search and sampling; beam search is in beam_search.py.

A model is known only by its `advance` (`protocol.Generator`), which maps the state of N sequences
and the next token of each, `(N,)`, to the logits of the tokens that follow, `(N, C)`, and the new
state.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from viz_core.models.protocol import S

Advance = Callable[[S, Tensor], tuple[Tensor, S]]
Pick = Callable[[Tensor], Tensor]  # logits `(N, C)` -> tokens `(N,)`


@dataclass(frozen=True)
class Vocabulary:
    """Special ids for decoding.

    Attributes:
        begin: Id of the token before the first one.
        end: Id of the token after the last one.
        excluded: Ids that are never produced.
        other_ends: Further ids that end a sequence, such as the end of a turn of a chat.
    """

    begin: int
    end: int
    excluded: tuple[int, ...] = ()
    other_ends: tuple[int, ...] = ()

    def ends(self, token: int) -> bool:
        """Whether a token ends a sequence."""
        return token == self.end or token in self.other_ends


@dataclass(frozen=True)
class Hypothesis:
    """A decoded sequence.

    Attributes:
        tokens: Without begin and end.
        log_probability: Of all tokens, including the end.
        complete: False if it was cut off at the length limit.
    """

    tokens: tuple[int, ...]
    log_probability: float
    complete: bool

    def score(self, length_penalty: float) -> float:
        """Return the log-probability divided by ((5 + T) / 6)^α, T including the end (Wu et al. 2016, section 7)."""
        return self.log_probability / ((5 + len(self.tokens) + self.complete) / 6) ** length_penalty


def greedy(advance: Advance[S], state: S, count: int, vocabulary: Vocabulary, limit: int) -> list[Hypothesis]:
    """Decode `count` sequences of up to `limit` tokens, each time taking the likeliest token."""
    return _extend(advance, state, count, vocabulary, limit, likeliest)


def likeliest(logits: Tensor) -> Tensor:
    """Pick the likeliest tokens `(N,)` from logits `(N, C)`."""
    return logits.argmax(-1)


def sample(
    advance: Advance[S],
    state: S,
    count: int,
    vocabulary: Vocabulary,
    limit: int,
    temperature: float = 1.0,
    generator: torch.Generator | None = None,
) -> list[Hypothesis]:
    """Decode like `greedy`, but sample each token; log-probabilities are those at temperature 1."""
    return _extend(advance, state, count, vocabulary, limit, sampler(Shaping(temperature), generator))


@dataclass(frozen=True)
class Shaping:
    """What makes of the distribution of the next token the one that is sampled from, in this order.

    Attributes:
        temperature: Divides the logits.
        top_k: Number of likeliest tokens that remain; 0 for all (Fan et al. 2018,
            https://arxiv.org/abs/1805.04833, section 5.4).
        top_p: The likeliest tokens remain, as few as have this probability together (nucleus
            sampling: Holtzman et al. 2020, https://arxiv.org/abs/1904.09751, section 3.1).

    Raises:
        ValueError: If the temperature is not above 0 and finite, `top_k` is negative, or `top_p` is
            not above 0 and at most 1.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0

    def __post_init__(self) -> None:
        """Check the settings."""
        if not 0 < self.temperature < math.inf:
            raise ValueError(f"temperature is {self.temperature}: it must be above 0 and finite")
        if self.top_k < 0:
            raise ValueError(f"top_k is {self.top_k}: it must be 0, for all tokens, or the number of tokens to keep")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p is {self.top_p}: it must be above 0 and at most 1")

    def probabilities(self, logits: Tensor) -> Tensor:
        """Compute from logits `(…, C)` the probabilities to sample from, float64."""
        differences = logits.double() - logits.amax(-1, keepdim=True)  # 0 / temperature is 0, however small that is
        probabilities = (differences / self.temperature).softmax(-1)
        if self.top_k or self.top_p < 1:
            likeliest, ids = probabilities.sort(dim=-1, descending=True, stable=True)
            if self.top_k:
                likeliest[..., self.top_k :] = 0
            likeliest = likeliest / likeliest.sum(-1, keepdim=True)
            likeliest[likeliest.cumsum(-1) - likeliest >= self.top_p] = 0  # those before it suffice
            probabilities = torch.zeros_like(probabilities).scatter(-1, ids, likeliest)
        return probabilities / probabilities.sum(-1, keepdim=True)


def sampler(shaping: Shaping, generator: torch.Generator | None = None) -> Pick:
    """Return a function that samples tokens from the shaped distribution."""
    return lambda logits: torch.multinomial(shaping.probabilities(logits), 1, generator=generator)[:, 0]


def steps(
    advance: Advance[S], state: S, vocabulary: Vocabulary, limit: int, pick: Pick, forced: Mapping[int, int]
) -> Iterator[tuple[Tensor, int]]:
    """Decode a single sequence, yielding each token as soon as it is known.

    The last token is the end, unless `limit` is reached first.

    Args:
        advance: Step of the model.
        state: Of a single row.
        vocabulary: Special ids.
        limit: Maximum number of tokens.
        pick: Chooses tokens `(N,)` from logits `(N, C)`.
        forced: Maps positions, from 0, to the token taken there whatever its probability, even an
            excluded one.

    Yields:
        The log-probabilities of all tokens `(C,)`, and the token taken.
    """
    token = vocabulary.begin
    for position in range(limit):
        logits, state = advance(state, torch.tensor([token]))
        logits = exclude(logits, vocabulary.excluded)
        token = forced[position] if position in forced else int(pick(logits)[0])
        yield logits[0].log_softmax(-1), token
        if vocabulary.ends(token):
            return


def _extend(
    advance: Advance[S], state: S, count: int, vocabulary: Vocabulary, limit: int, pick: Pick
) -> list[Hypothesis]:
    """Extend all sequences one token at a time; sequences that have ended leave the batch."""
    sequences: list[list[int]] = [[] for _ in range(count)]
    sums, complete = [0.0] * count, [False] * count
    rows = list(range(count))  # indices of the sequences that go on
    tokens = torch.full((count,), vocabulary.begin)
    while rows:
        logits, state = advance(state, tokens)
        logits = exclude(logits, vocabulary.excluded)
        tokens = pick(logits)
        chances = logits.log_softmax(-1).gather(-1, tokens[:, None])[:, 0].tolist()
        remaining = []
        for position, (row, token, chance) in enumerate(zip(rows, tokens.tolist(), chances, strict=True)):
            sums[row] += chance
            complete[row] = vocabulary.ends(token)
            if not complete[row]:
                sequences[row].append(token)
                if len(sequences[row]) < limit:
                    remaining.append(position)
        rows = [rows[position] for position in remaining]
        if rows and len(remaining) < len(tokens):
            index = torch.tensor(remaining, device=tokens.device)
            tokens, state = tokens[index], state.at(index)
    return [Hypothesis(tuple(row), total, end) for row, total, end in zip(sequences, sums, complete, strict=True)]


def exclude(logits: Tensor, ids: tuple[int, ...]) -> Tensor:
    """Return the logits in 32 bits, with -inf for these ids."""
    logits = logits.float()
    if ids:
        logits = logits.index_fill(-1, torch.tensor(ids, device=logits.device), -torch.inf)
    return logits
