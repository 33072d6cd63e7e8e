"""What a lesson consists of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

LESSON, CARD = "lesson", "card"  # in a link: the lesson and the card that stands beside the page


@dataclass(frozen=True)
class Ask:
    """A question that is answered before anything is revealed. It is of one kind.

    Attributes:
        choice: Which option is right, from 1; 0 if none is. None: no options.
        number: What is asked for, give or take `within`. None: no number.
        within: How far an answer may be off.
        text: Whether it is answered in words, which nobody marks.
    """

    choice: int | None = None
    number: float | None = None
    within: float = 0.0
    text: bool = False

    def is_right(self, answer: object) -> bool | None:
        """Whether an answer is right; None if nobody can tell. answer: number of an option, from 1, or typed."""
        if self.choice:
            return answer == self.choice
        if self.number is None:
            return None
        # A little more, because 0.3 - 0.2 is more than 0.1 in binary.
        return isinstance(answer, int | float) and abs(answer - self.number) <= self.within + 1e-9


@dataclass(frozen=True)
class Done:
    """What the student does; all of it must hold.

    Attributes:
        page: The page that is open, by default that of the card.
        equal: Parameters of the link with their values, of which any will do.
        set: Parameters that are not empty.
        changed: Parameters that differ from the link that the card opens.
        predicts: The label that the model predicts for the texts shown.
    """

    page: str = ""
    equal: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    set: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    predicts: str = ""

    def holds(self, page: str, state: Mapping[str, str], opened: Mapping[str, str]) -> bool:
        """Whether a page and what it shows are those, but for the prediction. opened: parameters of the card."""
        return (
            self.page in ("", page)
            and all(state.get(name, "") in values for name, values in self.equal.items())
            and all(state.get(name) for name in self.set)
            and all(name in state and state[name] != opened.get(name) for name in self.changed)
        )


@dataclass(frozen=True)
class Side:
    """A card in one language, as Markdown.

    Attributes:
        title: What the card is about.
        text: What it says at first.
        options: Of its question, if it has options.
        reveal: What it says once it is done.
        notes: To the teacher.
    """

    title: str
    text: str
    options: tuple[str, ...] = ()
    reveal: str = ""
    notes: str = ""

    @property
    def question(self) -> str:
        """What is asked, without the options."""
        return f"{self.title}\n\n{self.text}".strip()


@dataclass(frozen=True)
class Card:
    """One idea, and what to do.

    Attributes:
        name: In links.
        sides: By language.
        minutes: It takes.
        open: Page and parameters that the card opens, by language: `sentiment?text=Good.`; empty: none.
        point: Controls of the page that get a ring.
        done: What the student does, if anything.
        ask: What the student answers, if anything.
        code: Function or class that does what the card says: `models/attention.py:scaled_dot_product`.
        expect: Facts about models that the texts state, each a table (`facts.py`).
    """

    name: str
    sides: Mapping[str, Side]
    minutes: float = 1
    open: Mapping[str, str] = field(default_factory=dict)
    point: tuple[str, ...] = ()
    done: Done | None = None
    ask: Ask | None = None
    code: str = ""
    expect: tuple[Mapping[str, Any], ...] = ()

    def state(self, language: str) -> tuple[str, dict[str, str]]:
        """Page and parameters that the card opens; an empty page if none."""
        page, _, query = self.open.get(language, "").partition("?")
        return page, dict(parse_qsl(query, keep_blank_values=True))


@dataclass(frozen=True)
class About:
    """A lesson in one language.

    Attributes:
        title: Its name.
        summary: In a line.
        aims: What the students can do afterwards.
        questions: That they usually ask, each with its answer after a dash.
        trouble: What may go wrong.
    """

    title: str
    summary: str
    aims: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    trouble: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """Cards in order.

    Attributes:
        name: In links.
        about: By language.
        minutes: It takes.
        cards: At least one.
    """

    name: str
    about: Mapping[str, About]
    minutes: int
    cards: tuple[Card, ...]

    def number(self, card: str) -> int:
        """Index of the card of that name; 0 if there is none, as in the link of an older version."""
        return next((number for number, other in enumerate(self.cards) if other.name == card), 0)

    def opened(self, number: int, language: str) -> tuple[str, dict[str, str]]:
        """Page and parameters that a card is about: what it opens, or the last card before it that opens any."""
        states = [card.state(language) for card in self.cards[: number + 1]]
        return next((state for state in reversed(states) if state[0]), ("lessons", {}))

    def address(self, number: int, language: str) -> str:
        """What a card is about, with the card, as in a link."""
        page, link = self.opened(number, language)
        link = {"lang": language, **link, LESSON: self.name, CARD: self.cards[number].name}
        return f"{page}?{urlencode(link, quote_via=quote)}"
