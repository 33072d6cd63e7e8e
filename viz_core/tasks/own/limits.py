"""How long tasks of one's own stay, how many a person may have, and how large their tables may be."""

import os
import time

from viz_core.records import Failure
from viz_core.tasks.own.folder import definitions
from viz_core.variables import TASK_DAYS, TASK_MB, TASK_ROWS, TASKS_PER_VISITOR

DAYS, MOST = 30, 10  # unless the environment says otherwise
MEGABYTES, ROWS = 100, 200_000  # more is never possible (tables/reading.py)
_DAY = 86_400  # seconds


def lasting_days() -> int:
    """Return the days until a task is deleted; 0 for never.

    Raises:
        Failure: If the variable is unusable, naming it; so do the next ones.
    """
    return _read(TASK_DAYS, DAYS, least=0)


def expiry(created: float | None = None) -> float | None:
    """Return when a task made now, or at this time, is deleted; None for never."""
    days = lasting_days()
    return (time.time() if created is None else created) + days * _DAY if days else None


def check_number(owner: str) -> None:
    """Check that an owner may have another task.

    Raises:
        Failure: If not.
    """
    count, most = len(definitions(owner)), _read(TASKS_PER_VISITOR, MOST, least=1)
    if count >= most:
        raise Failure("own.too_many", count=count, most=most)


def most_megabytes() -> int:
    """Return the largest size of a table, in MB."""
    return min(_read(TASK_MB, MEGABYTES, least=1), MEGABYTES)


def most_rows() -> int:
    """Return the most rows of a table."""
    return min(_read(TASK_ROWS, ROWS, least=1), ROWS)


def _read(variable: str, default: int, least: int) -> int:
    text = os.environ.get(variable, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 7 and int(text) >= least):
        raise Failure("jobs.bad_limit", variable=variable, value=text, usual=f"{default}")
    return int(text)
