"""What has become of a run: `status.json`, replaced at every change; and the names of the other files of a run folder."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import get_type_hints

from viz_core.jobs.files import read_object, replace_file, to_json, unreadable
from viz_core.jobs.processes import alive
from viz_core.records import Message

STATUS, STOP, METRICS, LOG = "status.json", "stop", "metrics.jsonl", "log.txt"
LOCK = ".lock"  # in the folder of all runs; who holds it may move a run from one state to another
NEW, TRASH = ".new-", ".trash-"  # run folders on their way in and out; a name with a dot in front is no run
ATTEMPT = "VIZ_RUN_ATTEMPT"  # tells a process which attempt of its run it is
SEPARATOR = "----- attempt"  # a line of the log: what follows is of one attempt

STATES = ("queued", "running", "stopping", "finished", "stopped", "failed")
LIVE = ("running", "stopping")
STALE = 3.0  # seconds without a heartbeat after which it counts whether the process is there
_START = 30.0  # seconds that a process may take to say its number, if the worker died before it could write that down


@dataclass(frozen=True)
class Status:
    """What `status.json` holds.

    eta: seconds still to go. heartbeat, started, ended: seconds since 1970. device: in the job's own words. best, last:
    figures by name. queue, turn: the device for which it waits or waited, and the order there. attempt: 1, one more after
    each resume. pid, process: number and identity of the process. memory: bytes that it last took. ooms: how many
    processes the system had ended for want of memory when this one started.
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
    pid: int | None = None
    process: str | None = None
    started: float | None = None
    ended: float | None = None
    memory: int = 0
    ooms: int | None = None


_KINDS = {name: kind | int if kind in (float, float | None) else kind for name, kind in get_type_hints(Status).items()}


def read_status(path: Path) -> Status:
    """The status of a run folder as written. Raises Failure, naming the file, where it is missing or damaged."""
    entries = read_object(path / STATUS)
    known = {field.name: entries[field.name] for field in fields(Status) if field.name in entries}
    known["message"] = message_of(known.get("message"))
    wrong = [name for name, value in known.items() if not isinstance(value, _KINDS[name])]
    if wrong or known.get("state") not in STATES:
        raise unreadable(path / STATUS, f"{(wrong or ['state'])[0]}?")
    return Status(**known)


def write_status(path: Path, status: Status) -> None:
    """Replaces the status of a run folder. Raises OSError, which leaves the status that was there."""
    replace_file(path / STATUS, to_json(vars(status)))


def gone(status: Status) -> bool:
    """Whether a run that is said to run has no process any more."""
    age = abs(time.time() - status.heartbeat)  # a clock may be set back
    if status.pid is None:
        return age > _START
    # A fresh heartbeat counts for more: from inside a container the processes outside cannot be seen.
    return age > STALE and not alive(status.pid, status.process)


def device_key(device: str) -> str:
    """What two names of one device have in common: `cuda` is `cuda:0`."""
    kind, _, number = device.partition(":")
    return f"{kind}:{number or 0}"


# Names in the catalogues that have changed since statuses of old runs and old problem lists were written.
_FORMER_ROOMS = {"passes": "evidence"}
_FORMER_KEYS = {"evidence.not_kept": "evidence.not_saved", "training.no_probe": "training.no_snapshot"}
_FORMER_VALUES = {
    "analysis.csv_label": {"found": "label"},
    "analysis.csv_columns": {"found": "columns"},
    "analysis.csv_cells": {"found": "cells"},
    "checkpoints.wrong_task": {"found": "trained_task"},
    "datasets.wrong_count": {"found": "rows"},
}


def message_of(value: object) -> object:
    """The Message that a JSON object stands for, nested ones included; anything else unchanged."""
    if isinstance(value, list):
        return [message_of(item) for item in value]
    if isinstance(value, dict) and set(value) == {"key", "values"} and isinstance(value["values"], dict):
        room, _, entry = str(value["key"]).partition(".")
        key = f"{_FORMER_ROOMS.get(room, room)}.{entry}"
        key = _FORMER_KEYS.get(key, key)
        names = _FORMER_VALUES.get(key, {})
        return Message(key, {names.get(name, name): message_of(item) for name, item in value["values"].items()})
    return value
