"""A text that a language model has read, and may have continued."""

from dataclasses import dataclass

import numpy as np

from viz_core.records.attention import Explanation
from viz_core.records.messages import Message
from viz_core.records.next_token import Step


@dataclass(frozen=True, eq=False)
class Generation:
    """A text of T tokens, and what the model expected at each of them.

    Attributes:
        explanation: The text, all attention, and the likeliest tokens after it.
        steps: T steps, aligned with the tokens; None where the model had read nothing before.
        given: Number of tokens it was given; it wrote the others.
        complete: Whether it ended the text.
        notices: Why it did not.
    """

    explanation: Explanation
    steps: tuple[Step | None, ...]
    given: int
    complete: bool
    notices: tuple[Message, ...] = ()

    @property
    def text(self) -> str:
        """The whole text."""
        return self.explanation.encoding.texts[0]

    @property
    def written(self) -> str:
        """What the model wrote."""
        return self.text[int(self.explanation.encoding.offsets[self.given - 1][1]) :]

    @property
    def perplexity(self) -> float:
        """The exponential of the mean -log p of the tokens that were expected; NaN without one."""
        with np.errstate(divide="ignore"):
            logs = np.log([step.output.probability for step in self.steps if step is not None])
        return float(np.exp(-logs.mean())) if len(logs) else float("nan")
