"""Runs as they are now: what their folders say, put right where their process can no longer say it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from viz_core.jobs.endings import ending
from viz_core.jobs.limits import limits_of
from viz_core.jobs.state import LIVE, METRICS, STOP, Status, device_key, gone, read_request, read_status
from viz_core.records import Failure, Message

FOLDER = Path(__file__).parents[2] / "runs"


@dataclass(frozen=True)
class Run:
    """A run as it is now. state: queued, running, stopping, finished, stopped or failed.

    request: as submitted; empty where it cannot be read. place: 1 for who is next on its device, 0 for who is not queued.
    eta: seconds. heartbeat, started, ended: seconds since 1970. device: in the job's own words once it runs. best, last:
    figures by name. message: why it ended so. queue, turn: the device as the worker knows it, and the order there.
    settled: whether its folder says the same, or was left by a process that is gone.
    """

    id: str
    path: Path
    request: Mapping = field(default_factory=dict)
    state: str = "failed"
    step: int = 0
    total: int = 0
    eta: float | None = None
    heartbeat: float = 0.0
    device: str = ""
    best: Mapping | None = None
    last: Mapping | None = None
    message: Message | None = None
    place: int = 0
    attempt: int = 1
    started: float | None = None
    ended: float | None = None
    queue: str = ""
    turn: int = 0
    settled: bool = True

    @property
    def live(self) -> bool:
        """Whether it has a process."""
        return self.state in LIVE

    @property
    def over(self) -> bool:
        """Whether it stays as it is until somebody resumes or deletes it."""
        return not self.live and self.state != "queued"

    @property
    def name(self) -> str:
        return str(self.request.get("name") or self.id)


def folder() -> Path:
    """Where runs are kept: `VIZ_RUNS_DIR`, else the project's `runs/`."""
    return Path(os.environ.get("VIZ_RUNS_DIR") or FOLDER)


def observe(path: Path) -> Run | None:
    """The run of a folder; a damaged one is failed and says so. None where the folder is no more."""
    request, status, damage = {}, None, None
    try:
        status = read_status(path)
    except Failure as failure:
        damage = failure.message
    try:
        request = read_request(path)
    except Failure as failure:
        damage = damage or failure.message
    if damage and not path.is_dir():
        return None
    device = str(request.get("device", ""))
    if status is None:
        return Run(path.name, path, request, message=damage, device=device, queue=device_key(device))
    state, message, settled = status.state, status.message, True
    if state in LIVE and gone(status):
        (state, message), settled = ending(path, status, limits_of(request), None), False
    elif state == "running" and (path / STOP).exists():
        state = "stopping"  # the process has yet to look
    elif damage and state not in LIVE:  # one that runs can be looked at and stopped all the same
        state, message = "failed", damage
    return Run(path.name, path, request, state, message=message, settled=settled,
               queue=status.queue or device_key(device), **_kept(status))


def observe_all(root: Path) -> list[Run]:
    """The runs of a runs folder, in no order; none where there is no such folder."""
    try:
        paths = [path for path in root.iterdir() if path.is_dir() and not path.name.startswith(".")]
    except OSError:
        return []
    return [run for path in paths if (run := observe(path))]


def queue(runs: Iterable[Run]) -> list[Run]:
    """Those that wait, in their order."""
    return sorted((run for run in runs if run.state == "queued"), key=lambda run: run.turn)


def places(runs: Iterable[Run]) -> dict[str, int]:
    """The place of each run that waits in the queue of its device, from 1, by id."""
    found, lengths = {}, {}
    for run in queue(runs):
        found[run.id] = lengths[run.queue] = lengths.get(run.queue, 0) + 1
    return found


def metrics(run: Run, after: int = 0) -> tuple[list[dict], int]:
    """What was added to `metrics.jsonl` behind an offset in bytes, and the offset to go on from.

    A line that is still being written is left for the next time; one that was never finished is passed over.
    """
    try:
        with open(run.path / METRICS, "rb") as file:
            file.seek(after)
            content = file.read()
    except OSError:
        return [], after
    whole = content[:content.rfind(b"\n") + 1]
    rows = []
    for line in whole.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows, after + len(whole)


def _kept(status: Status) -> dict:
    """What a Run takes over from the status as it is."""
    names = ("step", "total", "eta", "heartbeat", "device", "best", "last", "attempt", "started", "ended", "turn")
    return {name: getattr(status, name) for name in names}
