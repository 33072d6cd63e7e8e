"""The log of the server, the worker and the jobs: its level, the id of a request or a job on every line, and no text of
a visitor.

What a person typed may be part of the message of any exception (`int("what they typed")`), so the log shows of an
exception where and of which type it was raised, never its message. `VIZ_LOG` sets the level of our own loggers; other
libraries log warnings only, because at a lower level some log what they receive.
"""

import logging
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from viz_core.variables import LOG

LEVELS = ("debug", "info", "warning", "error")
_OURS = ("viz_core", "pages")
_FORMAT = "%(asctime)s %(levelname)s %(name)s [%(log_id)s] %(message)s"
_MOST_FRAMES = 20  # of a traceback, the innermost: a RecursionError has a thousand
_log_id: ContextVar[str] = ContextVar("log_id", default="-")
_log = logging.getLogger(__name__)


def set_up_log(log_id: str = "-") -> None:
    """Sends log lines to stderr, for the whole process; to be called once, where it starts.

    log_id: the id on lines outside any `logged_as`, such as that of a job.
    """

    def create_record(*arguments: Any, **options: Any) -> logging.LogRecord:
        record = logging.LogRecord(*arguments, **options)
        record.log_id = _log_id.get(log_id)
        if record.exc_info and record.exc_info[1]:
            record.exc_text = describe_error(record.exc_info[1])  # formatters then leave out their own text
        return record

    logging.setLogRecordFactory(create_record)
    logging.basicConfig(format=_FORMAT, level=logging.WARNING, stream=sys.stderr)
    threading.excepthook = _log_thread_error
    level = os.environ.get(LOG, "").strip().lower() or "info"
    for name in _OURS:
        logging.getLogger(name).setLevel(level.upper() if level in LEVELS else logging.INFO)
    if level not in LEVELS:
        _log.warning("%s is not one of %s, so the level is info", LOG, ", ".join(LEVELS))


@contextmanager
def logged_as(log_id: str) -> Iterator[None]:
    """Within the block, and in the threads that it waits for, log lines have this id."""
    token = _log_id.set(log_id)
    try:
        yield
    finally:
        _log_id.reset(token)


def current_log_id() -> str:
    """The id on log lines written here, to be named in a message to a person; `-` if there is none."""
    return _log_id.get()


def describe_error(error: BaseException) -> str:
    """Where an exception and its causes were raised, and of which types: a traceback without their messages. Of an
    OSError also the reason that the system gives, of a Failure the key of its message."""
    chain: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and all(cause is not other for other in chain):
        chain.append(cause)
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return "\nwhich led to\n".join(map(_describe, reversed(chain)))


def _describe(error: BaseException) -> str:
    frames = "".join(traceback.format_tb(error.__traceback__, -_MOST_FRAMES))
    inner = [describe_error(item) for item in error.exceptions] if isinstance(error, BaseExceptionGroup) else []
    message = getattr(error, "message", None)
    detail = getattr(message, "key", None) or (error.strerror if isinstance(error, OSError) else None)
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    return "\n".join([*inner, f"{frames}{kind}{f': {detail}' if detail else ''}"])


def _log_thread_error(arguments: threading.ExceptHookArgs) -> None:
    """What Python would print of an error that ends a thread."""
    if arguments.exc_value and not isinstance(arguments.exc_value, SystemExit):
        name = arguments.thread.name if arguments.thread else "-"
        _log.error("Thread %s ended with an error", name, exc_info=arguments.exc_value)
