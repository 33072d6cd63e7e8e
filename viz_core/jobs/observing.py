"""Runs as they are now: what their folders say, put right where their process can no longer say it."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from viz_core.jobs.endings import ending
from viz_core.jobs.request import Request, read_request
from viz_core.jobs.state import LIVE, METRICS, STOP, Status, device_key, gone, read_status
from viz_core.records import Failure

FOLDER = Path(__file__).parents[2] / "runs"


@dataclass(frozen=True)
class Run:
    """A run as it is now.

    request: as submitted; empty where it cannot be read. status: as its folder says, or as it must be where the process
    that was to say so is gone. position: 1 for who is next on its device, 0 for who is not queued. settled: whether the
    folder says the same, or was left by a process that is gone.
    """

    path: Path
    request: Request = Request()
    status: Status = Status("failed")
    position: int = 0
    settled: bool = True

    @property
    def id(self) -> str:
        return self.path.name

    @property
    def name(self) -> str:
        return self.request.name or self.id

    @property
    def live(self) -> bool:
        """Whether it has a process."""
        return self.status.state in LIVE

    @property
    def over(self) -> bool:
        """Whether it stays as it is until somebody resumes or deletes it."""
        return not self.live and self.status.state != "queued"


def folder() -> Path:
    """Where runs are kept: `VIZ_RUNS_DIR`, else the project's `runs/`."""
    return Path(os.environ.get("VIZ_RUNS_DIR") or FOLDER)


def observe(path: Path) -> Run | None:
    """The run of a folder; a damaged one is failed and says so. None where the folder is no more."""
    request, status, damage = Request(), None, None
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
    if status is None:
        device = request.device
        return Run(path, request, Status("failed", message=damage, device=device, queue=device_key(device)))
    state, message, settled = status.state, status.message, True
    if state in LIVE and gone(status):
        (state, message), settled = ending(path, status, request.limits, None), False
    elif state == "running" and (path / STOP).exists():
        state = "stopping"  # the process has yet to look
    elif damage and state not in LIVE:  # one that runs can be looked at and stopped all the same
        state, message = "failed", damage
    status = replace(status, state=state, message=message, queue=status.queue or device_key(request.device))
    return Run(path, request, status, settled=settled)


def observe_all(root: Path) -> list[Run]:
    """The runs of a runs folder, in no order; none where there is no such folder."""
    try:
        paths = [path for path in root.iterdir() if path.is_dir() and not path.name.startswith(".")]
    except OSError:
        return []
    return [run for path in paths if (run := observe(path))]


def queue(runs: Iterable[Run]) -> list[Run]:
    """Those that wait, in their order."""
    return sorted((run for run in runs if run.status.state == "queued"), key=lambda run: run.status.turn)


def positions(runs: Iterable[Run]) -> dict[str, int]:
    """The position of each run that waits in the queue of its device, from 1, by id."""
    by_id, lengths = {}, Counter()
    for run in queue(runs):
        lengths[run.status.queue] += 1
        by_id[run.id] = lengths[run.status.queue]
    return by_id


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
    whole = content[: content.rfind(b"\n") + 1]
    rows = []
    for line in whole.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows, after + len(whole)
