"""What is said to a person: a key of the message catalogues with its values, as a record or as an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Message:
    """Something to be said to a person: a key of the message catalogues and the values that fill it.

    It becomes a Chinese or an English sentence only where it is shown (`viz_core.language.Translator`).
    """

    key: str
    values: Mapping[str, object] = field(default_factory=dict)


class Failure(Exception):
    """An error that a person can understand and mend; carries the Message that says so."""

    def __init__(self, key: str, **values: object) -> None:
        self.message = Message(key, values)
        super().__init__(f"{key} {dict(values)}")
