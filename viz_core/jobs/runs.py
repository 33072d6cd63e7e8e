"""Runs as files, for whoever asks for them and looks at them: a page, the command line, a notebook.

A run folder is complete once its name appears, and what is read is the truth: a run whose process is gone is failed.
Looking at the runs also starts a worker where there is something to do and none is at it.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from viz_core.jobs.endings import record_ending
from viz_core.jobs.files import disk_full, locked
from viz_core.jobs.limits import Limits, limits, refuse_full_disk, refuse_more
from viz_core.jobs.observing import Run, folder, metrics, observe, observe_all, positions, queue
from viz_core.jobs.request import Request, is_command, read_request, write_request
from viz_core.jobs.state import LOCK, NEW, STOP, TRASH, Status, device_key, read_status, write_status
from viz_core.jobs.wake import ensure_worker
from viz_core.records import Failure, Message

__all__ = ["Request", "Run", "delete", "folder", "listing", "metrics", "position", "read", "resume", "stop", "submit"]


def submit(request: Request, limit: Limits | None = None, fill: Callable[[Path], object] = lambda folder: None) -> Run:
    """Puts a run into the queue of its device (`cpu` unless given) and answers at once.

    request: time, limits, environment and working folder are filled in here. fill: puts what the run needs besides into
    its folder, before anybody sees that; where it fails, there is no run. Raises Failure where a limit (those of the
    environment, unless given) is reached or the folder cannot be written; ValueError where the command is none.
    """
    if not is_command(request.command):
        raise ValueError(f"command is {request.command!r}: it must be a list of words")
    limit, root, device = limit or limits(), folder(), request.device or "cpu"
    now = time.time_ns()
    id = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now // 10**9))}-{now // 1000 % 10**6:06d}-{secrets.token_hex(2)}"
    with _writing(root):
        root.mkdir(parents=True, exist_ok=True)
        refuse_full_disk(root, limit)
        with locked(root / LOCK):
            runs = observe_all(root)
            refuse_more(_waiting(runs, request.owner), limit)
            new = root / (NEW + id)
            new.mkdir()
            write_request(new, _current(replace(request, device=device, submitted=now / 10**9), limit))
            try:
                fill(new)
            except BaseException:
                shutil.rmtree(new, ignore_errors=True)
                raise
            write_status(new, Status("queued", device=device, queue=device_key(device), turn=_last_turn(runs) + 1))
            os.rename(new, root / id)
    return read(id)


def read(id: str) -> Run:
    """One run. Raises Failure where there is none of this id; what is damaged in it is told by its message instead."""
    run = observe(_path(id))
    if run is None:
        raise Failure("jobs.unknown", run=id)
    _see_to([run])
    return replace(run, position=position(id)) if run.status.state == "queued" else run


def listing() -> list[Run]:
    """All runs, the newest first. Raises no Failure: what is damaged is a failed run that says so."""
    runs = observe_all(folder())
    _see_to(runs)
    waiting = positions(runs)
    return [replace(run, position=waiting.get(run.id, 0)) for run in sorted(runs, key=lambda run: run.id, reverse=True)]


def position(id: str) -> int:
    """The position of a run in the queue of its device, from 1; 0 if it does not wait."""
    return positions(observe_all(folder())).get(id, 0)


def stop(id: str) -> Run:
    """Stops a run: one that waits at once, one that runs when it next asks. What is over stays as it is. Raises Failure."""
    with _changing(id) as run:
        if run.status.state == "queued":
            write_status(run.path, replace(read_status(run.path), state="stopped", ended=time.time()))
        elif run.live:
            (run.path / STOP).touch()
    return read(id)


def resume(id: str, limit: Limits | None = None) -> Run:
    """Puts a failed or stopped run back into the queue, behind the others; its folder stays as it is.

    Raises Failure where it is neither, where its request cannot be read, or where a limit is reached.
    """
    limit = limit or limits()
    with _changing(id) as run:
        if run.status.state not in ("failed", "stopped"):
            raise Failure("jobs.cannot_resume", name=run.name, state=Message(f"jobs.state_{run.status.state}"))
        request, runs, before = read_request(run.path), observe_all(folder()), run.status
        device = request.device or before.device
        refuse_full_disk(folder(), limit)
        refuse_more(_waiting(runs, request.owner), limit)
        (run.path / STOP).unlink(missing_ok=True)
        write_request(run.path, _current(request, limit))
        write_status(
            run.path,
            Status(
                "queued",
                step=before.step,
                total=before.total,
                best=before.best,
                last=before.last,
                device=device,
                queue=device_key(device),
                turn=_last_turn(runs) + 1,
                attempt=before.attempt + 1,
            ),
        )
    return read(id)


def delete(id: str) -> None:
    """Removes a run and its folder. Raises Failure where it still runs or its files are in use."""
    with _changing(id) as run:
        if run.live:
            raise Failure("jobs.still_running", name=run.name)
        trash = run.path.with_name(TRASH + run.id)
        os.rename(run.path, trash)  # for every reader at once
    shutil.rmtree(trash, ignore_errors=True)


def _path(id: str) -> Path:
    """The folder of a run. Raises Failure for an id that is none: it may come from a link that anyone has written."""
    if not id or id.startswith(".") or Path(id).name != id:
        raise Failure("jobs.unknown", run=id)
    return folder() / id


@contextmanager
def _changing(id: str) -> Iterator[Run]:
    """The run, and nobody else changes any run meanwhile."""
    path = _path(id)
    if not path.is_dir():
        raise Failure("jobs.unknown", run=id)
    with _writing(path), locked(path.parent / LOCK):
        run = observe(path)
        if run is None:
            raise Failure("jobs.unknown", run=id)
        yield run


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Says what the system says in words when something cannot be written."""
    try:
        yield
    except OSError as error:
        if disk_full(error):
            raise Failure("jobs.disk_full", folder=str(path)) from error
        raise Failure("jobs.not_written", folder=str(path), reason=error.strerror) from error


def _current(request: Request, limit: Limits) -> Request:
    """The request with what is in force now: the limits, and the folders that our variables name.

    The worker may have been started by somebody with others.
    """
    ours = {name: value for name, value in os.environ.items() if name.startswith("VIZ_")}
    return replace(request, limits=limit, environment=ours, working_folder=os.getcwd())


def _waiting(runs: Iterable[Run], owner: str) -> int:
    return sum(run.request.owner == owner for run in queue(runs))


def _last_turn(runs: Iterable[Run]) -> int:
    return max((run.status.turn for run in runs), default=0)


def _see_to(runs: Iterable[Run]) -> None:
    """Writes down the end of those whose process is gone, and sees to a worker for the others. What cannot be done now
    is done when somebody looks again."""
    with suppress(OSError, Failure):
        if lost := [run.path for run in runs if not run.settled]:
            with locked(folder() / LOCK):
                for path in lost:
                    if (run := observe(path)) and not run.settled:  # meanwhile somebody may have resumed it
                        record_ending(path)
    with suppress(OSError):
        if any(not run.over for run in runs):
            ensure_worker(folder())
