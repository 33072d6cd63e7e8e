"""A question to a class, and its votes."""

import re
import unicodedata
from dataclasses import dataclass

from viz_core.records.messages import Failure

LONGEST_QUESTION, LONGEST_OPTION, MOST_OPTIONS = 1_000, 200, 10
LONGEST_NUMBER = 20  # characters
# 1,000 is a thousand to some and one to others: no number.
_NUMBER = re.compile(r"[+-]?(\d+|\d*\.\d+|\d+\.|\d+,(?!\d{3}$)\d+)")


@dataclass(frozen=True)
class Question:
    """What a class votes on.

    Attributes:
        text: The question, plain text.
        options: What can be chosen; empty where a number is asked for.
        language: In which the phones show it.

    Raises:
        Failure: If there is too much of something, or nothing.
    """

    text: str
    options: tuple[str, ...]
    language: str

    def __post_init__(self) -> None:
        if not 0 < len(self.text) <= LONGEST_QUESTION:
            raise Failure("votes.question_length", count=len(self.text), limit=LONGEST_QUESTION)
        if len(self.options) > MOST_OPTIONS:
            raise Failure("votes.too_many_options", count=len(self.options), limit=MOST_OPTIONS)
        for number, option in enumerate(self.options, 1):
            if not 0 < len(option) <= LONGEST_OPTION:
                raise Failure("votes.option_length", number=number, count=len(option), limit=LONGEST_OPTION)

    def read(self, vote: str) -> float:
        """The vote in what a phone has sent: the index of an option, from 0, or a number.

        Raises:
            Failure: If it is neither.
        """
        if self.options:
            if vote not in map(str, range(len(self.options))):
                raise Failure("votes.no_option")
            return int(vote)
        typed = unicodedata.normalize("NFKC", vote[: LONGEST_NUMBER + 1]).strip().replace("−", "-")
        if len(vote) > LONGEST_NUMBER or not _NUMBER.fullmatch(typed):
            raise Failure("votes.no_number", typed=vote[:LONGEST_NUMBER])
        return float(typed.replace(",", "."))

    def show(self, vote: float) -> str:
        """A vote in words."""
        return self.options[int(vote)] if self.options else f"{vote:.15g}"


@dataclass(frozen=True)
class Votes:
    """All votes for a question.

    Attributes:
        question: What was asked.
        given: One for each voter, as of `Question.read`, in ascending order.
    """

    question: Question
    given: tuple[float, ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """How many voted for each option."""
        return tuple(self.given.count(number) for number in range(len(self.question.options)))
