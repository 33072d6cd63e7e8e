"""A generator without a source: a table of bigrams, decoded by what decodes translations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import pytest
import torch
from torch import Tensor, nn

from tests.models.tiny import encoder_decoder
from tests.tiny import encoder
from viz_core.analysis.translation.translating import beam_decoder, translate
from viz_core.models.beam_search import beam_search
from viz_core.models.decoding import Hypothesis, Vocabulary, greedy, steps
from viz_core.models.protocol import Generator, Hook, SequenceToSequence

BEGIN, END, THE, CAT, DOG = range(5)
# After each token the probability of each token. Greedy: the cat; the likeliest sentence is “dog”.
NEXT = torch.tensor(
    [
        [0.0, 0.0, 0.6, 0.0, 0.4],
        [0.0, 1.0, 0.0, 0.0, 0.0],
        [0.0, 0.1, 0.0, 0.5, 0.4],
        [0.0, 0.6, 0.4, 0.0, 0.0],
        [0.0, 0.9, 0.1, 0.0, 0.0],
    ]
)


@dataclass(frozen=True)
class Config:
    max_tokens: int = 6


class Count(NamedTuple):
    """How many sequences: a bigram model remembers nothing else."""

    rows: int

    def at(self, rows: Tensor) -> Count:
        return Count(len(rows))


class Bigrams(nn.Module):
    special_ids = Vocabulary(BEGIN, END, excluded=(BEGIN,))

    def __init__(self) -> None:
        super().__init__()
        self.config = Config()
        self.logits = nn.Parameter(NEXT.log())

    def start(self, ids: Tensor, mask: Tensor, hook: Hook | None = None) -> Count:
        return Count(len(ids))

    def advance(self, state: Count, tokens: Tensor, hook: Hook | None = None) -> tuple[Tensor, Count]:
        assert len(tokens) == state.rows
        return self.logits[tokens], state


def nothing(rows: int = 1) -> tuple[Tensor, Tensor]:
    """Of a source without tokens its ids and its mask."""
    return torch.zeros(rows, 0, dtype=torch.int64), torch.zeros(rows, 0, dtype=torch.bool)


def chances(hypotheses: list[Hypothesis]) -> dict[tuple[int, ...], float]:
    return {hypothesis.tokens: pytest.approx(math.exp(hypothesis.log_probability)) for hypothesis in hypotheses}


@torch.no_grad()
def test_greedy_takes_the_likeliest_next_token_again_and_again():
    """The cat: 0.6 · 0.5 · 0.6."""
    model = Bigrams()
    hypotheses = greedy(model.advance, model.start(*nothing(2)), 2, model.special_ids, 5)
    assert [hypothesis.tokens for hypothesis in hypotheses] == [(THE, CAT)] * 2
    assert chances(hypotheses) == {(THE, CAT): 0.18} and all(hypothesis.complete for hypothesis in hypotheses)


@torch.no_grad()
def test_a_beam_finds_a_likelier_sentence_than_greedy():
    """“dog”: 0.4 · 0.9. Of both second tokens “the cat” (0.3) is likelier than “the dog” (0.24)."""
    model = Bigrams()
    hypotheses = beam_search(model.advance, model.start(*nothing()), model.special_ids, 5, 2, length_penalty=0.0)
    assert chances(hypotheses) == {(DOG,): 0.36, (THE, CAT): 0.18}
    assert hypotheses[0].tokens == (DOG,)


@torch.no_grad()
def test_steps_give_the_distribution_after_each_token():
    model = Bigrams()
    taken = list(
        steps(model.advance, model.start(*nothing()), model.special_ids, 5, lambda logits: logits.argmax(-1), {})
    )
    assert [token for _, token in taken] == [THE, CAT, END]
    for (after, _), row in zip(taken, (BEGIN, THE, CAT), strict=True):
        torch.testing.assert_close(after.exp(), NEXT[row])


@pytest.mark.parametrize("decode", [greedy, beam_decoder(1)], ids=["greedy", "beam"])
def test_many_are_written_at_once_from_no_source(decode):
    model = Bigrams()
    hypotheses = translate(model, [torch.zeros(0, dtype=torch.int64).numpy()] * 3, decode)
    assert [hypothesis.tokens for hypothesis in hypotheses] == [(THE, CAT)] * 3


def test_what_a_model_can_do_is_told_by_its_methods():
    assert isinstance(Bigrams(), Generator) and not isinstance(Bigrams(), SequenceToSequence)
    assert isinstance(encoder_decoder(), SequenceToSequence) and isinstance(encoder_decoder(), Generator)
    assert not isinstance(encoder(), Generator)
