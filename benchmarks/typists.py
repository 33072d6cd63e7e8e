"""What people typed and what came back: every last text must have a response, in order, as if it had been alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

Texts = tuple[str, ...]
TOLERANCE = 1e-5  # of a probability, between a text in a batch and the same text alone


@dataclass(frozen=True)
class Response:
    """texts: those that a response is for. probabilities: `(C,)`."""

    texts: Texts
    probabilities: Sequence[float]


@dataclass
class Typing:
    """What one person typed, and the responses in the order of their arrival."""

    typed: list[Texts] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)

    @property
    def last_is_shown(self) -> bool:
        """Whether the last response is for the last text."""
        return bool(self.typed and self.responses) and self.responses[-1].texts == self.typed[-1]

    @property
    def in_order(self) -> bool:
        """Whether each response is for a text typed after that of the response before."""
        positions = [self.typed.index(response.texts) for response in self.responses if response.texts in self.typed]
        return len(positions) == len(self.responses) and bool(np.all(np.diff(positions) > 0))


@dataclass(frozen=True)
class Check:
    """Of how many people the last text has its response; how many saw responses out of order; and by how much the
    probabilities of last texts differ from those of the same text alone, at most."""

    people: int
    last: int
    disordered: int
    difference: float

    @property
    def holds(self) -> bool:
        return self.last == self.people and not self.disordered and self.difference <= TOLERANCE

    def __str__(self) -> str:
        return (
            f"{self.last} of {self.people} last texts have their response, {self.disordered} people saw responses out "
            f"of order, and probabilities differ from those of a text alone by at most {self.difference:.1g}"
            f"{'' if self.holds else ': FAILED'}"
        )


def check(typings: Sequence[Typing], alone: Callable[..., Sequence[float]]) -> Check:
    """alone: computes the probabilities `(C,)` of a text that nothing else is computed with."""
    last = [typing.responses[-1] for typing in typings if typing.last_is_shown]
    differences = [
        np.abs(np.subtract(response.probabilities, alone(*response.texts))).max(initial=0) for response in last
    ]
    disordered = sum(not typing.in_order for typing in typings)
    return Check(len(typings), len(last), disordered, float(np.max(differences, initial=0)))
