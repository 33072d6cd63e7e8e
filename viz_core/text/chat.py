"""The text that a model reads of a chat: messages and answers between the markers of its chat template."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, islice, zip_longest


@dataclass(frozen=True)
class Turn:
    """A message of the user, and what the model answered."""

    message: str
    answer: str


@dataclass(frozen=True)
class ChatFrame:
    """What a chat template puts around the messages of a chat, and a system line before them.

    Attributes:
        alone: Before the first message, and between each message and its answer.
        with_system: Before the system line, between it and the first message, between each message
            and its answer; None if the template takes no system line.
        reply: Between an answer and the next message, not empty; None if the template does not put
            the same around the messages of each turn.
    """

    alone: tuple[str, str]
    with_system: tuple[str, str, str] | None = None
    reply: str | None = None

    def read(self, message: str, system: str = "", turns: Sequence[Turn] = ()) -> str:
        """Return the text up to where the answer begins; white space at the ends of what was written is left out.

        Args:
            message: The newest. Blank after other turns: the text ends with their last answer.
            system: A line before all of them; blank for that of the template.
            turns: Earlier messages with their answers; a template without a `reply` has none.
        """
        line = [system] if self.with_system and system.strip() else []
        newest = [message] if message.strip() or not turns else []
        written = [*line, *chain(*((turn.message, turn.answer) for turn in turns)), *newest]
        pieces = islice(self._pieces(bool(line)), len(written) + len(newest))
        return "".join(chain(*zip_longest(pieces, (part.strip() for part in written), fillvalue="")))

    def markers(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each piece of the template in a text; none if the text is no chat.

        Of a text that may be read with a system line and without, as the template has one of its own,
        the reading counts by which the template has more of it.
        """
        readings = [_find(self._pieces(False), text, 2), _find(self._pieces(True), text, 3) if self.with_system else []]
        return max(readings, key=lambda spans: sum(end - start for start, end in spans))

    def _pieces(self, has_line: bool) -> Iterator[str]:
        """What the template puts before, between and behind what was written, for as many turns as there are."""
        first = self.with_system if has_line and self.with_system else self.alone
        return chain(first, () if self.reply is None else cycle((self.reply, self.alone[1])))


def _find(pieces: Iterator[str], text: str, least: int) -> list[tuple[int, int]]:
    """Start and end of pieces in a text, one after another, the first at its start; none if fewer than `least`."""
    spans, position = list[tuple[int, int]](), 0
    for piece in pieces:
        start = text.find(piece, position)
        if start < 0 or (not spans and start):
            break
        position = start + len(piece)
        spans.append((start, position))
    return spans if len(spans) >= least else []
