"""Messages to the user: a key of the message catalogues with its values, as a record or as an error."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Message:
    """A message to the user: a key of the message catalogues and the values to fill in.

    It becomes an English or a Chinese sentence only where it is displayed
    (`viz_core.language.Translator`).
    """

    key: str
    values: Mapping[str, object] = field(default_factory=dict)


def message_from_json(value: object) -> object:
    """Restore a Message from its JSON object, with Messages inside its values; other values unchanged."""
    if isinstance(value, list):
        return [message_from_json(item) for item in value]
    if isinstance(value, dict) and set(value) == {"key", "values"} and isinstance(value["values"], dict):
        return Message(str(value["key"]), {name: message_from_json(item) for name, item in value["values"].items()})
    return value


class Failure(Exception):
    """An error that the user can understand and fix, with its Message."""

    def __init__(self, key: str, **values: object) -> None:
        self.message = Message(key, values)
        super().__init__(f"{key} {dict(values)}")


@contextmanager
def failing(errors: type[Exception] | tuple[type[Exception], ...], key: str, **values: object) -> Iterator[None]:
    """Context in which these errors become Failures, with the error's `reason` in one line."""
    try:
        yield
    except errors as error:
        lines = str(getattr(error, "strerror", None) or error).strip().splitlines() or [type(error).__name__]
        raise Failure(key, **values, reason=lines[0]) from error
