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
    """

    begin: int
    end: int
    excluded: tuple[int, ...] = ()


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
    return _extend(advance, state, count, vocabulary, limit, sampler(temperature, generator))


def sampler(temperature: float, generator: torch.Generator | None = None) -> Pick:
    """Return a function that samples tokens from the softmax of the logits divided by the temperature.

    Raises:
        ValueError: If the temperature is not above 0 and finite.
    """
    if not 0 < temperature < math.inf:
        raise ValueError(f"temperature is {temperature}: it must be above 0 and finite")

    def pick(logits: Tensor) -> Tensor:
        differences = logits.double() - logits.amax(-1, keepdim=True)  # 0 / temperature is 0, however small that is
        return torch.multinomial((differences / temperature).softmax(-1), 1, generator=generator)[:, 0]

    return pick


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
        if token == vocabulary.end:
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
            complete[row] = token == vocabulary.end
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
