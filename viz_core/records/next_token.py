"""What a model expects as the next token."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A possible next token.

    Attributes:
        token: As in the vocabulary.
        probability: Among the tokens that can be produced.
    """

    id: int
    token: str
    probability: float


@dataclass(frozen=True)
class Step:
    """The token at a position of a text that a model writes, or reads.

    Attributes:
        candidates: The likeliest tokens, the likeliest first.
        output: The token that came: produced, or of a text that is read.
        rank: Rank of the output among all tokens, 1 for the likeliest; None for a token that is
            never produced.
    """

    candidates: tuple[Candidate, ...]
    output: Candidate
    rank: int | None


@dataclass(frozen=True)
class ShapedCandidate:
    """A possible next token, before and after each step that shapes the distribution.

    Attributes:
        token: As in the vocabulary.
        probabilities: Of the model, and after temperature, top-k and top-p.
    """

    id: int
    token: str
    probabilities: tuple[float, ...]
