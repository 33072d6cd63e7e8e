"""How the next token is picked, and what a model expected: candidates, probability and rank of each token."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from viz_core.models.decoding import Pick, Shaping, Vocabulary, exclude, likeliest, sampler
from viz_core.records import Candidate, Failure, Step
from viz_core.text.building import CLS, PAD, SEP, UNK
from viz_core.text.tokenizer import TextEncoder

CANDIDATES = 8  # per token
WIDEST, HOTTEST = 8, 5.0  # beam, temperature
SPECIAL_IDS = Vocabulary(begin=CLS, end=SEP, excluded=(PAD, UNK, CLS))  # ids of our tokenizers


def special_ids(model: object) -> Vocabulary:
    """Ids that begin and end the decoding of a model, and those that it never produces."""
    return getattr(model, "special_ids", SPECIAL_IDS)


@dataclass(frozen=True)
class Decoding:
    """How the next token is picked.

    Attributes:
        temperature, top_k, top_p, seed: For sampling; as in `models.decoding.Shaping`.
        width: Beam width.
    """

    method: Literal["greedy", "sample", "beam"] = "greedy"
    temperature: float = 1.0
    seed: int = 0
    width: int = 4
    top_k: int = 0
    top_p: float = 1.0

    def check(self) -> None:
        """Check the settings.

        Raises:
            Failure: If one is not possible.
        """
        if not 1 <= self.width <= WIDEST:
            raise Failure("translation.width", width=self.width, most=WIDEST)
        if not 0 < self.temperature <= HOTTEST:
            raise Failure("translation.temperature", temperature=f"{self.temperature:g}", most=f"{HOTTEST:g}")
        if self.top_k < 0:
            raise Failure("generation.top_k", top_k=self.top_k)
        if not 0 < self.top_p <= 1:
            raise Failure("generation.top_p", top_p=f"{self.top_p:g}")

    @property
    def shaping(self) -> Shaping:
        """What makes of the distribution the one that is sampled from."""
        return Shaping(self.temperature, self.top_k, self.top_p)

    def pick(self) -> Pick:
        """Return a function that picks the next token."""
        if self.method == "sample":
            return sampler(self.shaping, torch.Generator().manual_seed(self.seed))
        return likeliest


def log_probabilities(logits: Tensor, ids: Vocabulary = SPECIAL_IDS) -> Tensor:
    """Return log-probabilities of logits `(…, C)`, -inf for the tokens that are never produced."""
    return exclude(logits, ids.excluded).log_softmax(-1)


def step(encoder: TextEncoder, chances: Tensor, output: int) -> Step:
    """Return the record of a position, from its log-probabilities `(C,)` and the id that came there."""
    values, ids = chances.topk(min(CANDIDATES, int(chances.isfinite().sum())))
    candidates = tuple(
        Candidate(index, encoder.token(index), value)
        for index, value in zip(ids.tolist(), values.exp().tolist(), strict=True)
    )
    chance = chances[output]
    rank = 1 + int((chances > chance).sum()) if chance.isfinite() else None
    return Step(candidates, Candidate(output, encoder.token(output), float(chance.exp())), rank)
