"""Messages to the user: a key of the message catalogues with its values, as a record or as an error."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Message:
    """A message to the user: a key of the message catalogues and the values to fill in.

    It becomes an English or a Chinese sentence only where it is displayed (`viz_core.language.Translator`).
    """

    key: str
    values: Mapping[str, object] = field(default_factory=dict)


class Failure(Exception):
    """An error that the user can understand and fix, with its Message."""

    def __init__(self, key: str, **values: object) -> None:
        self.message = Message(key, values)
        super().__init__(f"{key} {dict(values)}")


@contextmanager
def failing(errors: type[Exception] | tuple[type[Exception], ...], key: str, **values: object) -> Iterator[None]:
    """Within it, these errors are Failures, with the `reason` that the system or the error gives, in a line."""
    try:
        yield
    except errors as error:
        lines = str(getattr(error, "strerror", None) or error).strip().splitlines() or [type(error).__name__]
        raise Failure(key, **values, reason=lines[0]) from error
