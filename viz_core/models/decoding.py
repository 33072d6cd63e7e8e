"""From the probabilities of the next token to a sequence of tokens: greedy, sampling, beam search.

All of them know a model only as a function `advance`: the state of N sequences and the next token of each `(N,)` -> the
logits of the tokens after these `(N, C)` and the new state. A state has `at(rows)`, the state of some of its rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Self

import torch
from torch import Tensor


class State(Protocol):
    def at(self, rows: Tensor) -> Self: ...


Advance = Callable[[State, Tensor], tuple[Tensor, State]]
Pick = Callable[[Tensor], Tensor]  # logits `(N, C)` -> tokens `(N,)`


@dataclass(frozen=True)
class Vocabulary:
    """The ids with a meaning for decoding. begin: of the token before the first one. end: of the token after the last
    one. excluded: ids that are never produced."""

    begin: int
    end: int
    excluded: tuple[int, ...] = ()


@dataclass(frozen=True)
class Hypothesis:
    """A sequence that was produced. tokens: without begin and end. log_probability: of all its tokens, and of its end.
    complete: False if it was cut off at the length limit."""

    tokens: tuple[int, ...]
    log_probability: float
    complete: bool

    def score(self, length_penalty: float) -> float:
        """The log-probability divided by ((5 + T) / 6)^α, T with its end (Wu et al. 2016, section 7)."""
        return self.log_probability / ((5 + len(self.tokens) + self.complete) / 6) ** length_penalty


def greedy(advance: Advance, state: State, count: int, vocabulary: Vocabulary, limit: int) -> list[Hypothesis]:
    """The likeliest next token, again and again, for each of `count` sequences; at most `limit` tokens."""
    return _extend(advance, state, count, vocabulary, limit, lambda logits: logits.argmax(-1))


def sample(
    advance: Advance,
    state: State,
    count: int,
    vocabulary: Vocabulary,
    limit: int,
    temperature: float = 1.0,
    generator: torch.Generator | None = None,
) -> list[Hypothesis]:
    """Every next token at random, from the softmax of the logits divided by the temperature; otherwise as `greedy`.
    Log-probabilities are those at temperature 1. Raises ValueError if the temperature is not above 0."""
    if not temperature > 0:
        raise ValueError(f"temperature is {temperature}: it must be above 0")

    def pick(logits: Tensor) -> Tensor:
        return torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator)[:, 0]

    return _extend(advance, state, count, vocabulary, limit, pick)


def _extend(
    advance: Advance, state: State, count: int, vocabulary: Vocabulary, limit: int, pick: Pick
) -> list[Hypothesis]:
    """Extends all sequences by a token at a time; those that have ended leave the batch."""
    sequences, sums, complete = [[] for _ in range(count)], [0.0] * count, [False] * count
    rows = list(range(count))  # of the sequences that go on
    tokens = torch.full((count,), vocabulary.begin)
    while rows:
        logits, state = advance(state, tokens)
        logits = _without(logits, vocabulary.excluded)
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


def beam_search(
    advance: Advance, state: State, vocabulary: Vocabulary, limit: int, width: int, length_penalty: float = 1.0
) -> list[Hypothesis]:
    """Up to `width` hypotheses for a single sequence, complete ones first, the best score first (Sutskever et al. 2014,
    section 3.2).

    Of all continuations of the sequences so far the likeliest go on; one that ends leaves the beam, which is then
    narrower. state: of one row. Raises ValueError if the width is not at least 1.
    """
    if width < 1:
        raise ValueError(f"the width of the beam is {width}: it must be at least 1")
    complete: list[Hypothesis] = []
    beam, sums = [()], torch.zeros(1)
    tokens = torch.full((1,), vocabulary.begin)
    for _ in range(limit):
        logits, state = advance(state, tokens)
        chances = _without(logits, vocabulary.excluded).log_softmax(-1)  # (N, C)
        totals = (sums.to(chances)[:, None] + chances).flatten()  # (N C,)
        sums, flat = totals.topk(min(width - len(complete), int(totals.isfinite().sum())))
        rows, tokens = flat // chances.shape[1], flat % chances.shape[1]
        extended = [(*beam[row], token) for row, token in zip(rows.tolist(), tokens.tolist(), strict=True)]
        ends = tokens == vocabulary.end
        for position in ends.nonzero()[:, 0].tolist():
            complete.append(Hypothesis(extended[position][:-1], float(sums[position]), True))
        remaining = (~ends).nonzero()[:, 0]
        beam = [extended[position] for position in remaining.tolist()]
        tokens, sums = tokens[remaining], sums[remaining]
        if not beam:
            break
        state = state.at(rows[remaining])
    cut = [Hypothesis(sequence, total, False) for sequence, total in zip(beam, sums.tolist(), strict=True)]
    return sorted(
        complete + cut, key=lambda hypothesis: (hypothesis.complete, hypothesis.score(length_penalty)), reverse=True
    )


def _without(logits: Tensor, excluded: tuple[int, ...]) -> Tensor:
    """The logits in 32 bits, -inf for the excluded ids."""
    logits = logits.float()
    if excluded:
        logits = logits.index_fill(-1, torch.tensor(excluded, device=logits.device), -torch.inf)
    return logits
