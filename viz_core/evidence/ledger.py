"""The test ledger: every measurement on a test split is a line of `checkpoints/ledger.jsonl`.

A test split that is read again and again until a figure pleases is not a test any more; the ledger
shows how often it was read. Lines are only appended, in a file that is committed with the models.
"""

import errno
import os
from pathlib import Path

from viz_core import checkpoints
from viz_core.bounded_json import parse_json, require_regular
from viz_core.jobs.files import file_lock, to_json
from viz_core.records import Failure, Reading, failing
from viz_core.tasks.own.definition import is_own_name

NAME = "ledger.jsonl"


LOCK = ".ledger.lock"


def ledger_file(task: str = "") -> Path:
    """Path of the ledger, in the folder where checkpoints are saved; of a task of one's own, beside its models."""
    return checkpoints.folder() / (task if is_own_name(task) else "") / NAME


def read_ledger(task: str = "") -> tuple[Reading, ...]:
    """All readings, shipped ones first, then oldest first; none without a file.

    Args:
        task: A task of one's own, whose readings are meant instead.

    Raises:
        Failure: If any of it is damaged, naming the line.
    """
    if is_own_name(task):
        return _read_file(ledger_file(task))
    return tuple(reading for place in reversed(checkpoints.folders()) for reading in _read_file(place / NAME))


def _read_file(file: Path) -> tuple[Reading, ...]:
    try:
        require_regular(file)
        lines = file.read_bytes().split(b"\n")
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Failure("evidence.ledger_unreadable", file=str(file), reason=reason) from error
    rest = lines.pop()  # empty if the last line is complete
    readings = tuple(_read_line(file, number, line) for number, line in enumerate(lines, 1))
    if rest:
        raise _damage(file, len(lines) + 1, "the line does not end")
    return readings


def readings_of(task: str, model: str) -> tuple[Reading, ...]:
    """Readings for models of this name, oldest first.

    Raises:
        Failure: As `read_ledger`.
    """
    return tuple(reading for reading in read_ledger(task) if (reading.task, reading.model) == (task, model))


def record_reading(reading: Reading) -> bool:
    """Append a reading unless a recorded one has the same figures; returns whether it did.

    Raises:
        Failure: If the ledger is damaged, locked or cannot be written; then nothing was appended.
    """
    file = ledger_file(reading.task)
    with failing(OSError, "evidence.ledger_unwritable", file=str(file)):
        file.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(file.with_name(LOCK)):
            if any(reading.repeats(recorded) for recorded in read_ledger(reading.task)):
                return False
            _append(file, f"{to_json(reading.to_dict())}\n".encode())
    return True


def _append(file: Path, line: bytes) -> None:
    """Append the whole line or, on a full disk, nothing. Raises OSError."""
    with open(file, "ab", buffering=0) as ledger:
        size = ledger.tell()
        try:
            if ledger.write(line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(ledger.fileno())
        except OSError:
            ledger.truncate(size)
            raise


def _read_line(file: Path, number: int, line: bytes) -> Reading:
    try:
        return Reading.from_dict(parse_json(line.decode("utf-8")))
    except (ValueError, TypeError, KeyError, AttributeError) as error:  # JSON and UTF-8 errors are ValueErrors
        raise _damage(file, number, str(error)) from error


def _damage(file: Path, number: int, reason: str) -> Failure:
    return Failure("evidence.ledger_damaged", file=str(file), line=number, reason=reason)
