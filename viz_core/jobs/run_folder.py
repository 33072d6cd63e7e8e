"""Runs as their folders describe them, corrected if the process ended without a last status."""

import os
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from viz_core.bounded_json import MAX_BYTES, parse_json, require_regular
from viz_core.folders import PROJECT
from viz_core.jobs.end_reasons import final_state
from viz_core.jobs.executors import end_of
from viz_core.jobs.request import REQUEST, Request, read_request
from viz_core.jobs.state import LIVE, METRICS, STATUS, WAITING, End, Status, device_key, read_status
from viz_core.jobs.stop_requests import stop_requested
from viz_core.records import Failure, Message
from viz_core.variables import RUNS_DIR

FOLDER = PROJECT / "runs"
_SETTLED_NANOSECONDS = 2 * 10**9  # after this time another change of a file has another time stamp


@dataclass(frozen=True)
class Run:
    """A run in its current state.

    Attributes:
        path: The run folder.
        request: The request as submitted; empty if it cannot be read.
        status: The status in the folder, or the final status of a run whose process ended without
            writing it.
        position: Place in the queue of its device, from 1; 0 if not queued.
        end: What the worker has still to record; None if the folder says the same as `status`.
    """

    path: Path
    request: Request = Request()
    status: Status = Status("failed")
    position: int = 0
    end: End | None = None

    @property
    def id(self) -> str:
        """The id of the run, the name of its folder."""
        return self.path.name

    @property
    def name(self) -> str:
        """The name of the run, by default its id."""
        return self.request.name or self.id

    @property
    def is_live(self) -> bool:
        """Whether it has a process."""
        return self.status.state in LIVE

    @property
    def is_waiting(self) -> bool:
        """Whether its process has yet to begin, because it waits in the queue of its executor."""
        return self.is_live and self.status.message == WAITING

    @property
    def is_over(self) -> bool:
        """Whether it stays as it is until somebody resumes or deletes it."""
        return not self.is_live and self.status.state != "queued"


def folder() -> Path:
    """The folder of all runs: `VIZ_RUNS_DIR`, else the project's `runs/`."""
    return Path(os.environ.get(RUNS_DIR) or FOLDER)


def read_run(path: Path) -> Run | None:
    """Read the run in a folder; None if the folder is gone.

    A damaged run is a failed run with the damage as its message.
    """
    request, status, damage = _parse_files(path)
    if damage and not path.is_dir():
        return None
    if status is None:
        device = request.device
        return Run(path, request, Status("failed", message=damage, device=device, queue=device_key(device)))
    state, message, end = status.state, status.message, None
    if state in LIVE and (end := end_of(status)):
        state, message = final_state(path, status, request.limits, end)
    elif state == "running" and stop_requested(path):
        state = "stopping"  # the process has not noticed the request yet
    elif damage and state not in LIVE:  # a live run with a damaged request can still be watched and stopped
        state, message = "failed", damage
    status = replace(status, state=state, message=message, queue=status.queue or device_key(request.device))
    return Run(path, request, status, end=end)


def _parse_files(path: Path) -> tuple[Request, Status | None, Message | None]:
    """Read request, status and the first damage of either."""
    request, status, damage = Request(), None, None
    try:
        status = read_status(path)
    except Failure as failure:
        damage = failure.message
    try:
        request = read_request(path)
    except Failure as failure:
        damage = damage or failure.message
    return request, status, damage


def read_runs(root: Path) -> list[Run]:
    """Read the runs of a runs folder, in no particular order; none if the folder does not exist.

    A run without a process comes from memory until one of its files changes: there may be
    thousands.
    """
    known, names, runs = _known_runs(str(root)), set(), []
    try:
        with os.scandir(root) as entries:
            folders = [entry for entry in entries if not entry.name.startswith(".") and entry.is_dir()]
    except OSError:
        return []
    for entry in folders:
        names.add(entry.name)
        version = _version(entry.path)
        stored, run = known.get(entry.name, (None, None))
        if run is None or version is None or version != stored:
            if (run := read_run(Path(entry.path))) is None:
                continue
            is_settled = version and time.time_ns() - max(version[2::3]) > _SETTLED_NANOSECONDS
            if version and is_settled and not (run.is_live or run.end):
                known[entry.name] = version, run
            else:
                known.pop(entry.name, None)
        runs.append(run)
    for name in [*known]:
        if name not in names:
            known.pop(name, None)
    return runs


@lru_cache(maxsize=4)
def _known_runs(root: str) -> dict[str, tuple[tuple[int, ...], Run]]:
    """The runs of a folder without a process, as last read, and the versions of their files; to be changed in place."""
    return {}


def _version(path: str) -> tuple[int, ...] | None:
    """Changes with the status or the request in a run folder; None if one is missing."""
    try:
        status, request = os.stat(f"{path}/{STATUS}"), os.stat(f"{path}/{REQUEST}")
    except OSError:
        return None
    return (
        *(status.st_ino, status.st_size, status.st_mtime_ns),
        *(request.st_ino, request.st_size, request.st_mtime_ns),
    )


def queue(runs: Iterable[Run]) -> list[Run]:
    """The queued runs, in the order of the queue."""
    return sorted((run for run in runs if run.status.state == "queued"), key=lambda run: run.status.turn)


def positions(runs: Iterable[Run]) -> dict[str, int]:
    """The position of each queued run in the queue of its device, from 1, by id."""
    by_id: dict[str, int] = {}
    lengths: Counter[str] = Counter()
    for run in queue(runs):
        lengths[run.status.queue] += 1
        by_id[run.id] = lengths[run.status.queue]
    return by_id


def read_metrics(run: Run, after: int = 0) -> tuple[list[dict], int]:
    """Read the rows of `metrics.jsonl` from the byte offset `after` on.

    An incomplete last line is left for the next call; damaged lines are skipped.

    Returns:
        The rows, and the offset at which to continue.
    """
    try:
        require_regular(run.path / METRICS)
        with open(run.path / METRICS, "rb") as file:
            file.seek(after)
            content = file.read(MAX_BYTES)
    except (OSError, ValueError):
        return [], after
    complete = content[: content.rfind(b"\n") + 1]
    rows = []
    for line in complete.splitlines():
        try:
            row = parse_json(line.decode("utf-8"))
        except ValueError:  # invalid JSON or UTF-8
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows, after + len(complete)
