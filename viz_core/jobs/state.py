"""The state of a run, `status.json`, replaced at every change; the other names in a run folder."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import get_type_hints

from viz_core.files import replace_file
from viz_core.jobs.files import read_object, to_json, unreadable_file
from viz_core.language import has_sentence
from viz_core.records import Message, message_from_json

STATUS, METRICS, LOG = "status.json", "metrics.jsonl", "log.txt"
LOCK = ".lock"  # a lock in the runs folder; its holder may move a run from one state to another
NEW, TRASH = ".new-", ".trash-"  # prefixes of folders being created or deleted; the dot marks that they are not runs
SEPARATOR = "----- attempt"  # a line of the log: the output of another attempt follows

STATES = ("queued", "running", "stopping", "finished", "stopped", "failed")
LIVE, ENDED = ("running", "stopping"), ("finished", "stopped", "failed")
WAITING = Message("jobs.waiting_for_place")  # of a live run whose process its executor has not begun
STALE = 3.0  # seconds without a heartbeat after which the executor is asked for the process

Handle = Mapping[str, object]  # a JSON object that only the executor which gave it can read (executors.py)


@dataclass(frozen=True)
class End:
    """How a process ended that did not record it itself.

    Attributes:
        code: Its exit code; None if nobody knows.
        signal: The name of the signal that ended it.
        out_of_memory: Whether the system ended it for lack of memory.
        lost: Whether it is gone with its machine, or nobody can ask for it and it is silent.
        reason: Why it never began, in the words of the executor.
    """

    code: int | None = None
    signal: str = ""
    out_of_memory: bool = False
    lost: bool = False
    reason: str = ""


class Unavailable(Exception):
    """An executor does not answer: the run stays in our queue, and is tried again. Says why."""


@dataclass(frozen=True)
class Status:
    """The content of `status.json`.

    Attributes:
        eta: Seconds remaining.
        heartbeat: Time of the last heartbeat, in seconds since 1970.
        device: The device, in the words of the job.
        best: The best metrics by name.
        last: The last metrics by name.
        queue: The device for which the run waits or waited.
        turn: Its order in that queue.
        attempt: 1, plus 1 for each resume.
        handle: Lets the executor find the process.
        started: Seconds since 1970.
        ended: Seconds since 1970.
        memory: Bytes used at the last heartbeat.
        seconds: How long the process has run, without the time in which the machine slept.
    """

    state: str
    step: int = 0
    total: int = 0
    eta: float | None = None
    heartbeat: float = 0.0
    device: str = ""
    best: Mapping | None = None
    last: Mapping | None = None
    message: Message | None = None
    queue: str = ""
    turn: int = 0
    attempt: int = 1
    handle: Mapping | None = None
    started: float | None = None
    ended: float | None = None
    memory: int = 0
    seconds: float = 0.0


LATEST = 10**11  # seconds since 1970: the year 5138, about the latest that dates can hold
LARGEST = 10**18  # bytes, or steps
_TIMES = ("heartbeat", "started", "ended")
_TYPES = {name: kind | int if kind in (float, float | None) else kind for name, kind in get_type_hints(Status).items()}


def read_status(path: Path) -> Status:
    """Read the status of a run folder as written.

    Raises:
        Failure: If it is missing or damaged, naming the file.
    """
    entries = read_object(path / STATUS)
    values = {field.name: entries[field.name] for field in fields(Status) if field.name in entries}
    values["message"] = message_from_json(values.get("message"))
    wrong = [name for name, value in values.items() if not _is_valid(name, value)]
    if isinstance(values["message"], Message) and not has_sentence(values["message"]):
        wrong.append("message")
    if wrong or values.get("state") not in STATES:
        raise unreadable_file(path / STATUS, f"{(wrong or ['state'])[0]}?")
    return Status(**values)


def _is_valid(name: str, value: object) -> bool:
    """Whether an entry has the type of its field and, as a number, a usable range.

    Progress and dates are made of these numbers.
    """
    if isinstance(value, (int, float)) and not 0 <= value <= (LATEST if name in _TIMES else LARGEST):
        return False  # also for nan
    return isinstance(value, _TYPES[name])


def write_status(path: Path, status: Status) -> None:
    """Replace the status of a run folder.

    Raises:
        OSError: If it cannot be written; the previous status then stays in place.
    """
    replace_file(path / STATUS, to_json(vars(status)))


def device_key(device: str) -> str:
    """A device's canonical name: `cuda` is `cuda:0`."""
    kind, _, number = device.partition(":")
    return f"{kind}:{number or 0}"
