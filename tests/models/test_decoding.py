"""Greedy, sampling and beam search with a toy model whose probabilities are known."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from tests.models.tiny import encoder_decoder, sequences
from viz_core.models.beam_search import beam_search
from viz_core.models.decoding import Hypothesis, Vocabulary, greedy, sample

BEGIN, END, A, B = range(4)
VOCABULARY = Vocabulary(BEGIN, END, excluded=(BEGIN,))

# After each sequence so far: probabilities of the end, a and b. Greedy takes b; the likeliest sequence begins with a.
GARDEN_PATH = {"": (0.0, 0.4, 0.6), "a": (0.9, 0.05, 0.05), "b": (0.4, 0.3, 0.3)}
LATER = (0.8, 0.1, 0.1)


class Prefixes(NamedTuple):
    """A state that is only the tokens so far, one string per row."""

    rows: tuple[str, ...]

    def at(self, rows: Tensor) -> Prefixes:
        return Prefixes(tuple(self.rows[row] for row in rows.tolist()))


def advance(state: Prefixes, tokens: Tensor) -> tuple[Tensor, Prefixes]:
    rows = tuple(
        row + {BEGIN: "", A: "a", B: "b"}[token] for row, token in zip(state.rows, tokens.tolist(), strict=True)
    )
    # The excluded token has the largest logit of all: excluded, it must not count in any probability.
    logits = [[3.0, *(math.log(p) if p else -math.inf for p in GARDEN_PATH.get(row, LATER))] for row in rows]
    return torch.tensor(logits), Prefixes(rows)


def start(count: int = 1) -> Prefixes:
    return Prefixes(("",) * count)


def probabilities(hypotheses: list[Hypothesis]) -> dict[str, float]:
    return {text(hypothesis): math.exp(hypothesis.log_probability) for hypothesis in hypotheses}


def text(hypothesis: Hypothesis) -> str:
    return "".join({A: "a", B: "b"}[token] for token in hypothesis.tokens) + "." * hypothesis.complete


def exhaustive(limit: int) -> dict[str, float]:
    """The probability of every sequence with fewer than `limit` tokens and an end, or with `limit` tokens."""
    result = {}
    for length in range(limit + 1):
        for letters in itertools.product("ab", repeat=length):
            sequence = "".join(letters)
            probability = 1.0
            for position, letter in enumerate(sequence):
                probability *= GARDEN_PATH.get(sequence[:position], LATER)["ab".index(letter) + 1]
            if length < limit:
                sequence, probability = sequence + ".", probability * GARDEN_PATH.get(sequence, LATER)[0]
            if probability:
                result[sequence] = probability
    return result


def test_greedy_takes_the_likeliest_token_each_time():
    (hypothesis,) = greedy(advance, start(), 1, VOCABULARY, limit=5)
    assert hypothesis.tokens == (B,) and hypothesis.complete  # 0.6 for b, then 0.4 for the end
    assert math.exp(hypothesis.log_probability) == pytest.approx(0.6 * 0.4)


def test_a_sequence_that_does_not_end_is_cut_off_and_says_so():
    def never_ends(state, tokens):
        return torch.tensor([[0.0, -9.0, 1.0, 0.0]]).repeat(len(tokens), 1), state

    (hypothesis,) = greedy(never_ends, start(), 1, VOCABULARY, limit=3)
    assert hypothesis.tokens == (A, A, A) and not hypothesis.complete
    (hypothesis,) = beam_search(never_ends, start(), VOCABULARY, limit=3, width=1)
    assert hypothesis.tokens == (A, A, A) and not hypothesis.complete


def test_sequences_of_a_batch_end_independently():
    """The first row of four repeats a until the limit, the others end after as many tokens as their number."""
    lengths = (9, 1, 2, 3)

    class Rows(NamedTuple):
        lengths: tuple[int, ...]
        tokens: int = -1

        def at(self, rows):
            return self._replace(lengths=tuple(self.lengths[row] for row in rows.tolist()))

    def count(state, tokens):
        assert len(tokens) == len(state.lengths)  # rows that have ended are gone
        state = state._replace(tokens=state.tokens + 1)
        ends = [state.tokens == length for length in state.lengths]
        return torch.tensor([[0.0, 5.0 if end else -5.0, 0.0 if end else 5.0, 0.0] for end in ends]), state

    hypotheses = greedy(count, Rows(lengths), 4, VOCABULARY, limit=5)
    assert [(len(hypothesis.tokens), hypothesis.complete) for hypothesis in hypotheses] == [
        (5, False),
        (1, True),
        (2, True),
        (3, True),
    ]


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_a_wide_beam_is_an_exhaustive_search(limit):
    expected = exhaustive(limit)
    assert sum(expected.values()) == pytest.approx(1)
    hypotheses = beam_search(advance, start(), VOCABULARY, limit, width=100, length_penalty=0)
    assert probabilities(hypotheses) == pytest.approx(expected)
    scores = [(hypothesis.complete, hypothesis.log_probability) for hypothesis in hypotheses]
    assert scores == sorted(scores, reverse=True)


def test_a_beam_of_two_leaves_the_garden_path():
    """The sequence a has 0.4 · 0.9 = 0.36, more than the 0.24 of b, where greedy and a beam of one end."""
    best, second = beam_search(advance, start(), VOCABULARY, limit=5, width=2, length_penalty=0)
    assert probabilities([best, second]) == pytest.approx({"a.": 0.36, "b.": 0.24})
    (narrow,) = beam_search(advance, start(), VOCABULARY, limit=5, width=1)
    (likeliest,) = greedy(advance, start(), 1, VOCABULARY, limit=5)
    assert narrow.tokens == likeliest.tokens and probabilities([narrow]) == pytest.approx(probabilities([likeliest]))


def test_the_length_penalty_by_hand():
    """Seven tokens and the end: (5 + 8) / 6; with α = 0 the log-probability itself."""
    hypothesis = Hypothesis((A,) * 7, -6.5, True)
    assert hypothesis.score(1.0) == pytest.approx(-3.0) and hypothesis.score(0.0) == -6.5
    assert Hypothesis((A,) * 7, -6.0, False).score(1.0) == pytest.approx(-3.0)


@pytest.mark.parametrize("temperature, b", [(1.0, 0.6), (0.5, 0.36 / 0.52), (2.0, 0.6**0.5 / (0.6**0.5 + 0.4**0.5))])
def test_samples_follow_the_probabilities(temperature, b):
    """The share of b as the first token: p^(1/temperature), normalised."""
    generator = torch.Generator().manual_seed(0)
    hypotheses = sample(advance, start(4000), 4000, VOCABULARY, 3, temperature, generator)
    counts = Counter(text(hypothesis)[0] for hypothesis in hypotheses)
    assert set(counts) == {"a", "b"} and counts["b"] / 4000 == pytest.approx(b, abs=0.03)
    by_sequence = exhaustive(3)
    for hypothesis in hypotheses[:50]:  # of the model, whatever the temperature
        assert math.exp(hypothesis.log_probability) == pytest.approx(by_sequence[text(hypothesis)])


@pytest.mark.parametrize("temperature", [1e-3, 1e-320])
def test_a_temperature_close_to_zero_is_greedy(temperature):
    assert sample(advance, start(), 1, VOCABULARY, 5, temperature) == greedy(advance, start(), 1, VOCABULARY, 5)


def test_the_seed_repeats_a_sample():
    first, second = (
        sample(advance, start(20), 20, VOCABULARY, 5, 1.0, torch.Generator().manual_seed(1)) for _ in range(2)
    )
    assert first == second and len(set(first)) > 1


def test_settings_without_meaning_are_refused():
    for temperature in (0, float("inf"), float("nan")):
        with pytest.raises(ValueError, match=f"temperature is {temperature}"):
            sample(advance, start(), 1, VOCABULARY, 5, temperature)
    with pytest.raises(ValueError, match="beam is 0"):
        beam_search(advance, start(), VOCABULARY, 5, 0)


@torch.no_grad()
def test_the_log_probabilities_are_those_of_a_model_that_reads_its_own_sequence():
    model, (source, mask) = encoder_decoder(), sequences(5, 9)
    vocabulary = Vocabulary(begin=2, end=3, excluded=(0, 1, 2))

    def new_state(rows: slice):
        return model.start(source[rows], mask[rows])

    generator = torch.Generator().manual_seed(1)
    batch = sample(model.advance, new_state(slice(None)), 2, vocabulary, 12, 1.0, generator)
    beams = beam_search(model.advance, new_state(slice(0, 1)), vocabulary, 12, width=4)
    assert {hypothesis.log_probability for hypothesis in beams} and len({beam.tokens for beam in beams}) == 4
    for row, hypothesis in [*enumerate(batch), *((0, beam) for beam in beams)]:
        tokens = [*hypothesis.tokens, *([vocabulary.end] if hypothesis.complete else [])]
        logits = model(source[row : row + 1], mask[row : row + 1], torch.tensor([[2, *tokens[:-1]]])).logits[0]
        logits[:, list(vocabulary.excluded)] = -math.inf
        chances = logits.log_softmax(-1)[range(len(tokens)), tokens]
        assert hypothesis.log_probability == pytest.approx(float(chances.sum()), abs=1e-4)
