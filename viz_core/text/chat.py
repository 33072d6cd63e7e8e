"""The text that a model reads of a chat: a message between the markers of its chat template."""

from dataclasses import dataclass
from itertools import chain, zip_longest


@dataclass(frozen=True)
class ChatFrame:
    """What a chat template puts around a message of the user, and a system line before it.

    Attributes:
        alone: Before and after the message.
        with_system: Before the system line, between it and the message, after the message; None if the
            template takes no system line.
    """

    alone: tuple[str, str]
    with_system: tuple[str, str, str] | None = None

    def read(self, message: str, system: str = "") -> str:
        """Return the text up to where the answer begins; white space at the ends of what was typed is left out."""
        typed = [part.strip() for part in (system, message)]
        frame, typed = (self.with_system, typed) if self.with_system and typed[0] else (self.alone, typed[1:])
        return "".join(chain(*zip_longest(frame, typed, fillvalue="")))
